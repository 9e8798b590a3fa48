#include "net/tls_stream.h"

#include <openssl/pem.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <string>
#include <utility>

#include <sys/socket.h>

#include <fmt/format.h>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/error_codes.h"
#include "net/openssl_handles.h"

namespace instantstart::net {

namespace {

using boost::system::error_code;

/// A chain longer than this is no chain of ours.
constexpr std::size_t k_identity_bytes = 256 * 1024;
/// RFC 7301 3.1: length and name.
constexpr std::array<unsigned char, 9> k_alpn = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

std::unexpected<Error> unusable(std::string_view what) {
  return fail(codes::invalid_request, fmt::format("{}: {}.", what, openssl::take_reason()));
}

/// OpenSSL's own socket BIO writes with write(2), which raises SIGPIPE when the peer is gone.
int send_bytes(BIO* bio, const char* bytes, std::size_t size, std::size_t* sent) {
  BIO_clear_retry_flags(bio);
  const auto* socket = static_cast<StreamSocket*>(BIO_get_data(bio));
  const ssize_t count = ::send(const_cast<StreamSocket*>(socket)->native_handle(), bytes, size, MSG_NOSIGNAL);
  if (count >= 0) {
    *sent = static_cast<std::size_t>(count);
    return 1;
  }
  if (errno == EAGAIN || errno == EINTR) BIO_set_retry_write(bio);
  return 0;
}

int receive_bytes(BIO* bio, char* into, std::size_t size, std::size_t* received) {
  BIO_clear_retry_flags(bio);
  auto* socket = static_cast<StreamSocket*>(BIO_get_data(bio));
  const ssize_t count = ::recv(socket->native_handle(), into, size, 0);
  if (count > 0) {
    *received = static_cast<std::size_t>(count);
    return 1;
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  if (count == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return 0;
}

long control(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

openssl::Method make_method() {
  openssl::Method method(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "connection"));
  if (!method) return method;
  BIO_meth_set_write_ex(method.get(), send_bytes);
  BIO_meth_set_read_ex(method.get(), receive_bytes);
  BIO_meth_set_ctrl(method.get(), control);
  return method;
}

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_size,
                    const unsigned char* offered, unsigned int offered_size, void*) {
  unsigned char* name = nullptr;
  if (SSL_select_next_proto(&name, chosen_size, k_alpn.data(), k_alpn.size(), offered, offered_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *chosen = name;
  return SSL_TLSEXT_ERR_OK;
}

Result<> use_identity(SSL_CTX* context, const TlsIdentity& identity) {
  if (identity.certificate_pem.size() > k_identity_bytes || identity.key_pem.size() > k_identity_bytes) {
    return fail(codes::invalid_request, "The TLS certificate chain or key is too large.");
  }
  const auto certificates = openssl::reader(identity.certificate_pem);
  const openssl::Certificate own(
      PEM_read_bio_X509(certificates.get(), nullptr, openssl::no_passphrase, nullptr));
  if (!own) return unusable("The TLS certificate cannot be read");
  if (SSL_CTX_use_certificate(context, own.get()) != 1) return unusable("The TLS certificate cannot be used");
  while (true) {
    const openssl::Certificate next(
        PEM_read_bio_X509(certificates.get(), nullptr, openssl::no_passphrase, nullptr));
    if (!next) break;
    if (SSL_CTX_add1_chain_cert(context, next.get()) != 1) return unusable("The TLS chain cannot be used");
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (!at_end) return unusable("The TLS certificate chain cannot be read");
  ERR_clear_error();

  const auto key_text = openssl::reader(identity.key_pem);
  const openssl::Key key(PEM_read_bio_PrivateKey(key_text.get(), nullptr, openssl::no_passphrase, nullptr));
  if (!key) return unusable("The TLS key cannot be read");
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return unusable("The TLS key is not that of the certificate");
  }
  return {};
}

/// A TLS session on a socket. Without renegotiation a read never has to wait for a write and the other way
/// round, but for one case: a peer that asks for new keys (RFC 8446 4.6.3) and does not read. That is treated
/// as broken.
class TlsStream final : public ConnectionStream {
 public:
  TlsStream(StreamSocket socket, SSL_CTX* context, const BIO_METHOD* method)
      : ConnectionStream(std::move(socket)), session_(SSL_new(context)) {
    BIO* bio = BIO_new(method);
    if (!session_ || bio == nullptr) {
      BIO_free(bio);
      session_.reset();
      return;
    }
    BIO_set_data(bio, &this->socket());
    BIO_set_init(bio, 1);
    SSL_set_bio(session_.get(), bio, bio);
    SSL_set_accept_state(session_.get());
  }

  asio::awaitable<bool> handshake() override {
    if (!session_) co_return false;
    while (true) {
      ERR_clear_error();
      const int result = SSL_do_handshake(session_.get());
      if (result == 1) co_return true;
      const int reason = SSL_get_error(session_.get(), result);
      if (reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE) break;
      const bool ready = co_await wait(reason);
      if (!ready) break;
    }
    failed_ = true;
    co_return false;
  }

  ReadResult read_some(std::span<char> into) override {
    ReadResult result;
    while (result.count < into.size() && !failed_) {
      ERR_clear_error();
      std::size_t count = 0;
      const auto rest = into.subspan(result.count);
      const int good = SSL_read_ex(session_.get(), rest.data(), rest.size(), &count);
      result.count += count;
      if (good == 1) continue;
      result.outcome = outcome_of(SSL_get_error(session_.get(), good));
      break;
    }
    if (result.count > 0) {
      result.outcome = ReadOutcome::got_some;
    } else if (failed_) {
      result.outcome = ReadOutcome::broken;
    }
    return result;
  }

  /// An end that was seen together with the last bytes counts: the socket tells of it no second time.
  bool has_buffered() const override {
    return failed_ || SSL_has_pending(session_.get()) == 1 ||
           (SSL_get_shutdown(session_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
  }

  /// In one buffer, since every record costs a system call and some bytes.
  asio::awaitable<bool> write(std::span<const std::string_view> pieces) override {
    std::string bytes;
    for (const auto piece : pieces) bytes += piece;
    std::string_view rest = bytes;
    while (!rest.empty() && !failed_) {
      ERR_clear_error();
      std::size_t count = 0;
      const int good = SSL_write_ex(session_.get(), rest.data(), rest.size(), &count);
      if (good == 1) {
        rest.remove_prefix(count);
        continue;
      }
      const int reason = SSL_get_error(session_.get(), good);
      const bool waits = reason == SSL_ERROR_WANT_WRITE;
      if (!waits) failed_ = true;
      const bool ready = waits && co_await wait(reason);
      if (!ready) co_return false;
    }
    co_return !failed_;
  }

  void end_writing() override {
    if (!failed_ && SSL_is_init_finished(session_.get()) == 1) {
      ERR_clear_error();
      SSL_shutdown(session_.get());
    }
    error_code ignored;  // The peer may be gone already.
    socket().shutdown(StreamSocket::shutdown_send, ignored);
  }

 private:
  asio::awaitable<bool> wait(int reason) {
    error_code error;
    co_await socket().async_wait(
        reason == SSL_ERROR_WANT_READ ? StreamSocket::wait_read : StreamSocket::wait_write,
        asio::redirect_error(asio::use_awaitable, error));
    co_return !error;
  }

  ReadOutcome outcome_of(int reason) {
    if (reason == SSL_ERROR_WANT_READ) return ReadOutcome::nothing_yet;
    if (reason == SSL_ERROR_ZERO_RETURN) return ReadOutcome::ended;
    failed_ = true;
    return ReadOutcome::broken;
  }

  openssl::Session session_;
  bool failed_ = false;
};

}  // namespace

struct TlsServer::State {
  openssl::Context context{SSL_CTX_new(TLS_server_method())};
  openssl::Method method = make_method();
};

TlsServer::TlsServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsServer::TlsServer(TlsServer&& other) noexcept = default;
TlsServer& TlsServer::operator=(TlsServer&& other) noexcept = default;
TlsServer::~TlsServer() = default;

Result<TlsServer> TlsServer::make(const TlsIdentity& identity) {
  ERR_clear_error();
  auto state = std::make_unique<State>();
  SSL_CTX* context = state->context.get();
  if (context == nullptr || !state->method || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) {
    return fail(codes::internal, fmt::format("TLS cannot be set up: {}.", openssl::take_reason()));
  }
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  if (auto used = use_identity(context, identity); !used) return fail(std::move(used.error()));
  return TlsServer(std::move(state));
}

std::unique_ptr<ConnectionStream> TlsServer::make_stream(StreamSocket socket) const {
  return std::make_unique<TlsStream>(std::move(socket), state_->context.get(), state_->method.get());
}

}  // namespace instantstart::net
