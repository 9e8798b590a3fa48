#include "aws/protocols/xml_body.h"

#include <cstdint>
#include <cstring>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "base/utf8.h"

namespace instantstart::aws {
namespace {

struct StringWriter final : pugi::xml_writer {
  std::string text;
  void write(const void* data, std::size_t size) override {
    text.append(static_cast<const char*>(data), size);
  }
};

/// The front of a text that is plain ASCII, eight bytes at a time.
std::size_t ascii_prefix(std::string_view text) {
  constexpr std::uint64_t k_high_bits = 0x8080808080808080;
  std::size_t size = 0;
  for (std::uint64_t block = 0; size + sizeof(block) <= text.size(); size += sizeof(block)) {
    std::memcpy(&block, text.data() + size, sizeof(block));
    if ((block & k_high_bits) != 0) break;
  }
  return size;
}

/// pugixml takes any bytes.
bool is_utf8(std::string_view text) {
  while (true) {
    text.remove_prefix(ascii_prefix(text));
    if (text.empty()) return true;
    const CodePoint point = first_code_point(text);
    if (!point.valid) return false;
    text.remove_prefix(point.bytes);
  }
}

}  // namespace

XmlDocument::XmlDocument() : document_(std::make_unique<pugi::xml_document>()) {}
XmlDocument::~XmlDocument() = default;
XmlDocument::XmlDocument(XmlDocument&&) noexcept = default;
XmlDocument& XmlDocument::operator=(XmlDocument&&) noexcept = default;

std::expected<XmlDocument, Fault> XmlDocument::parse(std::string_view text) {
  if (!is_utf8(text)) return faulty("is not UTF-8");
  XmlDocument document;
  // White space counts where it is all that an element holds: a description of one blank is one.
  const unsigned options = pugi::parse_default | pugi::parse_ws_pcdata_single;
  const auto result = document.document_->load_buffer(text.data(), text.size(), options, pugi::encoding_utf8);
  if (!result) return faulty(fmt::format("is not XML: {} at byte {}", result.description(), result.offset));
  return document;
}

pugi::xml_node XmlDocument::root() const { return document_->document_element(); }

pugi::xml_node XmlDocument::make_root(std::string_view name, const XmlNamespace& xml_namespace) {
  pugi::xml_node root = document_->append_child(std::string(name).c_str());
  declare_namespace(root, xml_namespace);
  return root;
}

void declare_namespace(pugi::xml_node element, const XmlNamespace& xml_namespace) {
  if (xml_namespace.uri.empty()) return;
  std::string attribute = "xmlns";
  if (!xml_namespace.prefix.empty()) attribute += ":" + std::string(xml_namespace.prefix);
  element.append_attribute(attribute.c_str()).set_value(std::string(xml_namespace.uri).c_str());
}

std::string XmlDocument::text(bool declared) const {
  StringWriter writer;
  if (declared) writer.text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  document_->save(writer, "", pugi::format_raw | pugi::format_no_declaration, pugi::encoding_utf8);
  return std::move(writer.text);
}

std::string_view local_name(pugi::xml_node element) {
  const std::string_view name = element.name();
  const auto colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

pugi::xml_node child_named(pugi::xml_node element, std::string_view name) {
  return element.find_child(
      [&](pugi::xml_node child) { return child.type() == pugi::node_element && local_name(child) == name; });
}

std::string text_of(pugi::xml_node element) {
  std::string text;
  for (auto part = element.first_child(); part; part = part.next_sibling()) {
    if (part.type() == pugi::node_pcdata || part.type() == pugi::node_cdata) text += part.value();
  }
  return text;
}

void append_text(pugi::xml_node parent, std::string_view name, std::string_view text) {
  pugi::xml_node element = parent.append_child(std::string(name).c_str());
  if (!text.empty()) element.text().set(std::string(text).c_str());
}

}  // namespace instantstart::aws
