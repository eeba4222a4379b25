// json_text.cpp: JSON text for Python. What is long is read and written without the GIL, into
// memory that was made with it.
#include "bytepair/json_text.hpp"

#include "bind.hpp"

namespace bytepair::bind {
namespace {

/// Bytes of Python's that are still to be written.
nb::bytes unwritten(std::size_t size) {
  PyObject* bytes = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size));
  if (bytes == nullptr) throw nb::python_error();
  return nb::steal<nb::bytes>(bytes);
}

char* memory_of(const nb::bytes& bytes) { return PyBytes_AsString(bytes.ptr()); }

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
  std::size_t size = 0;
  {
    const Unlocked unlocked;
    size = ids_json_size(span_of(ids));
  }
  nb::bytes json = unwritten(size);
  const Unlocked unlocked;
  write_ids(span_of(ids), memory_of(json));
  return json;
}

nb::object text_json(const nb::bytes& text) {
  std::optional<std::size_t> size;
  {
    const Unlocked unlocked;
    size = string_json_size(view_of(text));
  }
  if (!size) return nb::none();
  nb::bytes json = unwritten(*size);
  const Unlocked unlocked;
  write_string(view_of(text), memory_of(json));
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
