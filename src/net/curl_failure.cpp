#include "net/curl_failure.h"

#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/error_codes.h"

namespace instantstart::net {

namespace {

Error make_error(std::string_view code, std::string message, bool sent) {
  return Error{.code = std::string(code),
               .message = std::move(message),
               .retryable = error_code_info(code).retryable,
               .detail = {{"sent", sent}}};
}

/// Where the way to the server ended.
std::string_view connect_reason(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST: return "name";
    case CURLE_OPERATION_TIMEDOUT: return "timeout";
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_PROXY:
    case CURLE_RECV_ERROR:  // Before a request was sent only a proxy is read from.
      return "proxy";
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS: return "tls";
    default: return "connect";
  }
}

Error not_sent(const CurlFailure& failure) {
  if (failure.code == CURLE_URL_MALFORMAT || failure.code == CURLE_UNSUPPORTED_PROTOCOL) {
    return make_error(codes::invalid_request, fmt::format("The URL is not valid: {}.", failure.text), false);
  }
  if (failure.code == CURLE_SSL_CACERT_BADFILE && failure.own_bundle) {
    return make_error(codes::invalid_request, "The CA bundle holds no PEM certificate.", false);
  }
  auto error = make_error(codes::connection_failed,
                          fmt::format("No connection to {}: {}.", failure.origin, failure.text), false);
  error.detail["reason"] = connect_reason(failure.code);
  return error;
}

Error bad_answer(const CurlFailure& failure, std::string_view what) {
  auto error = make_error(codes::upstream_error, fmt::format("The answer of {} {}.", failure.origin, what),
                          failure.sent);
  if (failure.status != 0) error.detail["status"] = failure.status;
  return error;
}

Error outcome_unknown(const CurlFailure& failure, std::string_view why) {
  auto error = make_error(
      codes::unknown_outcome,
      fmt::format("The connection to {} broke before the answer was complete: {}.", failure.origin, why),
      true);
  if (failure.status != 0) error.detail["status"] = failure.status;
  return error;
}

}  // namespace

Error to_error(const CurlFailure& failure) {
  switch (failure.stop) {
    case CurlStop::address_refused: {
      auto error = make_error(
          codes::forbidden,
          fmt::format("{} has the address {}, which is not a public one.", failure.origin, failure.address),
          false);
      error.detail["address"] = failure.address;
      return error;
    }
    case CurlStop::head_malformed: return bad_answer(failure, "is not HTTP");
    case CurlStop::head_too_large: return bad_answer(failure, "has too large a header");
    case CurlStop::body_too_large: {
      auto error = bad_answer(failure, fmt::format("is larger than {} bytes", failure.limit));
      error.detail["limit"] = failure.limit;
      return error;
    }
    case CurlStop::sent_before: return outcome_unknown(failure, "it was closed without an answer");
    case CurlStop::none: break;
  }
  if (!failure.sent) return not_sent(failure);
  // HTTP/0.9, which is not allowed, has the code of an unknown scheme.
  if (failure.code == CURLE_WEIRD_SERVER_REPLY || failure.code == CURLE_UNSUPPORTED_PROTOCOL) {
    return bad_answer(failure, "is not HTTP");
  }
  return outcome_unknown(failure, failure.text);
}

Error deadline_error(std::string_view origin, bool sent, bool repeatable) {
  auto error = make_error(codes::deadline_exceeded,
                          fmt::format("{} did not answer before the deadline.", origin), sent);
  error.retryable = !sent || repeatable;
  return error;
}

}  // namespace instantstart::net
