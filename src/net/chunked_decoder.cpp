#include "net/chunked_decoder.h"

#include <algorithm>
#include <optional>

#include "net/http_characters.h"

namespace instantstart::net {

namespace {

/// A size with more digits does not fit any limit; leading zeros count, since they serve nobody.
constexpr int k_most_digits = 15;
/// What may stand between two chunks (size, extension), or behind the last (trailer).
constexpr std::size_t k_longest_framing = 8 * 1024;
/// All framing of one body may take this much, plus k_framing_per_byte for each byte of data: chunks of one
/// byte cost 5, while extensions could otherwise make us read for ever without a body ever growing
/// (CVE-2023-39326 in Go).
constexpr std::size_t k_framing_base = 16 * 1024;
constexpr std::size_t k_framing_per_byte = 8;

constexpr RequestRefusal k_malformed{400, "The chunked body is malformed."};
constexpr RequestRefusal k_too_large{413, "The body is too large."};
constexpr RequestRefusal k_too_much_framing{400, "The chunked body has too much around its data."};

}  // namespace

std::expected<std::size_t, RequestRefusal> ChunkedDecoder::feed(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && state_ != State::done) {
    if (state_ == State::data) {
      const std::string_view data = bytes.substr(at, chunk_left_);
      body_ += data;
      at += data.size();
      chunk_left_ -= data.size();
      if (chunk_left_ == 0) {
        state_ = State::data_cr;
        framing_start_ = framing_;
      }
      continue;
    }
    const auto next = after(bytes[at]);
    if (!next) return std::unexpected(k_malformed);
    if (chunk_left_ > body_limit_ - body_.size()) return std::unexpected(k_too_large);
    state_ = *next;
    ++at;
    ++framing_;
    if (too_much_framing()) return std::unexpected(k_too_much_framing);
  }
  return at;
}

bool ChunkedDecoder::too_much_framing() const {
  return framing_ - framing_start_ > k_longest_framing ||
         framing_ > k_framing_base + k_framing_per_byte * body_.size();
}

std::optional<ChunkedDecoder::State> ChunkedDecoder::after(char c) {
  const auto only = [c](char wanted, State next) { return c == wanted ? std::optional(next) : std::nullopt; };
  switch (state_) {
    case State::size: return after_size(c);
    case State::space: return c == ' ' || c == '\t' ? State::space : only(';', State::extension);
    case State::extension:
      return c == '\r' ? State::size_lf : is_control(c) ? std::nullopt : std::optional(State::extension);
    case State::size_lf: return c == '\n' ? std::optional(begin_data()) : std::nullopt;
    case State::data_cr: return only('\r', State::data_lf);
    case State::data_lf: return only('\n', State::size);
    case State::trailer_start:
      return c == '\r' ? State::end_lf : is_token_char(c) ? std::optional(State::trailer) : std::nullopt;
    case State::trailer:
      return c == '\r' ? State::trailer_lf : is_control(c) ? std::nullopt : std::optional(State::trailer);
    case State::trailer_lf: return only('\n', State::trailer_start);
    case State::end_lf: return only('\n', State::done);
    case State::data:
    case State::done: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<ChunkedDecoder::State> ChunkedDecoder::after_size(char c) {
  if (const int value = hex_value(c); value >= 0) {
    if (++digits_ > k_most_digits) return std::nullopt;
    chunk_left_ = chunk_left_ * 16 + static_cast<std::size_t>(value);
    return State::size;
  }
  if (digits_ == 0) return std::nullopt;
  if (c == '\r') return State::size_lf;
  if (c == ';') return State::extension;
  return c == ' ' || c == '\t' ? std::optional(State::space) : std::nullopt;
}

ChunkedDecoder::State ChunkedDecoder::begin_data() {
  digits_ = 0;
  return chunk_left_ == 0 ? State::trailer_start : State::data;
}

}  // namespace instantstart::net
