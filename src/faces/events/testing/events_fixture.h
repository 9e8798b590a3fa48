// The events face over a whole back end in virtual time, with clients that are fakes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "access/testing/house.h"
#include "faces/events/events.h"
#include "faces/events/testing/fake_socket.h"

namespace instantstart::faces::testing {

/// A client and what it was told.
struct Client {
  explicit Client(net::Timekeeper& time) : socket(time) {}

  FakeSocket socket;
  bool ended = false;  ///< The server's side of it.

  std::vector<json::object> frames(std::string_view type) const;
  /// Of all events on the topic, in the order they came.
  std::vector<std::int64_t> sequences(std::string_view topic = "operations") const;
  /// Codes of the problems.
  std::vector<std::string> errors() const;
  /// Of all binary frames of a channel, one after the other.
  std::string bytes(std::uint32_t channel) const;
};

class EventsFixture : public ::testing::Test {
 protected:
  ~EventsFixture() override;

  /// Before the first client. A token of "ann" with this role is what clients come with.
  void begin(EventsOptions options = {}, contract::Role role = contract::Role::operator_);
  net::Request request(net::Headers more = {}) const;
  net::Response ask(net::Request request);
  Client& connect();

  /// An operation of three events that is over at once. Its id.
  std::string happen();
  void settle(milliseconds duration = milliseconds(1'000)) { house_.time.run_for(duration); }
  /// Begins with a subscription on channel 1.
  Client& follow(std::string_view topic, std::optional<std::int64_t> cursor, std::int64_t credit = 1'000);

  access::testing::House house_;
  std::unique_ptr<EventsFace> face_;
  std::string token_;
  contract::Role role_ = contract::Role::operator_;
  std::vector<std::unique_ptr<Client>> clients_;
  int shelves_ = 0;
};

/// first, first + 1, … last.
std::vector<std::int64_t> numbers(std::int64_t first, std::int64_t last);

}  // namespace instantstart::faces::testing
