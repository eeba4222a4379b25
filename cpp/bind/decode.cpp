// decode.cpp: Decoder for Python.
#include "bytepair/decode.hpp"

#include "bind.hpp"

namespace bytepair::bind {

void bind_decode(nb::module_& m) {
  nb::class_<Decoder>(m, "Decoder")
      .def(
          "__init__",
          [](Decoder* self, const Array<std::uint32_t>& ids, const nb::list& contents) {
            new (self) Decoder(span_of(ids), views_of(contents));
          },
          nb::arg("ids"), nb::arg("contents"),
          nb::sig("def __init__(self, ids: NDArray[numpy.uint32], contents: list[bytes]) -> None"))
      .def(
          "decode",
          [](const Decoder& self, const Array<std::uint32_t>& ids, bool skip_unknown) {
            std::string bytes;
            std::optional<std::size_t> unknown;
            {
              const Unlocked unlocked;
              unknown = self.decode(span_of(ids), skip_unknown, bytes);
            }
            return nb::make_tuple(nb::bytes(bytes.data(), bytes.size()),
                                  unknown ? nb::object(nb::int_(*unknown)) : nb::none());
          },
          nb::arg("ids"), nb::arg("skip_unknown"),
          nb::sig("def decode(self, ids: NDArray[numpy.uint32], skip_unknown: bool) -> "
                  "tuple[bytes, int | None]"));
}

}  // namespace bytepair::bind
