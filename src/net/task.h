// Task<T>: a coroutine that ends in a value or an Error. It runs on the executor of the loop that started it;
// nothing in it may block. Asio's cancellation reaches it at every co_await.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "base/result.h"

namespace instantstart {

namespace asio = boost::asio;

template <class T = void>
using Task = asio::awaitable<Result<T>>;

}  // namespace instantstart
