// bind.hpp: what the binding files share. Only files in bind/ know Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace bytepair::bind {

namespace nb = nanobind;

void bind_split(nb::module_& m);
void bind_count(nb::module_& m);
void bind_learn(nb::module_& m);
void bind_encode(nb::module_& m);
void bind_decode(nb::module_& m);

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

/// A numpy array that takes over the vector's memory.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> array_of(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

/// Lets Ctrl-C through during long work; call without the GIL. False: an exception is waiting.
inline bool keep_going() {
  const nb::gil_scoped_acquire gil;
  return PyErr_CheckSignals() == 0;
}

}  // namespace bytepair::bind
