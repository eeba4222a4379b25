// count.cpp: Counter for Python.
#include "bytepair/count.hpp"

#include <nanobind/stl/optional.h>

#include <cerrno>
#include <optional>
#include <system_error>

#include "bind.hpp"

namespace bytepair::bind {

namespace {

/// Counts without the GIL. Ctrl-C and `stop` end it: a watch, where there is one, looks for both.
template <class Work>
void interruptibly(Counter& counter, const Work& work) {
  try {
    const Unlocked unlocked;
    counter.watch(keep_going);
    work();
  } catch (const Stopped&) {
    if (PyErr_Occurred() == nullptr) PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
}

}  // namespace

void bind_count(nb::module_& m) {
  nb::class_<Counter>(m, "Counter")
      .def(
          "__init__",
          [](Counter* self, const SplitChain& chain, const nb::list& special_tokens) {
            std::vector<std::string> contents;
            for (const auto view : views_of(special_tokens)) contents.emplace_back(view);
            new (self) Counter(chain, SpecialMatcher(std::move(contents)));
          },
          nb::arg("chain"), nb::arg("special_tokens"),
          nb::sig("def __init__(self, chain: SplitChain, special_tokens: list[bytes]) -> None"))
      .def(
          "feed",
          [](Counter& self, const nb::list& documents, std::int64_t position) {
            const auto views = views_of(documents);
            interruptibly(self, [&] {
              for (const auto view : views) {
                self.feed(view, position);
                position += static_cast<std::int64_t>(view.size());
              }
            });
          },
          nb::arg("documents"), nb::arg("position"),
          nb::sig("def feed(self, documents: list[bytes], position: int) -> None"))
      .def(
          "feed_part",
          [](Counter& self, const nb::bytes& data, std::int64_t position, bool is_last) {
            const auto view = view_of(data);
            std::size_t n = 0;
            interruptibly(self, [&] { n = self.feed_part(view, position, is_last); });
            return n;
          },
          nb::arg("data"), nb::arg("position"), nb::arg("is_last"))
      .def(
          "feed_file",
          [](Counter& self, const nb::bytes& path, std::size_t start, std::size_t end,
             std::int64_t position) {
            const std::string name(view_of(path));
            std::size_t n = 0;
            try {
              interruptibly(self, [&] { n = self.feed_file(name, start, end, position); });
            } catch (const std::system_error& error) {
              errno = error.code().value();
              PyErr_SetFromErrno(PyExc_OSError);
              throw nb::python_error();
            }
            return n;
          },
          nb::arg("path"), nb::arg("start"), nb::arg("end"), nb::arg("position"))
      .def("stop", &Counter::stop)
      .def("n_bytes", &Counter::n_bytes)
      .def("clear", &Counter::clear)
      .def(
          "border",
          [](const Counter& self, const nb::bytes& document, std::size_t start) {
            const auto view = view_of(document);
            const Unlocked unlocked;
            const auto place = self.border(view, start);
            return place == Counter::kNone ? std::nullopt : std::optional(place);
          },
          nb::arg("document"), nb::arg("start"))
      .def("merge", &Counter::merge, nb::arg("other"), nb::call_guard<Unlocked>())
      .def(
          "add",
          [](Counter& self, const nb::bytes& data, const Array<std::int64_t>& offsets,
             const Array<std::int64_t>& counts, const Array<std::int64_t>& first,
             std::int64_t position) {
            const auto view = view_of(data);
            interruptibly(self, [&] {
              self.add(view, span_of(offsets), span_of(counts), span_of(first), position);
            });
          },
          nb::arg("data"), nb::arg("offsets"), nb::arg("counts"), nb::arg("first"),
          nb::arg("position"),
          nb::sig("def add(self, data: bytes, offsets: NDArray[numpy.int64], "
                  "counts: NDArray[numpy.int64], first: NDArray[numpy.int64], position: int) "
                  "-> None"))
      .def(
          "add_cut",
          [](Counter& self, const nb::bytes& data, const Array<std::int64_t>& offsets,
             const Array<std::int64_t>& counts, const Array<std::int64_t>& first) {
            const auto view = view_of(data);
            interruptibly(self, [&] {
              self.add_cut(view, span_of(offsets), span_of(counts), span_of(first));
            });
          },
          nb::arg("data"), nb::arg("offsets"), nb::arg("counts"), nb::arg("first"),
          nb::sig("def add_cut(self, data: bytes, offsets: NDArray[numpy.int64], "
                  "counts: NDArray[numpy.int64], first: NDArray[numpy.int64]) -> None"))
      .def(
          "result",
          [](const Counter& self, int n_bits, std::size_t share) {
            if (n_bits < 0 || n_bits > 16) throw std::invalid_argument("n_bits must be 0 to 16");
            WordCounts counts;
            {
              const Unlocked unlocked;
              counts = self.result(n_bits, share);
            }
            return nb::make_tuple(nb::bytes(counts.data.data(), counts.data.size()),
                                  array_of(std::move(counts.offsets)),
                                  array_of(std::move(counts.counts)),
                                  array_of(std::move(counts.first)));
          },
          nb::arg("n_bits") = 0, nb::arg("share") = 0,
          nb::sig("def result(self, n_bits: int = 0, share: int = 0) -> tuple[bytes, NDArray[numpy.int64], NDArray[numpy.int64], "
                  "NDArray[numpy.int64]]"));
}

}  // namespace bytepair::bind
