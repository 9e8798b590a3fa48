#include "net/curl_loop.h"

#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <new>
#include <stdexcept>
#include <utility>

#include <fmt/core.h>
#include <boost/asio/error.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>

#include "base/error_codes.h"

namespace instantstart::net {

namespace {

constexpr std::size_t k_most_spare_handles = 64;

}  // namespace

/// A descriptor that libcurl may ask to watch. Connections stay registered with the loop while they idle in
/// libcurl's pool; what libcurl opened by itself (its resolver's pipe) is only lent to us.
struct CurlLoop::Socket {
  Socket(const asio::any_io_executor& executor, curl_socket_t handle, bool is_ours)
      : descriptor(executor, handle), ours(is_ours) {}
  ~Socket() { detach(); }

  /// Ends the waits; closes the descriptor if it is ours.
  void detach() {
    if (!descriptor.is_open()) return;
    boost::system::error_code ignored;  // Nobody is left to hear of it.
    if (ours) {
      descriptor.close(ignored);
    } else {
      descriptor.release();
    }
  }

  asio::posix::stream_descriptor descriptor;
  bool ours;
  int wanted = CURL_POLL_NONE;   ///< CURL_POLL_IN and CURL_POLL_OUT as bits.
  int waiting = CURL_POLL_NONE;  ///< Waits under way, cancelled ones included.
};

CurlLoop::GlobalInit::GlobalInit() {
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) throw std::runtime_error("curl_global_init failed");
}

CurlLoop::GlobalInit::~GlobalInit() { curl_global_cleanup(); }

CurlLoop::CurlLoop(asio::any_io_executor executor, CurlLoopLimits limits)
    : executor_(std::move(executor)), timer_(executor_), multi_(curl_multi_init()) {
  if (!multi_) throw std::bad_alloc();
  const auto set = [this](CURLMoption option, auto value) {
    if (curl_multi_setopt(multi_.get(), option, value) != CURLM_OK) {
      throw std::logic_error(fmt::format("libcurl refused multi option {}", static_cast<int>(option)));
    }
  };
  set(CURLMOPT_SOCKETFUNCTION, &CurlLoop::socket_changed);
  set(CURLMOPT_SOCKETDATA, static_cast<void*>(this));
  set(CURLMOPT_TIMERFUNCTION, &CurlLoop::timer_changed);
  set(CURLMOPT_TIMERDATA, static_cast<void*>(this));
  set(CURLMOPT_MAX_HOST_CONNECTIONS, static_cast<long>(limits.connections_per_host));
  set(CURLMOPT_MAXCONNECTS, static_cast<long>(limits.idle_connections));
}

CurlLoop::~CurlLoop() { close(); }

void CurlLoop::close() {
  while (!jobs_.empty()) {
    CurlJob& job = **jobs_.begin();
    remove(job);
    job.ended(CURLE_ABORTED_BY_CALLBACK);
  }
  spare_.clear();
  multi_.reset();  // Closes the idle connections, through close_socket.
  timer_.cancel();
}

EasyHandle CurlLoop::take_handle() {
  if (spare_.empty()) return EasyHandle(curl_easy_init());
  EasyHandle handle = std::move(spare_.back());
  spare_.pop_back();
  return handle;
}

void CurlLoop::give_back(EasyHandle handle) {
  if (!multi_ || spare_.size() >= k_most_spare_handles) return;
  curl_easy_reset(handle.get());
  spare_.push_back(std::move(handle));
}

Result<> CurlLoop::add(CurlJob& job) {
  if (!multi_) return fail(codes::internal, "The HTTP client is closed.");
  if (const auto code = curl_multi_add_handle(multi_.get(), job.easy()); code != CURLM_OK) {
    return fail(codes::internal,
                fmt::format("libcurl can't start a transfer: {}.", curl_multi_strerror(code)));
  }
  jobs_.insert(&job);
  return {};
}

void CurlLoop::remove(CurlJob& job) {
  if (jobs_.erase(&job) > 0) curl_multi_remove_handle(multi_.get(), job.easy());
}

curl_socket_t CurlLoop::open_socket(int family, int type, int protocol) {
  // CLOEXEC: child processes must not inherit connections.
  const curl_socket_t handle = ::socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
  if (handle != CURL_SOCKET_BAD) attach(handle, true);
  return handle;
}

int CurlLoop::close_socket(void* loop, curl_socket_t handle) {
  static_cast<CurlLoop*>(loop)->drop(handle);
  return 0;
}

int CurlLoop::socket_changed(CURL*, curl_socket_t handle, int what, void* loop, void*) {
  static_cast<CurlLoop*>(loop)->want(handle, what);
  return 0;
}

int CurlLoop::timer_changed(CURLM*, long wait_ms, void* loop) {
  static_cast<CurlLoop*>(loop)->set_timer(wait_ms);
  return 0;
}

std::shared_ptr<CurlLoop::Socket> CurlLoop::attach(curl_socket_t handle, bool ours) {
  drop(handle);  // A lent one that was closed behind our back, and its number given out again.
  auto socket = std::make_shared<Socket>(executor_, handle, ours);
  sockets_.emplace(handle, socket);
  return socket;
}

void CurlLoop::drop(curl_socket_t handle) {
  const auto found = sockets_.find(handle);
  if (found == sockets_.end()) return;
  found->second->detach();
  sockets_.erase(found);
}

void CurlLoop::want(curl_socket_t handle, int what) {
  const auto found = sockets_.find(handle);
  if (what == CURL_POLL_REMOVE) {
    if (found == sockets_.end()) return;
    Socket& socket = *found->second;
    if (!socket.ours) return drop(handle);
    socket.wanted = CURL_POLL_NONE;
    // A wait left behind would keep the loop from running out of work while a connection idles.
    if (socket.waiting != CURL_POLL_NONE) socket.descriptor.cancel();
    return;
  }
  const auto socket = found != sockets_.end() ? found->second : attach(handle, false);
  socket->wanted = what;
  arm(socket);
}

void CurlLoop::arm(const std::shared_ptr<Socket>& socket) {
  for (const int direction : {CURL_POLL_IN, CURL_POLL_OUT}) {
    if ((socket->wanted & ~socket->waiting & direction) != 0) wait(socket, direction);
  }
}

void CurlLoop::wait(const std::shared_ptr<Socket>& socket, int direction) {
  socket->waiting |= direction;
  const auto type = direction == CURL_POLL_IN ? asio::posix::stream_descriptor::wait_read
                                              : asio::posix::stream_descriptor::wait_write;
  socket->descriptor.async_wait(
      type, [weak = weak_from_this(), socket, direction](boost::system::error_code error) {
        if (const auto loop = weak.lock()) loop->ready(socket, direction, error);
      });
}

void CurlLoop::ready(const std::shared_ptr<Socket>& socket, int direction, boost::system::error_code error) {
  socket->waiting &= ~direction;
  if (!socket->descriptor.is_open()) return;
  // A wait that was cancelled may be wanted again by now; then it only starts anew.
  if ((socket->wanted & direction) != 0 && error != asio::error::operation_aborted) {
    const int events = direction == CURL_POLL_IN ? CURL_CSELECT_IN : CURL_CSELECT_OUT;
    act(socket->descriptor.native_handle(), error ? events | CURL_CSELECT_ERR : events);
  }
  if (socket->descriptor.is_open()) arm(socket);
}

void CurlLoop::set_timer(long wait_ms) {
  if (wait_ms == 0) {
    if (!std::exchange(kick_posted_, true)) {
      asio::post(executor_, [weak = weak_from_this()] {
        if (const auto loop = weak.lock()) loop->kick();
      });
    }
    return;
  }
  if (wait_ms < 0) {
    timer_.cancel();
    return;
  }
  timer_.expires_after(std::chrono::milliseconds(wait_ms));
  timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    if (error) return;
    if (const auto loop = weak.lock()) loop->act(CURL_SOCKET_TIMEOUT, 0);
  });
}

void CurlLoop::kick() {
  kick_posted_ = false;
  act(CURL_SOCKET_TIMEOUT, 0);
}

void CurlLoop::act(curl_socket_t handle, int events) {
  if (!multi_) return;
  int running = 0;
  curl_multi_socket_action(multi_.get(), handle, events, &running);
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;  // The message dies with the removal.
    char* data = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &data);
    auto* job = static_cast<CurlJob*>(static_cast<void*>(data));
    remove(*job);
    job->ended(code);
  }
}

}  // namespace instantstart::net
