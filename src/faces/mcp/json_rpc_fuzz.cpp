// Any bytes: what is understood is bounded and comes back equal from its own text; what is not has an error
// that a client can read. Header values decode or are refused.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "faces/mcp/json_rpc.h"
#include "faces/mcp/modern_request.h"
#include "faces/mcp/sse_reader.h"

namespace {

using namespace instantstart;
using namespace instantstart::faces;

void must(bool holds) {
  if (!holds) std::abort();
}

void check_fault(const RpcFault& fault) {
  must(fault.error.code == rpc::parse_error || fault.error.code == rpc::invalid_request);
  must(!fault.error.message.empty());
  must(rpc_error(fault.id, fault.error).contains("id") == !fault.id.is_null());
}

void check_message(const RpcMessage& message) {
  must((message.kind == RpcKind::notification) == message.id.is_null());
  must((message.kind == RpcKind::response) == message.method.empty());
  must(message.method.size() <= k_max_method_bytes);
  if (message.kind != RpcKind::notification) return;
  const auto text = to_text(rpc_notification(message.method, message.params));
  const auto again = parse_rpc(text, {.max_bytes = text.size()});
  must(again.has_value());
  const auto* same = std::get_if<RpcMessage>(&*again);
  must(same && same->method == message.method && same->params == message.params);
}

void check_sse(std::string_view bytes) {
  SseReader whole(64);
  SseReader pieces(64);
  const auto at_once = whole.feed(bytes);
  std::vector<std::string> one_by_one;
  bool refused = false;
  for (const char byte : bytes) {
    auto got = pieces.feed(std::string_view(&byte, 1));
    if (!got) {
      refused = true;
      break;
    }
    one_by_one.insert(one_by_one.end(), got->begin(), got->end());
  }
  must(refused == !at_once.has_value());
  if (at_once) must(*at_once == one_by_one);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto input = parse_rpc(bytes);
  if (!input) {
    check_fault(input.error());
  } else if (const auto* message = std::get_if<RpcMessage>(&*input)) {
    check_message(*message);
  } else {
    const auto& batch = std::get<std::vector<RpcItem>>(*input);
    must(!batch.empty() && batch.size() <= k_max_batch);
    for (const auto& item : batch) {
      if (item) check_message(*item);
      if (!item) check_fault(item.error());
    }
  }
  const auto header = decode_mirrored(bytes);
  if (header) must(decode_mirrored(encode_mirrored(*header)) == *header);
  check_sse(bytes);
  return 0;
}
