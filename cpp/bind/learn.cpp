// learn.cpp: Learner for Python.
#include "bytepair/learn.hpp"

#include "bind.hpp"

namespace bytepair::bind {
namespace {

Ties ties_of(std::string_view name) {
  if (name == "order") return Ties::kOrder;
  if (name == "first") return Ties::kFirst;
  if (name == "bytes") return Ties::kBytes;
  throw std::invalid_argument("ties must be 'order', 'first' or 'bytes'");
}

}  // namespace

void bind_learn(nb::module_& m) {
  nb::class_<Learner>(m, "Learner")
      .def(
          "__init__",
          [](Learner* self, const Array<std::uint32_t>& symbols, const Array<std::int64_t>& offsets,
             const Array<std::int64_t>& counts, const nb::list& alphabet,
             const Array<std::uint32_t>& order, const nb::str& ties, std::int64_t min_frequency,
             std::uint32_t max_token_length) {
            LearnOptions options;
            for (const auto view : views_of(alphabet)) options.alphabet.emplace_back(view);
            options.order.assign(order.data(), order.data() + order.shape(0));
            options.ties = ties_of(ties.c_str());
            options.min_frequency = min_frequency;
            options.max_token_length = max_token_length;
            const Words words{span_of(symbols), span_of(offsets), span_of(counts)};
            const Unlocked unlocked;
            new (self) Learner(words, std::move(options));
          },
          nb::arg("symbols"), nb::arg("offsets"), nb::arg("counts"), nb::arg("alphabet"),
          nb::arg("order"), nb::arg("ties"), nb::arg("min_frequency"), nb::arg("max_token_length"),
          nb::sig("def __init__(self, symbols: NDArray[numpy.uint32], offsets: NDArray[numpy.int64], "
                  "counts: NDArray[numpy.int64], alphabet: list[bytes], "
                  "order: NDArray[numpy.uint32], ties: str, min_frequency: int, "
                  "max_token_length: int) -> None"))
      .def(
          "advance",
          [](Learner& self, std::size_t n_merges) {
            std::vector<Merge> merges;
            {
              const Unlocked unlocked;
              while (merges.size() < n_merges) {
                const auto merge = self.next();
                if (!merge) break;
                merges.push_back(*merge);
              }
            }
            nb::list list;
            for (const auto& m : merges) {
              list.append(nb::make_tuple(m.left, m.right, m.joined, m.count));
            }
            return list;
          },
          nb::arg("n_merges"),
          nb::sig("def advance(self, n_merges: int) -> list[tuple[int, int, int, int]]"));
}

}  // namespace bytepair::bind
