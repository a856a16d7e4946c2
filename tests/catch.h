// Catch2, whose CHECK takes the place of ours inside a test file: include it last.
#pragma once

#include "protocol/base/check.h"

#undef CHECK
#include <catch2/catch.hpp>
