// RFC 9457 problem details: how an Error looks on the wire, the same object on every face.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "base/describe.h"
#include "base/error.h"

namespace instantstart::contract {

struct Problem {
  std::string type;   ///< "urn:instantstart:error:not_found"
  std::string title;  ///< The code's title.
  int status = 500;
  std::string detail;  ///< The sentence for people.
  std::string code;    ///< Stable, lower_snake.
  bool retryable = false;
  std::optional<double> retry_after_seconds;
  std::string request_id;
  std::vector<FieldProblem> problems;
  std::vector<NextAction> next;
  boost::json::object context;  ///< Error::detail
};

Type describe(Problem*);

/// It is retryable when the error or the row of its code says so. A code without a row is answered as
/// `internal`, with the message.
Problem to_problem(const Error& error, std::string request_id);
/// The way back, for our own clients. A code that this build doesn't know stays as it is.
Error to_error(const Problem& problem);

}  // namespace instantstart::contract
