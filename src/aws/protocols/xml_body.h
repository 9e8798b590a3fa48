// Structures as XML on the wire: the bodies of rest-xml, and the answers of query and ec2.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "aws/protocols/fault.h"
#include "aws/shapes/shape.h"

namespace pugi {
class xml_document;
class xml_node;
}  // namespace pugi

namespace instantstart::aws {

/// A parsed document. Entities other than XML's own five are not expanded, and no DTD is read.
class XmlDocument {
 public:
  /// The text must be well-formed UTF-8; the complaint is a sentence fragment, "is not XML: …".
  static std::expected<XmlDocument, Fault> parse(std::string_view text);

  XmlDocument();
  ~XmlDocument();
  XmlDocument(XmlDocument&&) noexcept;
  XmlDocument& operator=(XmlDocument&&) noexcept;

  pugi::xml_node root() const;  ///< The outermost element; empty in a document that is being made.
  /// Adds an element to the document; with the namespace declared unless that is empty.
  pugi::xml_node make_root(std::string_view name, const XmlNamespace& xml_namespace);

  /// Without indentation. `declared` puts the XML declaration in front, as AWS does in answers.
  std::string text(bool declared) const;

 private:
  std::unique_ptr<pugi::xml_document> document_;
};

/// Adds the members of a structure to its element. Members with another place than the body are left out.
/// Text with a character that XML 1.0 can't carry is refused.
Walked append_members(pugi::xml_node element, const ShapeInfo& shape, const void* structure);

Walked append_member(pugi::xml_node element, const MemberInfo& member, const void* structure);

/// Reads the members out of a structure's element. Elements that the shape does not know are skipped; an
/// empty element is an empty string, list, map or structure, and absent for everything else.
Walked members_from_xml(const ShapeInfo& shape, pugi::xml_node element, void* structure);

void declare_namespace(pugi::xml_node element, const XmlNamespace& xml_namespace);

/// The local name, "Bucket" of "s3:Bucket".
std::string_view local_name(pugi::xml_node element);
pugi::xml_node child_named(pugi::xml_node element,
                           std::string_view name);  ///< The first; empty when there is none.
std::string text_of(pugi::xml_node element);        ///< All text and CDATA directly inside it.
void append_text(pugi::xml_node parent, std::string_view name, std::string_view text);

}  // namespace instantstart::aws
