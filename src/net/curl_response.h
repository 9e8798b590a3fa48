// The head of an answer, from the header lines that libcurl hands over one by one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "net/http.h"

namespace instantstart::net {

class CurlResponseHead {
 public:
  enum class Verdict { more, complete, malformed, too_large };

  /// Takes one line with its line end. Interim answers (1xx) are dropped; lines after the end are trailers
  /// and dropped too, but count. 101 is malformed: nobody asked to switch protocols.
  Verdict add_line(std::string_view line);

  bool complete() const { return complete_; }
  int status() const { return status_; }
  const Headers& headers() const { return headers_; }
  Headers take_headers() { return std::move(headers_); }

 private:
  Verdict begin(std::string_view line);
  Verdict add_field(std::string_view line);
  Verdict end();
  void keep_field();

  int status_ = 0;
  Headers headers_;
  std::string name_;  ///< The field under way, which the next line may continue.
  std::string value_;
  bool begun_ = false;
  bool complete_ = false;
  std::size_t bytes_ = 0;
};

}  // namespace instantstart::net
