// Bodies that keep coming in: reading one with a limit of time, and in pieces of a bounded size.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "net/http_client.h"
#include "net/task.h"
#include "net/time.h"

namespace instantstart::kube {

/// The next piece, or nullopt at the end (see ClientBodyStream::error). Error `deadline_exceeded`: nothing
/// came in time; the stream is to be closed.
Task<std::optional<std::string>> next_piece(net::Timekeeper& time, net::ClientBodyStream& body,
                                            net::Deadline deadline);

/// All of a body, at most `most` bytes; a longer one is cut. Closes the stream. An end that HTTP does not
/// allow is the stream's error.
Task<std::string> read_body(net::Timekeeper& time, std::unique_ptr<net::ClientBodyStream> body,
                            std::size_t most, net::Deadline deadline);

/// The same bytes in pieces of at most `most`, after those of `first`.
std::unique_ptr<net::ClientBodyStream> in_pieces(std::unique_ptr<net::ClientBodyStream> body,
                                                 std::size_t most, std::string first = "");

/// A body that is here already.
std::unique_ptr<net::ClientBodyStream> stream_of(std::string text);

}  // namespace instantstart::kube
