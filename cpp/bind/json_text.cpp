// json_text.cpp: JSON text for Python. What is long is read and written without the GIL, into
// memory that was made with it.
#include "bytepair/json_text.hpp"

#include "bind.hpp"

namespace bytepair::bind {
namespace {

constexpr std::size_t kUnderLock = 1 << 14;

/// Calls `work`, without the GIL if there is much to do. Who releases it for a moment only, again
/// and again, takes it back before any thread that waits for it has woken up.
template <class Work>
auto maybe_unlocked(std::size_t n_items, const Work& work) {
  if (n_items <= kUnderLock) return work();
  const Unlocked unlocked;
  return work();
}

nb::object take_out(const nb::bytes& json, std::size_t shortest, std::size_t most_values,
                    std::uint64_t mark) {
  const std::string_view text = view_of(json);
  std::optional<LongParts> found;
  std::string shortened;
  {
    const Unlocked unlocked;
    found = find_long(text, shortest, most_values);
    if (found && !found->parts.empty()) shortened = with_marks(text, found->parts, mark);
  }
  if (!found) return nb::none();
  nb::list parts;
  if (found->parts.empty()) return nb::make_tuple(json, parts, found->n_values);
  std::vector<std::pair<std::string_view, char*>> to_read;
  for (LongPart& part : found->parts) {
    if (!part.is_text()) {
      parts.append(array_of(std::move(part.ids)));
      continue;
    }
    const nb::bytes bytes = unwritten(part.n_bytes);
    to_read.emplace_back(text.substr(part.begin, part.end - part.begin), memory_of(bytes));
    parts.append(bytes);
  }
  {
    const Unlocked unlocked;
    for (const auto& [quoted, out] : to_read) read_string(quoted, out);
  }
  return nb::make_tuple(nb::bytes(shortened.data(), shortened.size()), parts, found->n_values);
}

nb::bytes ids_json(const Array<std::uint32_t>& ids) {
  const auto span = span_of(ids);
  const std::size_t size = maybe_unlocked(span.size(), [&] { return ids_json_size(span); });
  nb::bytes json = unwritten(size);
  maybe_unlocked(span.size(), [&] { write_ids(span, memory_of(json)); });
  return json;
}

nb::object text_json(const nb::bytes& text) {
  const auto view = view_of(text);
  const auto size = maybe_unlocked(view.size(), [&] { return string_json_size(view); });
  if (!size) return nb::none();
  nb::bytes json = unwritten(*size);
  maybe_unlocked(view.size(), [&] { write_string(view, memory_of(json)); });
  return json;
}

}  // namespace

void bind_json_text(nb::module_& m) {
  m.def("take_out", &take_out, nb::arg("json"), nb::arg("shortest"), nb::arg("most_values"),
        nb::arg("mark"),
        nb::sig("def take_out(json: bytes, shortest: int, most_values: int, mark: int) -> "
                "tuple[bytes, list[bytes | NDArray[numpy.uint32]], int] | None"));
  m.def("ids_json", &ids_json, nb::arg("ids"),
        nb::sig("def ids_json(ids: NDArray[numpy.uint32]) -> bytes"));
  m.def("text_json", &text_json, nb::arg("text"),
        nb::sig("def text_json(text: bytes) -> bytes | None"));
}

}  // namespace bytepair::bind
