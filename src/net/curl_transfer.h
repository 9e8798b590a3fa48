// One request and its answer on one easy handle of libcurl: options, callbacks, and what is known when.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <curl/curl.h>
#include <boost/asio/ip/address.hpp>

#include "base/result.h"
#include "net/curl_failure.h"
#include "net/curl_loop.h"
#include "net/curl_request.h"
#include "net/curl_response.h"
#include "net/signal.h"
#include "net/time.h"

namespace instantstart::net {

/// Loop thread only. Destroying it while it runs stops the transfer and closes the connection.
class CurlTransfer final : public CurlJob {
 public:
  enum class Mode {
    collect,  ///< The whole body, up to max_response_bytes.
    stream,   ///< HTTP/1.1, and the server is held back while more than k_stream_buffer bytes wait.
  };
  /// What a stream keeps for a slow reader before TCP holds the server back.
  static constexpr std::size_t k_stream_buffer = 256 * 1024;

  CurlTransfer(Timekeeper& time, CurlRequest request, Mode mode);
  ~CurlTransfer() override;
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  /// Error `internal` when libcurl refuses an option.
  Result<> start(CurlLoop& loop);
  /// Closes the connection now; the transfer stays unfinished for ever.
  void stop();

  /// Waits until the transfer ended, or `give_up` was called: false then.
  asio::awaitable<bool> finished();
  /// The same until its head is complete.
  asio::awaitable<bool> head_complete();
  /// Waits for more of the body, or the end. False when the deadline passed first.
  asio::awaitable<bool> changed(Deadline deadline);
  /// Ends the waits; the transfer itself goes on until it is stopped.
  void give_up();

  const CurlRequest& request() const { return request_; }
  bool sent() const { return attempts_ > 0; }
  bool ended() const { return code_.has_value(); }
  /// Nothing while it runs and when the answer came whole.
  std::optional<Error> error() const;
  CurlResponseHead& head() { return head_; }
  /// All of the body that is there; a stream goes on reading then.
  std::string take_body();
  std::string peer_address() const;

  CURL* easy() override { return easy_.get(); }
  void ended(CURLcode code) override;

 private:
  void configure(CurlLoop& loop);
  void configure_callbacks(CurlLoop& loop);
  void configure_connection();
  void configure_message();

  bool on_header(std::string_view line);
  std::size_t on_body(std::string_view piece);
  bool on_send(const char* address);
  curl_socket_t on_open_socket(const curl_sockaddr& address);
  bool may_send_now();
  bool may_connect(const std::optional<asio::ip::address>& address);

  template <class T>
  void set(CURLoption option, T value);

  CurlRequest request_;
  Mode mode_;
  EasyHandle easy_;
  std::weak_ptr<CurlLoop> home_;  ///< Where the handle came from.
  CurlLoop* loop_ = nullptr;      ///< While it runs.
  Signal signal_;
  CURLcode setup_ = CURLE_OK;  ///< The first option that was refused.
  std::array<char, CURL_ERROR_SIZE> text_{};

  int attempts_ = 0;  ///< How often sending began.
  CurlStop stop_ = CurlStop::none;
  std::string refused_address_;
  CurlResponseHead head_;
  std::string body_;
  bool paused_ = false;
  bool given_up_ = false;
  std::optional<CURLcode> code_;
};

}  // namespace instantstart::net
