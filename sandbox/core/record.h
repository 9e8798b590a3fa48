// How a record of the simulated account becomes JSON and back: AWS's own shapes by their tables, our structs
// by theirs. Secrets are kept: this is the world, not a log.
#pragma once

#include <boost/json/object.hpp>

#include "aws/protocols/api_json.h"
#include "base/decode.h"
#include "base/result.h"

namespace instantstart::sandbox {

template <class T>
concept AwsShape = requires(const T* record) { shape_info(record); };

template <class T>
json::object record_to_json(const T& record) {
  if constexpr (AwsShape<T>) {
    return aws::to_api_json(record, {.reveal_sensitive = true});
  } else {
    return encode(record, {.reveal_secrets = true}).as_object();
  }
}

template <class T>
Result<T> record_from_json(const json::object& value) {
  if constexpr (AwsShape<T>) {
    T record;
    auto read = aws::from_api_json(shape_info(&record), value, &record);
    if (!read) return std::unexpected(std::move(read.error()));
    return record;
  } else {
    return decode<T>(value);
  }
}

}  // namespace instantstart::sandbox
