// bind.hpp: what the binding files share. Only files in bind/ know Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bytepair/stop.hpp"

namespace bytepair::bind {

namespace nb = nanobind;

void bind_split(nb::module_& m);
void bind_normalize(nb::module_& m);
void bind_special(nb::module_& m);
void bind_count(nb::module_& m);
void bind_json_text(nb::module_& m);
void bind_learn(nb::module_& m);
void bind_load(nb::module_& m);
void bind_encode(nb::module_& m);
void bind_decode(nb::module_& m);
void bind_prune(nb::module_& m);
void bind_tally(nb::module_& m);

/// A C-contiguous one-dimensional array, read in place.
template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Array<T>& array) {
  return {array.data(), array.shape(0)};
}

inline std::string_view view_of(const nb::bytes& bytes) {
  return {static_cast<const char*>(bytes.data()), bytes.size()};
}

/// The bytes of each item; valid while the list lives. Throws TypeError for other items.
inline std::vector<std::string_view> views_of(const nb::list& items) {
  std::vector<std::string_view> views;
  views.reserve(items.size());
  for (nb::handle item : items) views.push_back(view_of(nb::cast<nb::bytes>(item)));
  return views;
}

/// The tokens that lie end to end. Throws std::invalid_argument for offsets beyond the data.
inline std::vector<std::string_view> slices_of(std::string_view data,
                                               std::span<const std::uint64_t> offsets) {
  if (offsets.empty() || !std::ranges::is_sorted(offsets) || offsets.back() > data.size()) {
    throw std::invalid_argument("offsets that do not fit the bytes of the tokens");
  }
  std::vector<std::string_view> slices;
  slices.reserve(offsets.size() - 1);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    slices.push_back(data.substr(offsets[i], offsets[i + 1] - offsets[i]));
  }
  return slices;
}

/// A numpy array that takes over the vector's memory.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> array_of(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

/// Calls that are at work without the GIL right now. Changed and read with the GIL held, or, where
/// there is none, as any other atomic.
inline std::atomic<int> n_unlocked{0};
inline std::atomic<bool> is_ending{false};

/// Releases the GIL for as long as it lives. A thread that asks for the GIL after Python has begun
/// to end is killed by Python before 3.14, which C++ cannot survive: so `wait_for_unlocked`, called
/// before that, waits until every such call is over, and from then on none begins.
class Unlocked {
 public:
  Unlocked() : counted_() {}

 private:
  struct Counted {
    Counted() {
      if (is_ending) throw std::runtime_error("the interpreter is ending");
      ++n_unlocked;
    }
    ~Counted() { --n_unlocked; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
  };
  Counted counted_;  // outlives the release: ends with the GIL held again
  nb::gil_scoped_release release_;
};

/// Bytes of Python's whose content is still to be written, at `memory_of` them.
inline nb::bytes unwritten(std::size_t size) {
  PyObject* bytes = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size));
  if (bytes == nullptr) throw nb::python_error();
  return nb::steal<nb::bytes>(bytes);
}

inline char* memory_of(const nb::bytes& bytes) { return PyBytes_AsString(bytes.ptr()); }

/// Lets Ctrl-C through during long work; call without the GIL. False: an exception is waiting.
inline bool keep_going() {
  const nb::gil_scoped_acquire gil;
  if (is_ending) {
    PyErr_SetNone(PyExc_SystemExit);  // in a thread: ends it without a word
    return false;
  }
  return PyErr_CheckSignals() == 0;
}

/// Calls `work(keep_going)` without the GIL; Ctrl-C comes out as the exception it has raised.
template <class Work>
void interruptibly(const Work& work) {
  try {
    const Unlocked unlocked;
    work(keep_going);
  } catch (const Stopped&) {
    throw nb::python_error();
  }
}

/// To be called when Python is about to end; gives up after a few seconds.
inline void wait_for_unlocked() {
  is_ending = true;
  const nb::gil_scoped_release release;
  for (int i = 0; i < 500 && n_unlocked > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace bytepair::bind
