// encode.cpp: Encoder for Python.
#include "bytepair/encode.hpp"

#include <nanobind/stl/string.h>

#include "bind.hpp"

namespace bytepair::bind {
namespace {

nb::list list_of(const std::vector<TokenId>& ids) {
  nb::list list;
  for (const auto id : ids) list.append(id);
  return list;
}

/// `table`: dict[bytes, int]
TokenByBytes token_by_bytes(const nb::dict& table) {
  TokenByBytes tokens;
  tokens.reserve(table.size());
  for (const auto [content, id] : table) {
    tokens.emplace(view_of(nb::cast<nb::bytes>(content)), nb::cast<TokenId>(id));
  }
  return tokens;
}

std::vector<TokenId> encode(const Encoder& self, std::string_view text) {
  std::vector<TokenId> ids;
  bool complete;
  {
    const Unlocked unlocked;
    complete = self.encode(text, ids, keep_going);
  }
  if (!complete) throw nb::python_error();
  return ids;
}

nb::tuple encode_batch(const Encoder& self, const nb::list& documents, std::size_t threads) {
  const auto views = views_of(documents);
  Encoder::Rows rows;
  {
    const Unlocked unlocked;
    rows = self.encode_batch(views, threads, keep_going);
  }
  if (!rows.complete) throw nb::python_error();
  return nb::make_tuple(array_of(std::move(rows.ids)), array_of(std::move(rows.offsets)));
}

}  // namespace

void bind_encode(nb::module_& m) {
  nb::exception<UnknownCharacter>(m, "UnknownCharacter");
  nb::class_<Encoder>(m, "Encoder")
      .def(
          "__init__",
          [](Encoder* self, const Splitter& splitter, const Array<std::uint32_t>& left,
             const Array<std::uint32_t>& right, const Array<std::uint32_t>& joined,
             const Array<std::uint32_t>& rank, const Array<std::uint32_t>& byte_ids,
             const nb::object& characters, const nb::object& end_of_word, const nb::dict& whole) {
            FirstSymbols first;
            first.byte_ids.assign(byte_ids.data(), byte_ids.data() + byte_ids.shape(0));
            if (!characters.is_none()) {
              first.by_character = true;
              first.characters = token_by_bytes(nb::cast<nb::dict>(characters));
            }
            if (!end_of_word.is_none()) first.end_of_word = nb::cast<TokenId>(end_of_word);
            new (self) Encoder(
                splitter, std::move(first),
                {span_of(left), span_of(right), span_of(joined), span_of(rank)},
                token_by_bytes(whole));
          },
          nb::arg("splitter"), nb::arg("left"), nb::arg("right"), nb::arg("joined"),
          nb::arg("rank"), nb::arg("byte_ids"), nb::arg("characters").none(),
          nb::arg("end_of_word").none(), nb::arg("whole"),
          nb::sig("def __init__(self, splitter: Splitter, left: NDArray[numpy.uint32], "
                  "right: NDArray[numpy.uint32], joined: NDArray[numpy.uint32], "
                  "rank: NDArray[numpy.uint32], byte_ids: NDArray[numpy.uint32], "
                  "characters: dict[bytes, int] | None, end_of_word: int | None, "
                  "whole: dict[bytes, int]) -> None"))
      .def(
          "encode",
          [](const Encoder& self, const nb::bytes& text) {
            return list_of(encode(self, view_of(text)));
          },
          nb::arg("text"), nb::sig("def encode(self, text: bytes) -> list[int]"))
      .def(
          "count",
          [](const Encoder& self, const nb::bytes& text) {
            return encode(self, view_of(text)).size();
          },
          nb::arg("text"))
      .def(
          "encode_cut",
          [](const Encoder& self, const nb::bytes& text, const Array<std::uint64_t>& ends) {
            std::vector<TokenId> ids;
            const auto view = view_of(text);
            const std::vector<std::size_t> cuts(ends.data(), ends.data() + ends.shape(0));
            {
              const Unlocked unlocked;
              self.encode_cut(view, cuts, ids);
            }
            return list_of(ids);
          },
          nb::arg("text"), nb::arg("ends"),
          nb::sig("def encode_cut(self, text: bytes, ends: NDArray[numpy.uint64]) -> list[int]"))
      .def("encode_batch", &encode_batch, nb::arg("documents"), nb::arg("threads"),
           nb::sig("def encode_batch(self, documents: list[bytes], threads: int) -> "
                   "tuple[NDArray[numpy.uint32], NDArray[numpy.int64]]"));
}

}  // namespace bytepair::bind
