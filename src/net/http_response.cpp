#include "net/http_response.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/text.h"
#include "net/http_characters.h"

namespace instantstart::net {

namespace {

/// RFC 9110 15. The phrase is for people who read the wire; a status without one here is sent without.
constexpr std::array k_reasons = {
    std::pair(200, "OK"),
    std::pair(201, "Created"),
    std::pair(202, "Accepted"),
    std::pair(204, "No Content"),
    std::pair(206, "Partial Content"),
    std::pair(301, "Moved Permanently"),
    std::pair(302, "Found"),
    std::pair(303, "See Other"),
    std::pair(304, "Not Modified"),
    std::pair(307, "Temporary Redirect"),
    std::pair(308, "Permanent Redirect"),
    std::pair(400, "Bad Request"),
    std::pair(401, "Unauthorized"),
    std::pair(403, "Forbidden"),
    std::pair(404, "Not Found"),
    std::pair(405, "Method Not Allowed"),
    std::pair(406, "Not Acceptable"),
    std::pair(408, "Request Timeout"),
    std::pair(409, "Conflict"),
    std::pair(410, "Gone"),
    std::pair(411, "Length Required"),
    std::pair(412, "Precondition Failed"),
    std::pair(413, "Content Too Large"),
    std::pair(414, "URI Too Long"),
    std::pair(415, "Unsupported Media Type"),
    std::pair(416, "Range Not Satisfiable"),
    std::pair(417, "Expectation Failed"),
    std::pair(421, "Misdirected Request"),
    std::pair(422, "Unprocessable Content"),
    std::pair(426, "Upgrade Required"),
    std::pair(428, "Precondition Required"),
    std::pair(429, "Too Many Requests"),
    std::pair(431, "Request Header Fields Too Large"),
    std::pair(500, "Internal Server Error"),
    std::pair(501, "Not Implemented"),
    std::pair(502, "Bad Gateway"),
    std::pair(503, "Service Unavailable"),
    std::pair(504, "Gateway Timeout"),
    std::pair(505, "HTTP Version Not Supported"),
    std::pair(507, "Insufficient Storage"),
};

std::string_view reason_of(int status) {
  const auto found = std::ranges::find(k_reasons, status, [](const auto& row) { return row.first; });
  return found == k_reasons.end() ? std::string_view() : found->second;
}

bool is_name(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_token_char); }

bool is_framing(std::string_view name) {
  const std::string small = to_lower(name);
  return small == "content-length" || small == "transfer-encoding" || small == "connection" ||
         small == "keep-alive";
}

bool asks_to_close(const Headers& headers) {
  for (const auto& [name, value] : headers) {
    if (to_lower(name) != "connection") continue;
    for (const auto option : split(value, ',')) {
      if (to_lower(trim(option)) == "close") return true;
    }
  }
  return false;
}

BodyFraming framing_of(const Response& response, const ResponseContext& context) {
  // RFC 9110 15.3.5 and 15.4.5: these end with their header.
  if (response.status == 204 || response.status == 304) return BodyFraming::none;
  if (std::holds_alternative<std::string>(response.body)) return BodyFraming::sized;
  return context.http_1_0 ? BodyFraming::until_close : BodyFraming::chunked;
}

void write_framing(std::string& out, const Response& response, const ResponseContext& context,
                   BodyFraming framing) {
  if (framing == BodyFraming::chunked) out += "Transfer-Encoding: chunked\r\n";
  if (framing != BodyFraming::sized) return;
  const std::string& body = std::get<std::string>(response.body);
  const std::string_view own = response.headers.get("Content-Length");
  if (context.head && body.empty() && !own.empty()) {
    fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n", own);
  } else {
    fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n", body.size());
  }
}

}  // namespace

Result<ResponseHead> make_response_head(const Response& response, const ResponseContext& context) {
  if (response.status < 200 || response.status > 599) {
    return fail(codes::internal, fmt::format("{} is not the status of a final response.", response.status));
  }
  const BodyFraming framing = framing_of(response, context);
  ResponseHead head{.framing = context.head ? BodyFraming::none : framing};
  head.keep_alive =
      context.keep_alive && framing != BodyFraming::until_close && !asks_to_close(response.headers);

  auto out = std::back_inserter(head.text);
  fmt::format_to(out, "HTTP/1.1 {} {}\r\n", response.status, reason_of(response.status));
  for (const auto& [name, value] : response.headers) {
    if (!is_name(name)) return fail(codes::internal, "A response header has a name that is not a token.");
    if (std::ranges::any_of(value, is_control)) {
      return fail(codes::internal, fmt::format("The response header {} has a control character.", name));
    }
    if (!is_framing(name)) fmt::format_to(out, "{}: {}\r\n", name, value);
  }
  write_framing(head.text, response, context, framing);
  if (!response.headers.contains("Date")) fmt::format_to(out, "Date: {}\r\n", context.date);
  if (!head.keep_alive) {
    head.text += "Connection: close\r\n";
  } else if (context.http_1_0) {
    head.text += "Connection: keep-alive\r\n";
  }
  head.text += "\r\n";
  return head;
}

std::string_view HttpDate::text(WallTime now) {
  const auto second = std::chrono::floor<seconds>(now);
  if (text_.empty() || second != second_) {
    text_ = http_date(now);
    second_ = second;
  }
  return text_;
}

std::string http_date(WallTime time) {
  constexpr std::array k_days = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array k_months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<seconds>(time - day));
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     k_days[std::chrono::weekday(day).c_encoding()], static_cast<unsigned>(date.day()),
                     k_months[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace instantstart::net
