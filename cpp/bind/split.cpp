// split.cpp: Splitter for Python.
#include "bytepair/split.hpp"

#include "bind.hpp"

namespace bytepair::bind {

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
              DeadEnds dead_ends;
              for (std::size_t at = 0; at < text.size(); ends.push_back(at)) {
                at = self.next(text, at, true, dead_ends);
              }
            }
            nb::list list;
            for (const auto end : ends) list.append(end);
            return list;
          },
          nb::arg("data"), nb::sig("def split(self, data: bytes) -> list[int]"));
}

}  // namespace bytepair::bind
