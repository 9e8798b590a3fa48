// Precompiled for rooms with coroutines.
#pragma once

#include "pch_pure.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
