// Precompiled for tests of rooms without input and output, which don't link Asio's code.
#pragma once

#include "pch_pure.h"

#include <gtest/gtest.h>
