#include "net/testing/refused_requests.h"

namespace instantstart::net {

namespace {

using namespace std::string_literals;

std::string get_with(const std::string& fields) { return "GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n"; }

std::string post_with(const std::string& fields, const std::string& body = "") {
  return "POST / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n" + body;
}

std::string line(const std::string& request_line) { return request_line + "\r\nHost: a\r\n\r\n"; }

std::vector<RefusedRequest> framing() {
  return {
      {"both lengths", post_with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400},
      {"both, the other way round", post_with("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), 400},
      {"two lengths that differ", post_with("Content-Length: 5\r\nContent-Length: 6\r\n"), 400},
      {"two lengths that agree", post_with("Content-Length: 5\r\nContent-Length: 5\r\n"), 400},
      {"a list of lengths", post_with("Content-Length: 5, 5\r\n"), 400},
      {"a signed length", post_with("Content-Length: +5\r\n"), 400},
      {"a negative length", post_with("Content-Length: -5\r\n"), 400},
      {"a hexadecimal length", post_with("Content-Length: 0x5\r\n"), 400},
      {"an empty length", post_with("Content-Length:\r\n"), 400},
      {"a length past 64 bits", post_with("Content-Length: 99999999999999999999\r\n"), 400},
      {"a large body", post_with("Content-Length: 1048577\r\n"), 413},
      {"a large chunk", post_with("Transfer-Encoding: chunked\r\n", "100001\r\n"), 413},
      {"an unknown coding", post_with("Transfer-Encoding: gzip\r\n"), 501},
      {"an unknown coding before chunked", post_with("Transfer-Encoding: gzip, chunked\r\n"), 501},
      {"identity", post_with("Transfer-Encoding: identity\r\n"), 501},
      {"an almost chunked", post_with("Transfer-Encoding: xchunked\r\n"), 501},
      {"a hidden chunked", post_with("Transfer-Encoding: chunked\x0b\r\n"), 400},
      {"chunked not last", post_with("Transfer-Encoding: chunked, gzip\r\n"), 400},
      {"chunked twice", post_with("Transfer-Encoding: chunked, chunked\r\n"), 400},
      {"two codings", post_with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400},
      {"a coding in HTTP/1.0", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       400},
      {"a bad chunk size", post_with("Transfer-Encoding: chunked\r\n", "x\r\n"), 400},
      {"an unknown expectation", post_with("Expect: a-miracle\r\nContent-Length: 1\r\n"), 417},
  };
}

std::vector<RefusedRequest> request_lines() {
  return {
      {"absolute form", line("GET http://a/ HTTP/1.1"), 400},
      {"authority form", line("GET a:80 HTTP/1.1"), 400},
      {"asterisk form", line("OPTIONS * HTTP/1.1"), 400},
      {"no target", line("GET HTTP/1.1"), 400},
      {"an empty target", line("GET  HTTP/1.1"), 400},
      {"a space in the target", line("GET /a b HTTP/1.1"), 400},
      {"a tab for a space", line("GET\t/\tHTTP/1.1"), 400},
      {"a fragment", line("GET /a#b HTTP/1.1"), 400},
      {"raw UTF-8 in the target", line("GET /\xC3\xA9 HTTP/1.1"), 400},
      {"a space before the method", line(" GET / HTTP/1.1"), 400},
      {"a space behind the version", line("GET / HTTP/1.1 "), 400},
      {"a method that is not a token", line("G{}T / HTTP/1.1"), 400},
      {"no version", line("GET /"), 400},
      {"a version of another protocol", line("GET / ICY/1.1"), 400},
      {"a version in small letters", line("GET / http/1.1"), 400},
      {"HTTP/1.2", line("GET / HTTP/1.2"), 505},
      {"HTTP/0.9", line("GET / HTTP/0.9"), 505},
      {"HTTP/2", line("GET / HTTP/2"), 505},
      {"HTTP/3.0", line("GET / HTTP/3.0"), 505},
      {"the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      {"CONNECT", line("CONNECT a:443 HTTP/1.1"), 501},
      {"a very long method", line(std::string(40, 'A') + " / HTTP/1.1"), 501},
      {"a long target", line("GET /" + std::string(8 * 1024, 'a') + " HTTP/1.1"), 414},
      {"a target without end", "GET /" + std::string(9 * 1024, 'a'), 414},
      {"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"s, 400},
      {"two empty lines first", "\r\n\r\n" + line("GET / HTTP/1.1"), 400},
  };
}

std::vector<RefusedRequest> fields() {
  return {
      {"no Host", "GET / HTTP/1.1\r\n\r\n", 400},
      {"no Host in HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", 400},
      {"two Hosts", get_with("Host: b\r\n"), 400},
      {"two equal Hosts", get_with("host: a\r\n"), 400},
      {"an empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400},
      {"a Host with a space", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400},
      {"a Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
      {"a Host with a user", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400},
      {"a folded line", get_with("X: a\r\n b\r\n"), 400},
      {"a folded line with a tab", get_with("X: a\r\n\tb\r\n"), 400},
      {"a folded first line", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400},
      {"a space before the colon", get_with("X : a\r\n"), 400},
      {"a tab before the colon", get_with("X\t: a\r\n"), 400},
      {"a space before the name", "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n Y: b\r\n\r\n", 400},
      {"no colon", get_with("X\r\n"), 400},
      {"no name", get_with(": a\r\n"), 400},
      {"a name that is not a token", get_with("X{}: a\r\n"), 400},
      {"a name in UTF-8", get_with("X\xC3\xA9: a\r\n"), 400},
      {"NUL in a value", get_with("X: a\0b\r\n"s), 400},
      {"NUL in a name", get_with("X\0: a\r\n"s), 400},
      {"a bare CR in a value", get_with("X: a\rb\r\n"), 400},
      {"a bare CR at the end", get_with("X: a\r\r\n"), 400},
      {"a bare LF", "GET / HTTP/1.1\nHost: a\n\n", 400},
      {"a bare LF behind a value", get_with("X: a\nY: b\r\n"), 400},
      {"an escape in a value", get_with("X: \x1b[31m\r\n"), 400},
      {"DEL in a value", get_with("X: a\x7f\r\n"), 400},
      {"a large header", get_with("X: " + std::string(32 * 1024, 'a') + "\r\n"), 431},
      {"a header without end", "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(33 * 1024, 'a'), 431},
  };
}

}  // namespace

const std::vector<RefusedRequest>& refused_requests() {
  static const std::vector<RefusedRequest> k_all = [] {
    std::vector<RefusedRequest> all = framing();
    for (auto& one : request_lines()) all.push_back(std::move(one));
    for (auto& one : fields()) all.push_back(std::move(one));
    return all;
  }();
  return k_all;
}

}  // namespace instantstart::net
