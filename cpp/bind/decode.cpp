// decode.cpp: Decoder for Python.
#include "bytepair/decode.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bind.hpp"

namespace bytepair::bind {
namespace {

constexpr std::size_t kIdsUnderLock = 1 << 14;  // more are decoded without the GIL
constexpr std::size_t kRowsBetweenSignals = 1024;

/// A decoder, and what Python does where ids are not plain ones.
struct PyDecoder {
  Decoder core;
  std::string replace;    // the error handler that stands for "replace"
  nb::object array_type;  // numpy's
  nb::object plain_ids;   // (tokens, row): a list of integers, or the complaint
  nb::object refuse;      // (token, position, largest id, row): the complaint about an unknown id
};

/// Collects ids from Python's integers.
class IdReader {
 public:
  IdReader(const PyDecoder& decoder, bool skip_unknown)
      : decoder_(decoder), skip_unknown_(skip_unknown) {}

  /// Reads a row. At an integer that no id can be it stops, or leaves that out.
  void read(nb::handle tokens, nb::handle row) {
    ids_.clear();
    outside_.reset();
    if (is_read(tokens)) return;
    const nb::object plain = decoder_.plain_ids(tokens, row);
    if (!is_read(plain)) throw nb::type_error("token ids must be integers");
  }

  [[nodiscard]] std::span<const std::uint32_t> ids() const noexcept { return ids_.values(); }
  /// The integer that stopped reading.
  [[nodiscard]] const nb::object& outside() const noexcept { return outside_; }

 private:
  bool is_read(nb::handle tokens) {
    if (PyList_Check(tokens.ptr())) {
      const nb::ft_object_guard guard(tokens);
      return read_items(
          tokens.ptr(), [](PyObject* list) { return NB_LIST_GET_SIZE(list); },
          [](PyObject* list, Py_ssize_t i) { return NB_LIST_GET_ITEM(list, i); });
    }
    if (PyTuple_Check(tokens.ptr())) {
      return read_items(
          tokens.ptr(), [](PyObject* tuple) { return NB_TUPLE_GET_SIZE(tuple); },
          [](PyObject* tuple, Py_ssize_t i) { return NB_TUPLE_GET_ITEM(tuple, i); });
    }
    return nb::isinstance(tokens, decoder_.array_type) && read_array(tokens);
  }

  /// False if an item is no integer.
  template <class Size, class Item>
  bool read_items(PyObject* tokens, Size size, Item item) {
    const Py_ssize_t n = size(tokens);
    std::uint32_t* out = ids_.room(static_cast<std::size_t>(n));
    // The size is asked for again: what an item does to become an integer may change the list.
    for (Py_ssize_t i = 0; i < n && i < size(tokens); ++i) {
      PyObject* token = item(tokens, i);
      nb::object index;
      if (!PyLong_CheckExact(token)) [[unlikely]] {
        index = as_integer(token);
        if (!index.is_valid()) return false;
        token = index.ptr();
      }
      int overflow = 0;
      const long long value = PyLong_AsLongLongAndOverflow(token, &overflow);
      if (overflow == 0 && std::in_range<std::uint32_t>(value)) [[likely]] {
        *out++ = static_cast<std::uint32_t>(value);
      } else if (!skip_unknown_) {
        outside_ = nb::borrow(token);
        break;
      }
    }
    ids_.end_at(out);
    return true;
  }

  static nb::object as_integer(PyObject* token) {
    if (PyBool_Check(token) || !PyIndex_Check(token)) return {};
    const nb::object alive = nb::borrow(token);
    PyObject* index = PyNumber_Index(token);
    if (index == nullptr) PyErr_Clear();
    return nb::steal(index);
  }

  /// False if this is not one row of integers in the byte order of this machine.
  bool read_array(nb::handle tokens) {
    Py_buffer view;
    if (PyObject_GetBuffer(tokens.ptr(), &view, PyBUF_RECORDS_RO) != 0) {
      PyErr_Clear();
      return false;
    }
    const bool is_done = view.ndim == 1 && read_buffer(view);
    PyBuffer_Release(&view);
    return is_done;
  }

  bool read_buffer(const Py_buffer& view) {
    constexpr char kNative = std::endian::native == std::endian::little ? '<' : '>';
    std::string_view format = view.format;
    if (format.size() == 2 && (format[0] == kNative || format[0] == '@' || format[0] == '=')) {
      format.remove_prefix(1);
    }
    if (format.size() != 1) return false;
    if (std::string_view("bhilq").find(format) != std::string_view::npos) {
      return read_width<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(view);
    }
    if (std::string_view("BHILQ").find(format) != std::string_view::npos) {
      return read_width<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(view);
    }
    return false;
  }

  template <class One, class Two, class Four, class Eight>
  bool read_width(const Py_buffer& view) {
    switch (view.itemsize) {
      case 1:
        return read_values<One>(view);
      case 2:
        return read_values<Two>(view);
      case 4:
        return read_values<Four>(view);
      case 8:
        return read_values<Eight>(view);
      default:
        return false;
    }
  }

  template <class T>
  bool read_values(const Py_buffer& view) {
    const auto n = static_cast<std::size_t>(view.shape[0]);
    std::uint32_t* out = ids_.room(n);
    const char* item = static_cast<const char*>(view.buf);
    for (std::size_t i = 0; i < n; ++i, item += view.strides[0]) {
      T value;
      std::memcpy(&value, item, sizeof value);
      if (std::in_range<std::uint32_t>(value)) [[likely]] {
        *out++ = static_cast<std::uint32_t>(value);
      } else if (!skip_unknown_) {
        outside_ = nb::int_(value);
        break;
      }
    }
    ids_.end_at(out);
    return true;
  }

  const PyDecoder& decoder_;
  bool skip_unknown_;
  Buffer<std::uint32_t> ids_;
  nb::object outside_;
};

nb::object checked(PyObject* result) {
  if (result == nullptr) throw nb::python_error();
  return nb::steal(result);
}

/// One call of Python: decodes row after row, in the same memory.
class Call {
 public:
  Call(const PyDecoder& decoder, bool skip_unknown, bool skip_special)
      : decoder_(decoder), options_{skip_unknown, skip_special}, reader_(decoder, skip_unknown) {}

  /// The ids of one row; `row` is its number, or None if it is the only one.
  void read(nb::handle tokens, nb::handle row = nb::none()) {
    reader_.read(tokens, row);
    row_ = nb::borrow(row);
    ids_ = reader_.ids();
  }
  /// The same, of ids that are read already.
  void choose(std::span<const std::uint32_t> ids, nb::handle row) {
    ids_ = ids;
    row_ = nb::borrow(row);
  }

  nb::object bytes() {
    const std::string_view bytes = decode();
    if (ids_.size() <= kIdsUnderLock) return nb::bytes(bytes.data(), bytes.size());
    nb::bytes copy = unwritten(bytes.size());
    const Unlocked unlocked;
    std::ranges::copy(bytes, memory_of(copy));
    return copy;
  }

  nb::object text(const char* errors) {
    const std::string_view bytes = decode();
    return checked(
        PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), errors));
  }

  nb::list tokens() {
    nb::list result;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const auto found = decoder_.core.find(ids_[i]);
      if (!found && !options_.skip_unknown) refuse(nb::int_(ids_[i]), i);
      if (!found || (options_.skip_special && decoder_.core.is_special(ids_[i]))) continue;
      result.append(nb::bytes(found->data(), found->size()));
    }
    refuse_outside();
    return result;
  }

  nb::tuple text_and_starts() {
    bytes_.clear();
    std::vector<std::size_t> ends;
    const DecodedText text = decoder_.core.decode(ids_, options_, bytes_, ends);
    check(text.unknown);
    nb::list starts;
    for (const auto start : char_starts(bytes_, text, ends)) starts.append(start);
    const auto size = static_cast<Py_ssize_t>(text.end - text.begin);
    return nb::make_tuple(checked(PyUnicode_DecodeUTF8(bytes_.data() + text.begin, size, "strict")),
                          starts);
  }

 private:
  std::string_view decode() {
    bytes_.clear();
    const DecodedText text = decode_ids();
    check(text.unknown);
    return {bytes_.data() + text.begin, text.end - text.begin};
  }

  DecodedText decode_ids() {
    if (ids_.size() <= kIdsUnderLock) return decoder_.core.decode(ids_, options_, bytes_);
    const Unlocked unlocked;
    return decoder_.core.decode(ids_, options_, bytes_);
  }

  void check(std::optional<std::size_t> unknown) {
    if (options_.skip_unknown) return;
    if (unknown) refuse(nb::int_(ids_[*unknown]), *unknown);
    refuse_outside();
  }

  void refuse_outside() {
    if (reader_.outside().is_valid()) refuse(reader_.outside(), ids_.size());
  }

  [[noreturn]] void refuse(const nb::object& token, std::size_t position) {
    decoder_.refuse(token, position, decoder_.core.max_id(), row_);
    throw std::logic_error("an unknown id was not refused");
  }

  const PyDecoder& decoder_;
  DecodeOptions options_;
  IdReader reader_;
  std::span<const std::uint32_t> ids_;
  nb::object row_;
  ByteBuffer bytes_;
};

/// `make(call)` for each row: of `rows`, or of the one row that `offsets` cuts.
template <class Make>
nb::list each_row(Call& call, nb::handle rows, nb::handle offsets, const Make& make) {
  nb::list results;
  const auto add = [&] {
    results.append(make(call));
    if (results.size() % kRowsBetweenSignals == 0 && PyErr_CheckSignals() != 0) {
      throw nb::python_error();
    }
  };
  if (offsets.is_none()) {
    for (nb::handle tokens : nb::iter(rows)) {
      call.read(tokens, nb::int_(results.size()));
      add();
    }
    return results;
  }
  const auto array = nb::cast<Array<std::uint32_t>>(rows);
  const auto borders = nb::cast<Array<std::int64_t>>(offsets);
  const auto ids = span_of(array);
  for (std::size_t i = 0; i + 1 < borders.shape(0); ++i) {
    const std::int64_t start = borders.data()[i];
    const std::int64_t end = borders.data()[i + 1];
    if (start < 0 || end < start || std::cmp_greater(end, ids.size())) {
      throw std::invalid_argument("offsets must ascend within the ids");
    }
    call.choose(ids.subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start)),
                nb::int_(i));
    add();
  }
  return results;
}

const char* handler_of(const PyDecoder& self, const char* errors) {
  return std::strcmp(errors, "replace") == 0 ? self.replace.c_str() : errors;
}

bool skips_unknown(const char* errors) { return std::strcmp(errors, "ignore") == 0; }

nb::object decode(const PyDecoder& self, nb::handle tokens, bool skip_unknown, bool skip_special) {
  Call call(self, skip_unknown, skip_special);
  call.read(tokens);
  return call.bytes();
}

nb::object decode_text(const PyDecoder& self, nb::handle tokens, const char* errors,
                       bool skip_special) {
  Call call(self, skips_unknown(errors), skip_special);
  call.read(tokens);
  return call.text(handler_of(self, errors));
}

nb::list decode_batch(const PyDecoder& self, nb::handle rows, nb::handle offsets, bool skip_unknown,
                      bool skip_special) {
  Call call(self, skip_unknown, skip_special);
  return each_row(call, rows, offsets, [](Call& row) { return row.bytes(); });
}

nb::list decode_text_batch(const PyDecoder& self, nb::handle rows, nb::handle offsets,
                           const char* errors, bool skip_special) {
  Call call(self, skips_unknown(errors), skip_special);
  const char* handler = handler_of(self, errors);
  return each_row(call, rows, offsets, [&](Call& row) { return row.text(handler); });
}

nb::list decode_tokens(const PyDecoder& self, nb::handle tokens, bool skip_unknown,
                       bool skip_special) {
  Call call(self, skip_unknown, skip_special);
  call.read(tokens);
  return call.tokens();
}

nb::object decode_token(const PyDecoder& self, nb::handle token) {
  if (std::uint32_t id = 0; PyLong_CheckExact(token.ptr()) && nb::try_cast(token, id)) {
    if (const auto found = self.core.find(id)) return nb::bytes(found->data(), found->size());
  }
  nb::list tokens;  // whatever is wrong is said as it is of several
  tokens.append(token);
  Call call(self, false, false);
  call.read(tokens);
  return call.tokens()[0];
}

nb::tuple decode_with_offsets(const PyDecoder& self, nb::handle tokens) {
  Call call(self, false, false);
  call.read(tokens);
  return call.text_and_starts();
}

std::vector<StripRule> strips_of(const nb::list& items) {
  std::vector<StripRule> strips;
  for (nb::handle item : items) {
    const auto rule = nb::cast<nb::tuple>(item);
    strips.push_back({std::string(view_of(nb::cast<nb::bytes>(rule[0]))),
                      nb::cast<std::size_t>(rule[1]), nb::cast<std::size_t>(rule[2])});
  }
  return strips;
}

/// Throws TypeError for what is no dict[int, bytes]; the edges hold while the dict lives.
void add_edges(const nb::dict& bytes_by_id, Place place, std::vector<Edge>& edges) {
  for (const auto [id, bytes] : bytes_by_id) {
    edges.push_back({nb::cast<std::uint32_t>(id), place, view_of(nb::cast<nb::bytes>(bytes))});
  }
}

}  // namespace

void bind_decode(nb::module_& m) {
  nb::class_<PyDecoder>(m, "Decoder")
      .def(
          "__init__",
          [](PyDecoder* self, const Array<std::uint32_t>& ids, const nb::bytes& data,
             const Array<std::uint64_t>& offsets, const Array<std::uint32_t>& special,
             const nb::dict& first, const nb::dict& last,
             const nb::dict& only, const nb::list& strips, std::string replace,
             nb::object plain_ids, nb::object refuse) {
            const auto views = slices_of(view_of(data), span_of(offsets));
            const auto strip_rules = strips_of(strips);
            std::vector<Edge> edges;
            add_edges(first, Place::kFirst, edges);
            add_edges(last, Place::kLast, edges);
            add_edges(only, Place::kOnly, edges);
            new (self)
                PyDecoder{Decoder({span_of(ids), views, span_of(special), edges, strip_rules}),
                          std::move(replace), nb::module_::import_("numpy").attr("ndarray"),
                          std::move(plain_ids), std::move(refuse)};
          },
          nb::arg("ids"), nb::arg("data"), nb::arg("offsets"), nb::arg("special"),
          nb::arg("first"), nb::arg("last"), nb::arg("only"), nb::arg("strips"), nb::arg("replace"),
          nb::arg("plain_ids"), nb::arg("refuse"),
          nb::sig("def __init__(self, ids: NDArray[numpy.uint32], data: bytes, "
                  "offsets: NDArray[numpy.uint64], special: NDArray[numpy.uint32], "
                  "first: dict[int, bytes], last: dict[int, bytes], only: dict[int, bytes], "
                  "strips: list[tuple[bytes, int, int]], replace: str, plain_ids: object, "
                  "refuse: object) -> None"))
      .def("decode", &decode, nb::arg("tokens").none(), nb::arg("skip_unknown") = false,
           nb::arg("skip_special") = false,
           nb::sig("def decode(self, tokens: object, skip_unknown: bool = False, "
                   "skip_special: bool = False) -> bytes"))
      .def("decode_text", &decode_text, nb::arg("tokens").none(), nb::arg("errors") = "replace",
           nb::arg("skip_special") = false,
           nb::sig("def decode_text(self, tokens: object, errors: str = 'replace', "
                   "skip_special: bool = False) -> str"))
      .def("decode_batch", &decode_batch, nb::arg("rows").none(), nb::arg("offsets") = nb::none(),
           nb::arg("skip_unknown") = false, nb::arg("skip_special") = false,
           nb::sig("def decode_batch(self, rows: object, "
                   "offsets: NDArray[numpy.int64] | None = None, skip_unknown: bool = False, "
                   "skip_special: bool = False) -> list[bytes]"))
      .def("decode_text_batch", &decode_text_batch, nb::arg("rows").none(),
           nb::arg("offsets") = nb::none(), nb::arg("errors") = "replace",
           nb::arg("skip_special") = false,
           nb::sig("def decode_text_batch(self, rows: object, "
                   "offsets: NDArray[numpy.int64] | None = None, errors: str = 'replace', "
                   "skip_special: bool = False) -> list[str]"))
      .def("decode_tokens", &decode_tokens, nb::arg("tokens").none(),
           nb::arg("skip_unknown") = false, nb::arg("skip_special") = false,
           nb::sig("def decode_tokens(self, tokens: object, skip_unknown: bool = False, "
                   "skip_special: bool = False) -> list[bytes]"))
      .def("decode_token", &decode_token, nb::arg("token").none(),
           nb::sig("def decode_token(self, token: object) -> bytes"))
      .def("decode_with_offsets", &decode_with_offsets, nb::arg("tokens").none(),
           nb::sig("def decode_with_offsets(self, tokens: object) -> tuple[str, list[int]]"));
}

}  // namespace bytepair::bind
