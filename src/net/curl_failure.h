// Why a transfer ended without an answer, put into the errors that http_client.h promises.
#pragma once

#include <cstddef>
#include <string>

#include <curl/curl.h>

#include "base/error.h"

namespace instantstart::net {

/// What our own callbacks stopped a transfer for; libcurl's code then only says that somebody did.
enum class CurlStop { none, sent_before, address_refused, head_malformed, head_too_large, body_too_large };

struct CurlFailure {
  CURLcode code = CURLE_OK;
  CurlStop stop = CurlStop::none;
  bool sent = false;        ///< Sending had begun, so a byte may have left.
  int status = 0;           ///< Of the answer, once its head was complete.
  std::size_t limit = 0;    ///< max_response_bytes.
  bool own_bundle = false;  ///< The request brought its own CA bundle.
  std::string origin;
  std::string address;  ///< That was refused.
  std::string text;     ///< libcurl's sentence.
};

Error to_error(const CurlFailure& failure);

/// `deadline_exceeded`, and whether the caller may repeat.
Error deadline_error(std::string_view origin, bool sent, bool repeatable);

}  // namespace instantstart::net
