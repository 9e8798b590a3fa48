// What a command does that calls the running server: a loop of its own and a client.
#pragma once

#include <exception>
#include <functional>
#include <optional>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "base/log.h"
#include "net/http_client.h"
#include "net/task.h"
#include "net/time.h"

namespace instantstart::app {

/// Runs `work(client, time)`, a coroutine, to its end and returns what it answers. `work` outlives the call.
template <class Answer, class Work>
Answer run_client(const Work& work) {
  asio::io_context context(1);
  net::SystemTimekeeper time;
  std::optional<Answer> answer;
  std::exception_ptr broken;
  auto client = net::make_curl_client(context.get_executor(), time, Log());
  asio::co_spawn(context, work(*client, time), [&](std::exception_ptr thrown, Answer answered) {
    broken = thrown;
    answer = std::move(answered);
  });
  context.run();
  if (broken) std::rethrow_exception(broken);
  return std::move(*answer);
}

}  // namespace instantstart::app
