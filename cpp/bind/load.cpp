// load.cpp: what formats read with, for Python.
#include "bytepair/load.hpp"

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "bytepair/halves.hpp"
#include "bytepair/ranks.hpp"
#include "bytepair/spelling.hpp"

namespace bytepair::bind {
namespace {

std::string_view text_of(const Array<std::uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.shape(0)};
}

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

/// (ids, bytes of all tokens one after the other, where each begins and the last ends); None if a
/// token holds what stands for no byte. `left_out`: ids, ascending.
nb::object tokens(const ModelTables& tables, bool is_byte_level,
                  const Array<std::uint32_t>& left_out) {
  std::vector<std::uint32_t> ids;
  std::vector<std::uint64_t> offsets = {0};
  ids.reserve(tables.ids.size());
  offsets.reserve(tables.ids.size() + 1);
  std::string data;
  data.reserve(tables.n_bytes());
  const auto others = span_of(left_out);
  for (std::size_t i = 0; i < tables.ids.size(); ++i) {
    if (std::ranges::binary_search(others, tables.ids[i])) continue;
    const std::string_view spelling = tables.spelling(i);
    if (!is_byte_level) {
      data += spelling;
    } else if (!append_spelt_bytes(spelling, data)) {
      return nb::none();
    }
    ids.push_back(tables.ids[i]);
    offsets.push_back(data.size());
  }
  return nb::make_tuple(array_of(std::move(ids)), nb::bytes(data.data(), data.size()),
                        array_of(std::move(offsets)));
}

nb::tuple take_merges(ModelTables& tables) {
  return nb::make_tuple(array_of(std::exchange(tables.left, {})),
                        array_of(std::exchange(tables.right, {})),
                        array_of(std::exchange(tables.joined, {})));
}

/// The UTF-8 of a text, which the text keeps; nothing for what is no text or has surrogates.
std::optional<std::string_view> utf8_of(nb::handle text) {
  Py_ssize_t size = 0;
  const char* const data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (data == nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  return std::string_view(data, static_cast<std::size_t>(size));
}

/// (left, right, joined) as ids, or None, see `ModelTables::of`.
nb::object merges_of(const nb::dict& id_by_token, const nb::list& lines) {
  std::vector<std::string_view> tokens;
  std::vector<std::uint32_t> ids;
  std::vector<std::string_view> merges;
  for (const auto [token, id] : id_by_token) {
    const auto view = utf8_of(token);
    if (!view) return nb::none();
    tokens.push_back(*view);
    ids.push_back(nb::cast<std::uint32_t>(id));
  }
  for (const nb::handle line : lines) {
    const auto view = utf8_of(line);
    if (!view) return nb::none();
    merges.push_back(*view);
  }
  auto tables = ModelTables::of(tokens, ids, merges);
  if (!tables) return nb::none();
  return take_merges(*tables);
}

/// (n strings behind their lengths of eight bytes, how many bytes that is). ValueError where the
/// data ends, or a string is not UTF-8.
nb::tuple strings(const Array<std::uint8_t>& data, std::uint64_t n, bool is_little) {
  const std::string_view bytes = text_of(data);
  nb::list values;
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    std::uint64_t size = 0;
    for (std::size_t k = 0; k < 8 && at + k < bytes.size(); ++k) {
      const auto byte = std::uint64_t{static_cast<unsigned char>(bytes[at + k])};
      size |= byte << (8 * (is_little ? k : 7 - k));
    }
    at += 8;
    if (at > bytes.size() || size > bytes.size() - at) {
      throw std::invalid_argument("it ends amid its metadata");
    }
    PyObject* const text = PyUnicode_DecodeUTF8(bytes.data() + at, static_cast<Py_ssize_t>(size),
                                                nullptr);
    if (text == nullptr) throw nb::python_error();
    values.append(nb::steal(text));
    at += size;
  }
  return nb::make_tuple(values, at);
}

/// (ids, bytes of all tokens one after the other, offsets), or None.
nb::object ranks_of(const nb::bytes& file) {
  std::optional<Ranks> ranks;
  {
    const Unlocked unlocked;
    ranks = read_ranks(view_of(file));
  }
  if (!ranks) return nb::none();
  return nb::make_tuple(array_of(std::move(ranks->ids)),
                        nb::bytes(ranks->data.data(), ranks->data.size()),
                        array_of(std::move(ranks->offsets)));
}

/// (left, right, whole), see `halves_of`; the values are places.
nb::tuple halves(const nb::bytes& data, const Array<std::uint64_t>& offsets) {
  const auto texts = slices_of(view_of(data), span_of(offsets));
  Halves found;
  {
    const Unlocked unlocked;
    found = halves_of(texts);
  }
  return nb::make_tuple(array_of(std::move(found.left)), array_of(std::move(found.right)),
                        array_of(std::move(found.whole)));
}

}  // namespace

void bind_load(nb::module_& m) {
  nb::class_<ModelTables>(m, "ModelTables")
      .def_static(
          "read",
          [](const Array<std::uint8_t>& json) -> std::optional<ModelTables> {
            const auto view = text_of(json);
            const Unlocked unlocked;
            return ModelTables::read(view);
          },
          nb::arg("json"))
      .def("without_members",
           [](const ModelTables& self, const Array<std::uint8_t>& json) {
             return without_members(self, text_of(json));
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
           nb::sig("def tokens(self, is_byte_level: bool, left_out: NDArray[numpy.uint32]) -> "
                   "tuple[NDArray[numpy.uint32], bytes, NDArray[numpy.uint64]] | None"))
      .def("spelling_of",
           [](const ModelTables& self, std::uint32_t id) -> nb::object {
             const auto place = self.place_of(id);
             if (!place) return nb::none();
             const auto spelling = self.spelling(*place);
             return nb::str(spelling.data(), spelling.size());
           },
           nb::arg("id"), nb::sig("def spelling_of(self, id: int) -> str | None"))
      .def("__len__", [](const ModelTables& self) { return self.ids.size(); })
      .def("take_merges", &take_merges,
           nb::sig("def take_merges(self) -> tuple[NDArray[numpy.uint32], NDArray[numpy.uint32], "
                   "NDArray[numpy.uint32]]"));
  m.def("merges", &merges_of, nb::arg("id_by_token"), nb::arg("lines"),
        nb::sig("def merges(id_by_token: dict[str, int], lines: list[str]) -> "
                "tuple[NDArray[numpy.uint32], NDArray[numpy.uint32], NDArray[numpy.uint32]] | "
                "None"));
  m.def("strings", &strings, nb::arg("data"), nb::arg("n"), nb::arg("is_little"),
        nb::sig("def strings(data: NDArray[numpy.uint8], n: int, is_little: bool) -> "
                "tuple[list[str], int]"));
  m.def("read_ranks", &ranks_of, nb::arg("file"),
        nb::sig("def read_ranks(file: bytes) -> "
                "tuple[NDArray[numpy.uint32], bytes, NDArray[numpy.uint64]] | None"));
  m.def("halves", &halves, nb::arg("data"), nb::arg("offsets"),
        nb::sig("def halves(data: bytes, offsets: NDArray[numpy.uint64]) -> "
                "tuple[NDArray[numpy.uint32], NDArray[numpy.uint32], NDArray[numpy.uint32]]"));
}

}  // namespace bytepair::bind
