// Precompiled for tests of rooms with coroutines.
#pragma once

#include "pch_async.h"

#include <gtest/gtest.h>
