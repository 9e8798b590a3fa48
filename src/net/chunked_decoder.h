// Takes the chunked coding off a request's body (RFC 9112 7.1). Our own, since Beast 1.81 fails an assertion
// on an empty body that comes byte by byte, and lets a quoted chunk extension run over the end of its line.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "net/http_request_parser.h"

namespace instantstart::net {

/// Extensions and trailer fields are read, bounded and dropped: nothing in or behind a body may change how
/// the request is understood. Looks at each byte of framing once; where the bytes are cut makes no
/// difference.
class ChunkedDecoder {
 public:
  explicit ChunkedDecoder(std::size_t body_limit) : body_limit_(body_limit) {}

  /// Takes all bytes up to the end of the body and returns how many those were. 413 when the data exceeds the
  /// limit, 400 when the coding is malformed or out of proportion to the data.
  std::expected<std::size_t, RequestRefusal> feed(std::string_view bytes);

  bool done() const { return state_ == State::done; }
  std::string take() { return std::move(body_); }

 private:
  enum class State {
    size,
    space,      ///< Between the size and ";".
    extension,  ///< Up to CR.
    size_lf,
    data,
    data_cr,
    data_lf,
    trailer_start,
    trailer,  ///< Up to CR.
    trailer_lf,
    end_lf,
    done,
  };

  /// What follows a byte of framing; nullopt when it must not stand there.
  std::optional<State> after(char c);
  std::optional<State> after_size(char c);
  State begin_data();
  bool too_much_framing() const;

  std::size_t body_limit_;
  State state_ = State::size;
  std::string body_;
  std::size_t chunk_left_ = 0;
  int digits_ = 0;
  std::size_t framing_ = 0;        ///< Bytes that were not data.
  std::size_t framing_start_ = 0;  ///< Its value when the last data ended.
};

}  // namespace instantstart::net
