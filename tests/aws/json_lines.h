// The shape of every driver here: one JSON object a line on standard input, one a line on standard output.
#pragma once

#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/json.h"

namespace instantstart::aws {

inline std::string text(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (!value || value->is_null()) return "";
  return std::string(value->as_string());
}

inline json::object to_json(const Error& error) {
  return {
      {"error", json::object{{"code", error.code}, {"message", error.message}, {"detail", error.detail}}}};
}

/// What `answer` gives for each line, until the input ends. A failing line is answered with its error.
template <class Answer>
int run_lines(Answer answer) {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto value = parse_json(line, {.max_bytes = std::size_t{16} << 20});
    if (!value) {
      std::cerr << value.error().message << "\n";
      return 1;
    }
    const Result<json::object> result = answer(value->as_object());
    std::cout << to_text(result ? *result : to_json(result.error())) << std::endl;
  }
  return 0;
}

}  // namespace instantstart::aws
