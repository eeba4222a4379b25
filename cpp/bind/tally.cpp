// tally.cpp: tally for Python.
#include "bytepair/tally.hpp"

#include "bind.hpp"

namespace bytepair::bind {

void bind_tally(nb::module_& m) {
  m.def(
      "tally",
      [](const Array<std::uint32_t>& ids, const Array<std::int64_t>& offsets,
         const Array<std::uint32_t>& shapes) {
        std::vector<std::int64_t> uses(shapes.shape(0));
        WordTally words;
        {
          const Unlocked unlocked;
          words = tally(span_of(ids), span_of(offsets), span_of(shapes), uses);
        }
        return nb::make_tuple(array_of(std::move(uses)), words.n_words, words.n_divided);
      },
      nb::arg("ids"), nb::arg("offsets"), nb::arg("shapes"),
      nb::sig("def tally(ids: NDArray[numpy.uint32], offsets: NDArray[numpy.int64], "
              "shapes: NDArray[numpy.uint32]) -> tuple[NDArray[numpy.int64], int, int]"));
}

}  // namespace bytepair::bind
