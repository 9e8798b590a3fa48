// Times as text, as botocore writes and reads them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aws/shapes/shape.h"

namespace instantstart::aws {

/// iso8601: "2026-11-30T19:35:29Z", with six digits of fraction when there is one. rfc822: "Mon, 30 Nov 2026
/// 19:35:29 GMT", whole seconds. epoch_seconds: "1796067329", with a fraction when there is one.
/// `by_protocol` is iso8601.
std::string timestamp_text(Timestamp time, TimestampFormat format);

/// Any of the three, whatever the model says: services differ from their models. ISO 8601 may lack the time
/// or the offset (it is UTC then), or have any offset. nullopt for other text and for years outside 1 to
/// 9999.
std::optional<Timestamp> parse_timestamp(std::string_view text);
std::optional<Timestamp> timestamp_from_epoch(double seconds);

/// The format of a timestamp in one place: the model's, else the protocol's.
inline TimestampFormat resolved(TimestampFormat format, TimestampFormat otherwise) {
  return format == TimestampFormat::by_protocol ? otherwise : format;
}

}  // namespace instantstart::aws
