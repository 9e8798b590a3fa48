// libcurl's multi handle on an Asio loop: its sockets and its timer become waits of the loop, and nothing
// blocks.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <curl/curl.h>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

#include "base/result.h"

namespace instantstart::net {

namespace asio = boost::asio;

struct EasyCleanup {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct MultiCleanup {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
using EasyHandle = std::unique_ptr<CURL, EasyCleanup>;
using MultiHandle = std::unique_ptr<CURLM, MultiCleanup>;

/// One transfer while it runs. Its easy handle has the job as CURLOPT_PRIVATE, `CurlLoop::open_socket` behind
/// its CURLOPT_OPENSOCKETFUNCTION and `CurlLoop::close_socket` as CURLOPT_CLOSESOCKETFUNCTION, with the loop
/// as data.
class CurlJob {
 public:
  virtual ~CurlJob() = default;
  virtual CURL* easy() = 0;
  /// It ended by itself and is no longer in the loop. Must not call the loop or run foreign code.
  virtual void ended(CURLcode code) = 0;
};

struct CurlLoopLimits {
  std::size_t connections_per_host = 0;  ///< 0 is no limit.
  std::size_t idle_connections = 0;
};

/// Loop thread only. None of its callbacks runs foreign code, so libcurl is never entered twice.
class CurlLoop : public std::enable_shared_from_this<CurlLoop> {
 public:
  CurlLoop(asio::any_io_executor executor, CurlLoopLimits limits);
  ~CurlLoop();
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;

  /// Jobs that still run end with CURLE_ABORTED_BY_CALLBACK, and all connections are closed. No more can be
  /// added.
  void close();
  /// A handle with default options. Null when memory ran out.
  EasyHandle take_handle();
  /// Keeps a handle whose transfer ended well for another one: making one anew is a tenth of a small request.
  void give_back(EasyHandle handle);

  /// Error `internal` when libcurl refuses, or the loop is closed.
  Result<> add(CurlJob& job);
  /// Stops a job that still runs and closes its connection; does nothing otherwise. Not from within a
  /// callback.
  void remove(CurlJob& job);

  /// Makes a socket that only this loop's `close_socket` closes. CURL_SOCKET_BAD on failure.
  curl_socket_t open_socket(int family, int type, int protocol);
  static int close_socket(void* loop, curl_socket_t handle);

 private:
  struct Socket;
  struct GlobalInit {
    GlobalInit();
    ~GlobalInit();
  };

  static int socket_changed(CURL* easy, curl_socket_t handle, int what, void* loop, void* unused);
  static int timer_changed(CURLM* multi, long wait_ms, void* loop);

  std::shared_ptr<Socket> attach(curl_socket_t handle, bool ours);
  void want(curl_socket_t handle, int what);
  void drop(curl_socket_t handle);
  void arm(const std::shared_ptr<Socket>& socket);
  void wait(const std::shared_ptr<Socket>& socket, int direction);
  void ready(const std::shared_ptr<Socket>& socket, int direction, boost::system::error_code error);
  void set_timer(long wait_ms);
  void kick();
  void act(curl_socket_t handle, int events);

  GlobalInit global_;
  asio::any_io_executor executor_;
  asio::steady_timer timer_;
  bool kick_posted_ = false;
  std::unordered_map<curl_socket_t, std::shared_ptr<Socket>> sockets_;
  std::unordered_set<CurlJob*> jobs_;
  std::vector<EasyHandle> spare_;
  MultiHandle multi_;
};

}  // namespace instantstart::net
