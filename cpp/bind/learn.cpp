// learn.cpp: Learner for Python.
#include "bytepair/learn.hpp"

#include <type_traits>

#include "bind.hpp"

namespace bytepair::bind {
namespace {

Ties ties_of(std::string_view name) {
  if (name == "order") return Ties::kOrder;
  if (name == "first") return Ties::kFirst;
  if (name == "bytes") return Ties::kBytes;
  throw std::invalid_argument("ties must be 'order', 'first' or 'bytes'");
}

std::vector<Merge> advance(Learner& learner, std::size_t n_merges) {
  // Between calls no thread is there, also after Ctrl-C: the process may fork.
  struct Rest {
    Learner& learner;
    ~Rest() { learner.rest(); }
  };
  std::vector<Merge> merges;
  interruptibly([&](const KeepGoing& go_on) {
    const Rest rest{learner};
    while (merges.size() < n_merges) {
      const auto merge = learner.next(go_on);
      if (!merge) break;
      merges.push_back(*merge);
    }
  });
  return merges;
}

}  // namespace

void bind_learn(nb::module_& m) {
  nb::class_<Learner>(m, "Learner")
      .def(
          "__init__",
          [](Learner* self, const Array<std::uint32_t>& symbols,
             const Array<std::uint8_t>& byte_symbols, const Array<std::int64_t>& offsets,
             const Array<std::int64_t>& counts, const nb::list& alphabet,
             const Array<std::uint32_t>& lengths, const Array<std::uint32_t>& order, const nb::str& ties,
             std::int64_t min_frequency, std::uint32_t max_token_length, std::size_t threads,
             const nb::list& blocked, const nb::list& blocked_left, const nb::list& blocked_right,
             const nb::list& spellings) {
            LearnOptions options;
            for (const auto view : views_of(alphabet)) options.alphabet.emplace_back(view);
            options.lengths.assign(lengths.data(), lengths.data() + lengths.shape(0));
            options.order.assign(order.data(), order.data() + order.shape(0));
            options.ties = ties_of(ties.c_str());
            options.min_frequency = min_frequency;
            options.max_token_length = max_token_length;
            options.effort.n_threads = threads;
            for (const auto view : views_of(blocked)) options.blocked.emplace_back(view);
            for (const auto view : views_of(spellings)) options.spellings.emplace_back(view);
            const auto left = views_of(blocked_left);
            const auto right = views_of(blocked_right);
            if (left.size() != right.size()) throw std::invalid_argument("half a blocked pair");
            for (std::size_t i = 0; i < left.size(); ++i) {
              options.blocked_pairs.emplace_back(left[i], right[i]);
            }
            const Words words{span_of(symbols), span_of(offsets), span_of(counts),
                              span_of(byte_symbols)};
            interruptibly([&](const KeepGoing& go_on) {
              new (self) Learner(words, std::move(options), go_on);
            });
          },
          nb::arg("symbols"), nb::arg("byte_symbols"), nb::arg("offsets"), nb::arg("counts"),
          nb::arg("alphabet"), nb::arg("lengths"), nb::arg("order"), nb::arg("ties"),
          nb::arg("min_frequency"), nb::arg("max_token_length"), nb::arg("threads"),
          nb::arg("blocked"), nb::arg("blocked_left"), nb::arg("blocked_right"),
          nb::arg("spellings"),
          nb::sig("def __init__(self, symbols: NDArray[numpy.uint32], "
                  "byte_symbols: NDArray[numpy.uint8], offsets: NDArray[numpy.int64], "
                  "counts: NDArray[numpy.int64], alphabet: list[bytes], "
                  "lengths: NDArray[numpy.uint32], order: NDArray[numpy.uint32], ties: str, "
                  "min_frequency: int, max_token_length: int, threads: int, blocked: list[bytes], "
                  "blocked_left: list[bytes], blocked_right: list[bytes], "
                  "spellings: list[bytes]) -> None"))
      .def(
          "advance",
          [](Learner& self, std::size_t n_merges) {
            const auto merges = advance(self, n_merges);
            const auto column = [&merges](auto Merge::* field) {
              std::vector<std::remove_reference_t<decltype(std::declval<Merge>().*field)>> values;
              values.reserve(merges.size());
              for (const auto& merge : merges) values.push_back(merge.*field);
              return array_of(std::move(values));
            };
            return nb::make_tuple(column(&Merge::left), column(&Merge::right),
                                  column(&Merge::joined), column(&Merge::count));
          },
          nb::arg("n_merges"),
          nb::sig("def advance(self, n_merges: int) -> tuple[NDArray[numpy.uint32], "
                  "NDArray[numpy.uint32], NDArray[numpy.uint32], NDArray[numpy.int64]]"))
      .def("in_view", [](const Learner& self) {
        const auto [n_queued, n_pairs] = self.in_view();
        return nb::make_tuple(n_queued, n_pairs);
      }, nb::sig("def in_view(self) -> tuple[int, int]"));
  m.def(
      "join_words",
      [](const Array<std::uint32_t>& symbols, const Array<std::uint8_t>& byte_symbols,
         const Array<std::int64_t>& offsets, const Array<std::int64_t>& counts,
         const Array<std::uint32_t>& left, const Array<std::uint32_t>& right,
         const Array<std::uint32_t>& joined, const Array<std::uint32_t>& rank,
         std::size_t n_symbols, std::size_t threads) {
        const Words words{span_of(symbols), span_of(offsets), span_of(counts),
                          span_of(byte_symbols)};
        const MergeColumns merges{span_of(left), span_of(right), span_of(joined), span_of(rank)};
        SymbolRows rows;
        interruptibly([&](const KeepGoing& go_on) {
          rows = join_words(words, merges, n_symbols, go_on, threads);
        });
        return nb::make_tuple(array_of(std::move(rows.symbols)), array_of(std::move(rows.offsets)));
      },
      nb::arg("symbols"), nb::arg("byte_symbols"), nb::arg("offsets"), nb::arg("counts"),
      nb::arg("left"), nb::arg("right"), nb::arg("joined"), nb::arg("rank"), nb::arg("n_symbols"),
      nb::arg("threads") = 1,
      nb::sig("def join_words(symbols: NDArray[numpy.uint32], byte_symbols: NDArray[numpy.uint8], "
              "offsets: NDArray[numpy.int64], counts: NDArray[numpy.int64], "
              "left: NDArray[numpy.uint32], right: NDArray[numpy.uint32], "
              "joined: NDArray[numpy.uint32], rank: NDArray[numpy.uint32], n_symbols: int, "
              "threads: int = 1) "
              "-> tuple[NDArray[numpy.uint32], NDArray[numpy.int64]]"));
}

}  // namespace bytepair::bind
