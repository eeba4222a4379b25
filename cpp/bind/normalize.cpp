// normalize.cpp: Normalizer for Python.
#include "bytepair/normalize.hpp"

#include <nanobind/stl/string_view.h>

#include "bind.hpp"

namespace bytepair::bind {
namespace {

std::string bytes_at(const nb::tuple& row, std::size_t place) {
  return std::string(view_of(nb::cast<nb::bytes>(row[place])));
}

/// A function of Python, bytes to bytes; called from any thread.
Normalizer::Function function_of(nb::callable function) {
  return [function = std::move(function)](std::string_view text) {
    const nb::gil_scoped_acquire gil;
    return std::string(view_of(nb::cast<nb::bytes>(function(nb::bytes(text.data(), text.size())))));
  };
}

/// The same with the most bytes that it may give.
auto bounded_function_of(nb::callable function) {
  return [function = std::move(function)](std::string_view text, std::size_t limit) {
    const nb::gil_scoped_acquire gil;
    const nb::bytes data(text.data(), text.size());
    return std::string(view_of(nb::cast<nb::bytes>(function(data, limit))));
  };
}

Normalizer::Step step_of(const nb::tuple& row) {
  const auto kind = nb::cast<std::string_view>(row[0]);
  if (kind == "prepend") return Normalizer::Prepend{bytes_at(row, 1)};
  if (kind == "replace") return Normalizer::Replace{bytes_at(row, 1), bytes_at(row, 2)};
  if (kind == "call") return Normalizer::Call{bounded_function_of(nb::cast<nb::callable>(row[1]))};
  if (kind != "form") throw std::invalid_argument("prepend, replace, form or call");
  const auto codes = nb::cast<Array<std::uint32_t>>(row[1]);
  const auto values = nb::cast<Array<std::uint8_t>>(row[2]);
  return Normalizer::Form{QuickCheck(span_of(codes), span_of(values)),
                          function_of(nb::cast<nb::callable>(row[3]))};
}

}  // namespace

void bind_normalize(nb::module_& m) {
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const Overgrown& overgrown) {
      const auto overgrown_error =
          nb::module_::import_("bytepair.normalizers").attr("overgrown")(overgrown.limit);
      PyErr_SetObject(overgrown_error.type().ptr(), overgrown_error.ptr());
    }
  });
  nb::class_<Normalizer>(m, "Normalizer")
      .def(
          "__init__",
          [](Normalizer* self, const nb::list& rows) {
            std::vector<Normalizer::Step> steps;
            for (nb::handle row : rows) steps.push_back(step_of(nb::cast<nb::tuple>(row)));
            new (self) Normalizer(std::move(steps));
          },
          nb::arg("steps"), nb::sig("def __init__(self, steps: list[tuple[typing.Any, ...]]) -> None"))
      .def(
          "apply",
          [](const Normalizer& self, const nb::bytes& text) {
            Normalizer::Buffers buffers;
            const auto changed = self.apply(view_of(text), buffers);
            return nb::bytes(changed.data(), changed.size());
          },
          nb::arg("text"));
}

}  // namespace bytepair::bind
