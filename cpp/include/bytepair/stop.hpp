// bytepair/stop.hpp: how long work is given up. No Python.
#pragma once

#include <functional>
#include <stdexcept>

namespace bytepair {

/// Called now and then during long work, on the calling thread; returns false to give up.
using KeepGoing = std::function<bool()>;

/// Work was given up because somebody said so.
struct Stopped : std::runtime_error {
  Stopped() : std::runtime_error("stopped") {}
};

}  // namespace bytepair
