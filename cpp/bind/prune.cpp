// prune.cpp: Pruner for Python.
#include "bytepair/prune.hpp"

#include "bind.hpp"

namespace bytepair::bind {
namespace {

PruneStrategy strategy_of(std::string_view name) {
  if (name == "leaves") return PruneStrategy::kLeaves;
  if (name == "whole-words") return PruneStrategy::kWholeWords;
  if (name == "residues") return PruneStrategy::kResidues;
  throw std::invalid_argument("strategy must be 'leaves', 'whole-words' or 'residues'");
}

nb::list advance(Pruner& self, std::size_t room, std::int64_t max_cost, std::int64_t max_total) {
  std::vector<Removal> removals;
  {
    const Unlocked unlocked;
    removals = self.next(room, max_cost, max_total);
  }
  nb::list list;
  for (const auto& [symbol, cost] : removals) list.append(nb::make_tuple(symbol, cost));
  return list;
}

}  // namespace

void bind_prune(nb::module_& m) {
  nb::class_<Pruner>(m, "Pruner")
      .def(
          "__init__",
          [](Pruner* self, const Array<std::uint32_t>& symbols, const Array<std::int64_t>& offsets,
             const Array<std::int64_t>& counts, const Array<std::int64_t>& whole,
             const Array<std::uint32_t>& left, const Array<std::uint32_t>& right,
             const Array<std::uint32_t>& joined, const Array<std::uint32_t>& rank,
             const Array<std::uint32_t>& contents, const Array<std::int64_t>& content_offsets,
             const Array<std::uint8_t>& removable, const nb::str& strategy) {
            const auto kind = strategy_of(strategy.c_str());
            const PruneTask task{span_of(symbols),
                                 span_of(offsets),
                                 span_of(counts),
                                 span_of(whole),
                                 {span_of(left), span_of(right), span_of(joined), span_of(rank)},
                                 span_of(contents),
                                 span_of(content_offsets),
                                 span_of(removable)};
            interruptibly(
                [&](const KeepGoing& go_on) { new (self) Pruner(task, kind, go_on); });
          },
          nb::arg("symbols"), nb::arg("offsets"), nb::arg("counts"), nb::arg("whole"),
          nb::arg("left"), nb::arg("right"), nb::arg("joined"), nb::arg("rank"),
          nb::arg("contents"), nb::arg("content_offsets"), nb::arg("removable"),
          nb::arg("strategy"),
          nb::sig("def __init__(self, symbols: NDArray[numpy.uint32], offsets: NDArray[numpy.int64], "
                  "counts: NDArray[numpy.int64], whole: NDArray[numpy.int64], "
                  "left: NDArray[numpy.uint32], right: NDArray[numpy.uint32], "
                  "joined: NDArray[numpy.uint32], rank: NDArray[numpy.uint32], "
                  "contents: NDArray[numpy.uint32], content_offsets: NDArray[numpy.int64], "
                  "removable: NDArray[numpy.uint8], strategy: str) -> None"))
      .def("advance", &advance, nb::arg("room"), nb::arg("max_cost"), nb::arg("max_total"),
           nb::sig("def advance(self, room: int, max_cost: int, max_total: int) "
                   "-> list[tuple[int, int]]"))
      .def("n_tokens", &Pruner::n_tokens)
      .def(
          "uses",
          [](const Pruner& self) {
            std::vector<std::int64_t> uses;
            {
              const Unlocked unlocked;
              uses = self.uses();
            }
            return array_of(std::move(uses));
          },
          nb::sig("def uses(self) -> NDArray[numpy.int64]"))
      .def(
          "pairs",
          [](const Pruner& self) {
            std::vector<Symbol> left;
            std::vector<Symbol> right;
            for (const auto& pair : self.pairs()) {
              left.push_back(pair.first);
              right.push_back(pair.second);
            }
            return nb::make_tuple(array_of(std::move(left)), array_of(std::move(right)));
          },
          nb::sig("def pairs(self) -> tuple[NDArray[numpy.uint32], NDArray[numpy.uint32]]"));
}

}  // namespace bytepair::bind
