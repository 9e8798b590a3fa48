// AWS refuses signatures that are more than five minutes off (fifteen for S3). Instead of failing on a
// machine with a wrong clock, the client learns the difference from the Date of the refusal and signs for
// AWS's time from then on.
#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"

namespace instantstart::aws {

/// The Date header (RFC 9110 section 5.6.7, IMF-fixdate only: what AWS sends). nullopt when it is none.
std::optional<WallTime> parse_http_date(std::string_view text);

/// How far AWS's clock is before the one that the request was signed by, when the refusal is about that.
/// Codes that speak of time count at any difference; those that just call the signature wrong, only past four
/// minutes, since a wrong key gives them too. `signed_at` includes the correction that was in force.
std::optional<milliseconds> clock_skew(std::string_view aws_code, std::string_view date_header,
                                       WallTime signed_at);

}  // namespace instantstart::aws
