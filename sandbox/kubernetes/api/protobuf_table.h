// The messages of Kubernetes' protobuf encoding, as text that protobuf.cpp reads once.
#pragma once

#include <span>
#include <string_view>

namespace instantstart::sandbox::kubernetes {

/// `fields` are parted by ";": number, JSON name ("-": its members are those of the message around it), "+"
/// for a field that counts when it is empty, else ".", "repeated" or "map" (keys are strings), and the type:
/// a scalar or another message.
struct ProtobufMessageText {
  std::string_view name;  ///< "core.v1.PodSpec"
  std::string_view fields;
};

extern const std::span<const ProtobufMessageText> k_protobuf_messages;

}  // namespace instantstart::sandbox::kubernetes
