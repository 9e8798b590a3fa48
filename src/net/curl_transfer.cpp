#include "net/curl_transfer.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include <fmt/core.h>
#include <boost/asio/ip/address.hpp>

#include "base/error_codes.h"
#include "net/public_address.h"

namespace instantstart::net {

namespace {

namespace ip = boost::asio::ip;

/// A request that must not leave twice only takes a connection that was used within the last 3 seconds
/// (libcurl counts whole ones): below the idle limits of servers (Apache's KeepAliveTimeout is 5 s), so that
/// it hardly ever meets a connection that is just being closed.
constexpr long k_fresh_connection_seconds = 2;
/// libcurl's own default for everything else.
constexpr long k_idle_connection_seconds = 118;
/// A silent peer of a stream is asked after so long, and given up after as many unanswered questions as the
/// kernel's default (9).
constexpr long k_keepalive_idle_seconds = 30;
constexpr long k_keepalive_interval_seconds = 10;

/// A server may announce anything; the memory is taken as the bytes come.
constexpr std::size_t k_most_reserved = 1024 * 1024;

std::optional<ip::address> to_address(const curl_sockaddr& from) {
  if (from.family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &from.addr, sizeof v4);
    return ip::address_v4(ntohl(v4.sin_addr.s_addr));
  }
  if (from.family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &from.addr, sizeof v6);
    ip::address_v6::bytes_type bytes{};
    std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
    return ip::address_v6(bytes);
  }
  return std::nullopt;
}

std::optional<ip::address> parsed(const char* text) {
  boost::system::error_code error;
  const auto address = ip::make_address(text, error);
  return error ? std::nullopt : std::optional(address);
}

}  // namespace

CurlTransfer::CurlTransfer(Timekeeper& time, CurlRequest request, Mode mode)
    : request_(std::move(request)), mode_(mode), signal_(time) {}

CurlTransfer::~CurlTransfer() {
  stop();
  if (code_ != CURLE_OK) return;
  if (const auto home = home_.lock()) home->give_back(std::move(easy_));
}

Result<> CurlTransfer::start(CurlLoop& loop) {
  easy_ = loop.take_handle();
  home_ = loop.weak_from_this();
  if (easy_) {
    configure(loop);
  } else {
    setup_ = CURLE_OUT_OF_MEMORY;
  }
  if (setup_ != CURLE_OK) {
    return fail(codes::internal,
                fmt::format("libcurl can't make this request: {}.", curl_easy_strerror(setup_)));
  }
  auto added = loop.add(*this);
  if (added) loop_ = &loop;
  return added;
}

void CurlTransfer::stop() {
  if (loop_ != nullptr) std::exchange(loop_, nullptr)->remove(*this);
}

void CurlTransfer::ended(CURLcode code) {
  loop_ = nullptr;
  code_ = code;
  signal_.notify();
}

asio::awaitable<bool> CurlTransfer::finished() {
  while (!ended() && !given_up_) co_await signal_.wait(Deadline::never());
  co_return ended();
}

asio::awaitable<bool> CurlTransfer::head_complete() {
  while (!ended() && !head_.complete() && !given_up_) co_await signal_.wait(Deadline::never());
  co_return ended() || head_.complete();
}

void CurlTransfer::give_up() {
  given_up_ = true;
  signal_.notify();
}

asio::awaitable<bool> CurlTransfer::changed(Deadline deadline) { return signal_.wait(deadline); }

std::optional<Error> CurlTransfer::error() const {
  if (!code_ || (*code_ == CURLE_OK && head_.complete())) return std::nullopt;
  CurlFailure failure{.code = *code_,
                      .stop = stop_,
                      .sent = sent(),
                      .status = head_.complete() ? head_.status() : 0,
                      .limit = request_.what.max_response_bytes,
                      .own_bundle = !request_.what.ca_bundle_pem.empty(),
                      .origin = request_.origin,
                      .address = refused_address_,
                      .text = text_[0] != '\0' ? text_.data() : curl_easy_strerror(*code_)};
  // One address may be refused and the next one tried; then what happened there counts.
  const bool at_connect = *code_ == CURLE_COULDNT_CONNECT || *code_ == CURLE_ABORTED_BY_CALLBACK;
  if (stop_ == CurlStop::address_refused && !at_connect) failure.stop = CurlStop::none;
  return to_error(failure);
}

std::string CurlTransfer::take_body() {
  std::string taken = std::exchange(body_, {});
  if (loop_ != nullptr && std::exchange(paused_, false)) {
    // Hands over what libcurl held back, into on_body, before it returns.
    if (const CURLcode code = curl_easy_pause(easy_.get(), CURLPAUSE_CONT); code != CURLE_OK) {
      stop();
      ended(code);
    }
  }
  return taken;
}

std::string CurlTransfer::peer_address() const {
  const char* address = nullptr;
  curl_easy_getinfo(easy_.get(), CURLINFO_PRIMARY_IP, &address);
  return address != nullptr ? address : "";
}

bool CurlTransfer::on_header(std::string_view line) {
  switch (head_.add_line(line)) {
    case CurlResponseHead::Verdict::more: return true;
    case CurlResponseHead::Verdict::malformed: stop_ = CurlStop::head_malformed; return false;
    case CurlResponseHead::Verdict::too_large: stop_ = CurlStop::head_too_large; return false;
    case CurlResponseHead::Verdict::complete: break;
  }
  if (mode_ == Mode::stream) {
    signal_.notify();
    return true;
  }
  curl_off_t announced = -1;
  curl_easy_getinfo(easy_.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced);
  if (announced <= 0 || request_.head || head_.status() == 304) return true;
  const auto length = static_cast<std::size_t>(announced);
  if (length > request_.what.max_response_bytes) {
    stop_ = CurlStop::body_too_large;
    return false;
  }
  body_.reserve(std::min(length, k_most_reserved));
  return true;
}

std::size_t CurlTransfer::on_body(std::string_view piece) {
  if (mode_ == Mode::stream) {
    if (body_.size() >= k_stream_buffer) {
      paused_ = true;
      return CURL_WRITEFUNC_PAUSE;
    }
    body_ += piece;
    signal_.notify();
    return piece.size();
  }
  if (piece.size() > request_.what.max_response_bytes - body_.size()) {
    stop_ = CurlStop::body_too_large;
    return 0;
  }
  body_ += piece;
  return piece.size();
}

bool CurlTransfer::on_send(const char* address) {
  if (!may_send_now()) return false;
  // The connection may be one that an earlier request, with other rights, opened.
  if (!request_.what.allow_private_target && !may_connect(parsed(address))) return false;
  ++attempts_;
  return true;
}

curl_socket_t CurlTransfer::on_open_socket(const curl_sockaddr& address) {
  if (!may_send_now()) return CURL_SOCKET_BAD;
  if (!request_.what.allow_private_target && !may_connect(to_address(address))) return CURL_SOCKET_BAD;
  return loop_->open_socket(address.family, address.socktype, address.protocol);
}

/// libcurl itself repeats a request when a reused connection ends before the first byte of an answer
/// (whatever the method, and whether or not the server read the request), and an HTTP/2 request that the
/// server refused.
bool CurlTransfer::may_send_now() {
  if (attempts_ == 0 || request_.repeatable) return true;
  stop_ = CurlStop::sent_before;
  return false;
}

bool CurlTransfer::may_connect(const std::optional<ip::address>& address) {
  if (address && is_public_address(*address)) return true;
  stop_ = CurlStop::address_refused;
  refused_address_ = address ? address->to_string() : "(not an IP address)";
  return false;
}

template <class T>
void CurlTransfer::set(CURLoption option, T value) {
  static_assert(std::is_pointer_v<T> || std::is_same_v<T, long> || std::is_same_v<T, curl_off_t>);
  const CURLcode code = curl_easy_setopt(easy_.get(), option, value);
  if (setup_ == CURLE_OK) setup_ = code;
}

void CurlTransfer::configure(CurlLoop& loop) {
  configure_callbacks(loop);
  configure_connection();
  configure_message();
}

void CurlTransfer::configure_callbacks(CurlLoop& loop) {
  using Self = CurlTransfer*;
  auto* self = static_cast<void*>(this);
  set(CURLOPT_PRIVATE, static_cast<void*>(static_cast<CurlJob*>(this)));
  set(CURLOPT_ERRORBUFFER, text_.data());
  set(CURLOPT_HEADERDATA, self);
  set(
      CURLOPT_HEADERFUNCTION, +[](char* line, std::size_t, std::size_t size, void* data) -> std::size_t {
        return static_cast<Self>(data)->on_header({line, size}) ? size : 0;
      });
  set(CURLOPT_WRITEDATA, self);
  set(
      CURLOPT_WRITEFUNCTION, +[](char* piece, std::size_t, std::size_t size, void* data) -> std::size_t {
        return static_cast<Self>(data)->on_body({piece, size});
      });
  set(CURLOPT_PREREQDATA, self);
  set(
      CURLOPT_PREREQFUNCTION, +[](void* data, char* address, char*, int, int) -> int {
        return static_cast<Self>(data)->on_send(address) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
      });
  set(CURLOPT_OPENSOCKETDATA, self);
  set(
      CURLOPT_OPENSOCKETFUNCTION, +[](void* data, curlsocktype, curl_sockaddr* address) -> curl_socket_t {
        return static_cast<Self>(data)->on_open_socket(*address);
      });
  // Connections outlive the transfer that opened them, so they are closed by the loop.
  set(CURLOPT_CLOSESOCKETDATA, static_cast<void*>(&loop));
  set(CURLOPT_CLOSESOCKETFUNCTION, &CurlLoop::close_socket);
}

void CurlTransfer::configure_connection() {
  const ClientRequest& what = request_.what;
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION,
      static_cast<long>(mode_ == Mode::stream ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS));
  set(CURLOPT_CONNECTTIMEOUT_MS, std::max(1L, static_cast<long>(what.connect_timeout.count())));
  set(CURLOPT_MAXAGE_CONN, request_.repeatable ? k_idle_connection_seconds : k_fresh_connection_seconds);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_TCP_KEEPIDLE, k_keepalive_idle_seconds);
  set(CURLOPT_TCP_KEEPINTVL, k_keepalive_interval_seconds);
  set(CURLOPT_NOSIGNAL, 1L);
  // Without it, giving up while a name is being resolved would block the loop until the resolver returns.
  set(CURLOPT_QUICK_EXIT, 1L);
  // Else the proxy variables of the environment count.
  if (request_.loopback_host || !what.allow_private_target || !what.use_proxy) set(CURLOPT_PROXY, "");
  set(CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);

  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!what.ca_bundle_pem.empty()) {
    // The request lives as long as the handle, so nothing is copied. CAPATH would add the system's roots.
    curl_blob bundle{.data = request_.what.ca_bundle_pem.data(),
                     .len = request_.what.ca_bundle_pem.size(),
                     .flags = CURL_BLOB_NOCOPY};
    set(CURLOPT_CAINFO_BLOB, &bundle);
    set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  }
}

void CurlTransfer::configure_message() {
  const ClientRequest& what = request_.what;
  set(CURLOPT_URL, what.url.c_str());
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  set(CURLOPT_HTTPHEADER, request_.headers.list());
  if (request_.head) {
    set(CURLOPT_NOBODY, 1L);
    return;
  }
  if (request_.with_body) {
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(what.body.size()));
    set(CURLOPT_POSTFIELDS, what.body.c_str());
  }
  if (what.method != (request_.with_body ? "POST" : "GET")) set(CURLOPT_CUSTOMREQUEST, what.method.c_str());
}

}  // namespace instantstart::net
