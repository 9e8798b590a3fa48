// Members in HTTP headers, for requests and answers alike.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aws/protocols/fault.h"
#include "aws/protocols/http_parts.h"
#include "aws/shapes/shape.h"

namespace instantstart::aws {

/// A list becomes one header with commas; its items are quoted where they hold a comma or a quote. Times are
/// RFC 822 unless the model says otherwise, and whole seconds. Text that would end the header is a fault.
Walked append_headers(const ShapeInfo& shape, const void* structure, std::vector<NamedText>& headers);

/// A time that can't be read is absent: anyone may have stored any text in S3's Expires (botocore does the
/// same).
Walked read_headers(const ShapeInfo& shape, const std::vector<NamedText>& headers, void* structure);

}  // namespace instantstart::aws
