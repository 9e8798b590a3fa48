#include "aws/protocols/xml_error.h"

#include <pugixml.hpp>

#include "aws/protocols/api_json.h"
#include "aws/protocols/json_error.h"
#include "aws/protocols/protocol.h"

namespace instantstart::aws {
namespace {

/// The element that holds Code and Message.
pugi::xml_node error_element(pugi::xml_node root) {
  if (local_name(root) == "Error") return root;
  if (pugi::xml_node error = child_named(root, "Error")) return error;
  return child_named(child_named(root, "Errors"), "Error");
}

std::string id_in(pugi::xml_node root) {
  const pugi::xml_node id = child_named(root, "RequestId");
  return text_of(id ? id : child_named(root, "RequestID"));
}

json::object typed_fields(const ShapeInfo& shape, pugi::xml_node element) {
  ShapeValue fields(shape);
  return members_from_xml(shape, element, fields.get()) ? to_api_json(shape, fields.get()) : json::object();
}

}  // namespace

ServiceError error_from_xml(const ServiceInfo& service, const HttpResponseParts& answer) {
  if (is_generic_error(answer) || answer.body.size() > k_max_document_bytes) return error_from_status(answer);
  const auto document = XmlDocument::parse(answer.body);
  const pugi::xml_node element = document ? error_element(document->root()) : pugi::xml_node();
  if (!element) return error_from_status(answer);
  ServiceError error{.code = text_of(child_named(element, "Code")),
                     .message = text_of(child_named(element, "Message")),
                     .request_id = request_id(answer),
                     .status = answer.status};
  if (error.request_id.empty()) error.request_id = id_in(document->root());
  error.modelled = service.error(error.code);
  if (error.modelled) error.fields = typed_fields(*error.modelled->shape, element);
  return error;
}

void append_error(pugi::xml_node element, const ServiceError& error) {
  append_text(element, "Code", error.code);
  append_text(element, "Message", error.message);
  if (!error.modelled) {
    // S3 tells more than its model says: the region of a bucket, which clients act on.
    for (const auto& [name, value] : error.fields) {
      if (const auto* text = value.if_string()) append_text(element, name, *text);
    }
    return;
  }
  const ShapeValue structure = error_structure(error);
  for (const auto& member : structure.shape().members) {
    if (member.name == "message" || member.name == "Message" || member.name == "Code") continue;
    // A field that XML can't carry is left out: the code and the message still say what happened.
    static_cast<void>(append_member(element, member, structure.get()));
  }
}

}  // namespace instantstart::aws
