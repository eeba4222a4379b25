// special.cpp: Cutter for Python.
#include "bytepair/special.hpp"

#include "bind.hpp"

namespace bytepair::bind {
namespace {

/// `tokens`: iterator of (content, id, lstrip, rstrip, single_word); there may be a million
std::vector<AddedToken> added_tokens(const nb::iterator& tokens) {
  std::vector<AddedToken> added;
  for (nb::handle item : tokens) {
    const auto row = nb::cast<nb::tuple>(item);
    added.push_back({std::string(view_of(nb::cast<nb::bytes>(row[0]))),
                     nb::cast<std::uint32_t>(row[1]), nb::cast<bool>(row[2]),
                     nb::cast<bool>(row[3]), nb::cast<bool>(row[4])});
  }
  return added;
}

CodeRanges code_ranges(const Array<std::uint32_t>& flat) {
  CodeRanges ranges;
  for (std::size_t i = 0; i + 1 < flat.shape(0); i += 2) {
    ranges.emplace_back(flat.data()[i], flat.data()[i + 1]);
  }
  return ranges;
}

nb::list found_in(const AddedTokens& tokens, std::string_view text) {
  nb::list list;
  AddedTokens::Cursor cursor;
  for (AddedTokens::Found found; tokens.next(text, cursor, found);) {
    list.append(nb::make_tuple(found.start, found.end, found.id));
  }
  return list;
}

}  // namespace

void bind_special(nb::module_& m) {
  nb::class_<Cutter>(m, "Cutter")
      .def(
          "__init__",
          [](Cutter* self, const nb::iterator& original, const nb::iterator& normalized,
             const nb::iterator& forbidden, const Array<std::uint32_t>& word) {
            std::vector<std::string> contents;
            for (nb::handle item : forbidden) {
              contents.emplace_back(view_of(nb::cast<nb::bytes>(item)));
            }
            new (self) Cutter{AddedTokens(added_tokens(original), code_ranges(word)),
                              AddedTokens(added_tokens(normalized), code_ranges(word)),
                              SpecialMatcher(std::move(contents))};
          },
          nb::arg("original"), nb::arg("normalized"), nb::arg("forbidden"), nb::arg("word"),
          nb::sig("def __init__(self, "
                  "original: collections.abc.Iterator[tuple[bytes, int, bool, bool, bool]], "
                  "normalized: collections.abc.Iterator[tuple[bytes, int, bool, bool, bool]], "
                  "forbidden: collections.abc.Iterator[bytes], "
                  "word: NDArray[numpy.uint32]) -> None"))
      .def(
          "in_original",
          [](const Cutter& self, const nb::bytes& text) {
            return found_in(self.original, view_of(text));
          },
          nb::arg("text"),
          nb::sig("def in_original(self, text: bytes) -> list[tuple[int, int, int]]"))
      .def(
          "in_normalized",
          [](const Cutter& self, const nb::bytes& text) {
            return found_in(self.normalized, view_of(text));
          },
          nb::arg("text"),
          nb::sig("def in_normalized(self, text: bytes) -> list[tuple[int, int, int]]"))
      .def(
          "forbidden_span",
          [](const Cutter& self, const nb::bytes& text) {
            const auto view = view_of(text);
            const auto found = self.forbidden.find(view, 0, view.size());
            return nb::make_tuple(found.start, found.size);
          },
          nb::arg("text"), nb::sig("def forbidden_span(self, text: bytes) -> tuple[int, int]"))
      .def(
          "certain_original",
          [](const Cutter& self, const nb::bytes& text) {
            return self.original.certain(view_of(text));
          },
          nb::arg("text"))
      .def(
          "certain_normalized",
          [](const Cutter& self, const nb::bytes& text) {
            return self.normalized.certain(view_of(text));
          },
          nb::arg("text"));
}

}  // namespace bytepair::bind
