// split.cpp: Splitter for Python.
#include "bytepair/split.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>

#include "bind.hpp"

namespace bytepair::bind {
namespace {

Behavior behavior_named(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {
      "isolated", "removed", "merged_with_previous", "merged_with_next", "contiguous"};
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) throw std::invalid_argument("no such behavior");
  return static_cast<Behavior>(found - kNames.begin());
}

/// (start, end) of each piece that is not removed.
std::vector<std::pair<std::size_t, std::size_t>> pieces_of(const SplitChain& chain,
                                                           std::string_view text) {
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
  std::vector<std::size_t> ends(Splitter::kBatch);
  SplitChain::Progress progress;
  for (std::size_t start = 0; start < text.size();) {
    const auto n = chain.cut(text, start, true, progress, ends);
    for (const auto marked : std::span(ends).first(n)) {
      const auto end = marked & ~SplitChain::kRemoved;
      if (end == marked) pieces.emplace_back(start, end);
      start = end;
    }
  }
  return pieces;
}

}  // namespace

void bind_split(nb::module_& m) {
  nb::class_<Splitter>(m, "Splitter")
      .def(nb::init<>())
      .def(
          "__init__",
          [](Splitter* self, const Array<std::uint16_t>& pages, const Array<std::uint8_t>& classes,
             std::uint8_t invalid_class, std::uint32_t n_classes,
             const Array<std::uint16_t>& transitions) {
            const auto copy = [](auto span) { return std::vector(span.begin(), span.end()); };
            new (self) Splitter({copy(span_of(pages)), copy(span_of(classes)), invalid_class,
                                 n_classes, copy(span_of(transitions))});
          },
          nb::arg("pages"), nb::arg("classes"), nb::arg("invalid_class"), nb::arg("n_classes"),
          nb::arg("transitions"))
      .def(
          "split",
          [](const Splitter& self, const nb::bytes& data) {
            const auto text = view_of(data);
            std::vector<std::size_t> ends;
            {
              const Unlocked unlocked;
              std::vector<std::size_t> batch(Splitter::kBatch);
              DeadEnds dead_ends;
              for (std::size_t at = 0; at < text.size(); at = ends.back()) {
                const auto n = self.cut(text, at, true, dead_ends, batch);
                ends.insert(ends.end(), batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(n));
              }
            }
            nb::list list;
            for (const auto end : ends) list.append(end);
            return list;
          },
          nb::arg("data"), nb::sig("def split(self, data: bytes) -> list[int]"))
      .def(
          "count",
          [](const Splitter& self, const nb::bytes& data) {
            const auto text = view_of(data);
            const Unlocked unlocked;
            std::vector<std::size_t> batch(Splitter::kBatch);
            DeadEnds dead_ends;
            std::size_t total = 0;
            for (std::size_t at = 0; at < text.size();) {
              const auto n = self.cut(text, at, true, dead_ends, batch);
              total += n;
              at = batch[n - 1];
            }
            return total;
          },
          nb::arg("data"), nb::sig("def count(self, data: bytes) -> int"));

  nb::class_<SplitChain>(m, "SplitChain")
      .def(
          "__init__",
          [](SplitChain* self, const nb::list& steps) {
            std::vector<SplitChain::Step> copies;
            for (nb::handle step : steps) {
              const auto [splitter, behavior, invert] =
                  nb::cast<std::tuple<const Splitter*, std::string, bool>>(step);
              copies.push_back({*splitter, behavior_named(behavior), invert});
            }
            new (self) SplitChain(std::move(copies));
          },
          nb::arg("steps"),
          nb::sig("def __init__(self, steps: list[tuple[Splitter, str, bool]]) -> None"))
      .def(
          "split",
          [](const SplitChain& self, const nb::bytes& data) {
            std::vector<std::pair<std::size_t, std::size_t>> pieces;
            const auto text = view_of(data);
            {
              const Unlocked unlocked;
              pieces = pieces_of(self, text);
            }
            nb::list list;
            for (const auto& [start, end] : pieces) list.append(nb::make_tuple(start, end));
            return list;
          },
          nb::arg("data"), nb::sig("def split(self, data: bytes) -> list[tuple[int, int]]"))
      .def(
          "certain_border",
          [](const SplitChain& self, const nb::bytes& data, std::size_t from, std::size_t to) {
            const auto text = view_of(data);
            const auto place = self.certain_border(text, from, std::min(to, text.size()));
            return place == SplitChain::kNone ? std::nullopt : std::optional(place);
          },
          nb::arg("data"), nb::arg("start"), nb::arg("stop"));
}

}  // namespace bytepair::bind
