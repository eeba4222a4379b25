// load.cpp: ModelTables for Python.
#include "bytepair/load.hpp"

#include <nanobind/stl/optional.h>

#include <memory>
#include <string>

#include "bind.hpp"

namespace bytepair::bind {
namespace {

/// The file without the two members, so that a JSON library can read the rest.
nb::bytes without_members(const ModelTables& tables, std::string_view json) {
  const bool vocab_first = tables.vocab.begin < tables.merges.begin;
  const Range& one = vocab_first ? tables.vocab : tables.merges;
  const Range& two = vocab_first ? tables.merges : tables.vocab;
  if (two.end > json.size()) throw std::invalid_argument("not the file that was read");
  std::string rest;
  rest += json.substr(0, one.begin);
  rest += vocab_first ? "{}" : "[]";
  rest += json.substr(one.end, two.begin - one.end);
  rest += vocab_first ? "[]" : "{}";
  rest += json.substr(two.end);
  return nb::bytes(rest.data(), rest.size());
}

/// Id -> bytes; None if a token holds what stands for no byte.
nb::object tokens(const ModelTables& tables, bool is_byte_level, const nb::set& left_out) {
  nb::dict result;
  std::string bytes;
  for (std::size_t i = 0; i < tables.ids.size(); ++i) {
    const nb::int_ id(tables.ids[i]);
    if (left_out.contains(id)) continue;
    std::string_view content = tables.spelling(i);
    if (is_byte_level) {
      bytes.clear();
      if (!append_spelt_bytes(content, bytes)) return nb::none();
      content = bytes;
    }
    result[id] = nb::bytes(content.data(), content.size());
  }
  return result;
}

}  // namespace

void bind_load(nb::module_& m) {
  nb::class_<ModelTables>(m, "ModelTables")
      .def_static(
          "read",
          [](const nb::bytes& json) -> std::optional<ModelTables> {
            const auto view = view_of(json);
            const Unlocked unlocked;
            return ModelTables::read(view);
          },
          nb::arg("json"))
      .def("without_members",
           [](const ModelTables& self, const nb::bytes& json) {
             return without_members(self, view_of(json));
           },
           nb::arg("json"))
      .def("find",
           [](const ModelTables& self, const nb::bytes& spelling) {
             return self.find(view_of(spelling));
           },
           nb::arg("spelling"))
      .def("spellings",
           [](const ModelTables& self) {
             nb::dict result;
             for (std::size_t i = 0; i < self.ids.size(); ++i) {
               const auto spelling = self.spelling(i);
               result[nb::str(spelling.data(), spelling.size())] = nb::int_(self.ids[i]);
             }
             return result;
           },
           nb::sig("def spellings(self) -> dict[str, int]"))
      .def("tokens", &tokens, nb::arg("is_byte_level"), nb::arg("left_out"),
           nb::sig("def tokens(self, is_byte_level: bool, left_out: set[int]) -> "
                   "dict[int, bytes] | None"))
      .def("spelling_of",
           [](const ModelTables& self, std::uint32_t id) -> nb::object {
             const auto place = self.place_of(id);
             if (!place) return nb::none();
             const auto spelling = self.spelling(*place);
             return nb::str(spelling.data(), spelling.size());
           },
           nb::arg("id"), nb::sig("def spelling_of(self, id: int) -> str | None"))
      .def("__len__", [](const ModelTables& self) { return self.ids.size(); })
      .def("merges",
           [](const ModelTables& self) {
             return nb::make_tuple(array_of(std::vector(self.left)),
                                   array_of(std::vector(self.right)),
                                   array_of(std::vector(self.joined)));
           },
           nb::sig("def merges(self) -> tuple[NDArray[numpy.uint32], NDArray[numpy.uint32], "
                   "NDArray[numpy.uint32]]"));
}

}  // namespace bytepair::bind
