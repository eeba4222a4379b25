// encode.cpp: Encoder for Python.
#include "bytepair/encode.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <system_error>

#include "bind.hpp"
#include "bytepair/batch.hpp"
#include "bytepair/files.hpp"

namespace bytepair::bind {
namespace {

constexpr std::size_t kInline = std::size_t{1} << 16;  // bytes of a text that keeps the GIL

/// Python's integers for ids. A list of ids points at them: that is several times faster than to
/// make new ones, and such a list takes a third of the memory.
class Integers {
 public:
  explicit Integers(std::size_t n_ids) : integers_(std::min(n_ids, kMost)) {}
  Integers(const Integers&) = delete;
  Integers& operator=(const Integers&) = delete;
  ~Integers() {
    for (std::size_t id = 0; id < integers_.size(); ++id) Py_XDECREF(integers_[id]);
  }

  /// The GIL is held.
  nb::list list(std::span<const TokenId> ids) const {
    auto list = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(ids.size())));
    if (!list.is_valid()) throw nb::python_error();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      PyObject* integer = get(ids[i]);
      if (integer == nullptr) throw nb::python_error();
      NB_LIST_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), integer);
    }
    return list;
  }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 20;

  /// A new reference.
  PyObject* get(TokenId id) const {
#ifndef Py_GIL_DISABLED  // without a GIL nobody guards the table, and counts are slow to share
    if (id < integers_.size()) {
      PyObject*& integer = integers_[id];
      if (integer == nullptr) integer = PyLong_FromUnsignedLong(id);
      Py_XINCREF(integer);
      return integer;
    }
#endif
    return PyLong_FromUnsignedLong(id);
  }

  PageArray<PyObject*> integers_;
};

/// What Python is asked for.
struct Callbacks {
  nb::callable to_utf8;            // bytes of a str that no codec takes
  nb::callable unknown_character;  // (bytes of the character) -> exception
  nb::callable forbidden_token;    // (position, bytes of the token, where) -> exception
};

/// The core's encoder with what it needs of Python.
struct PyEncoder {
  Encoder core;
  Integers integers;
  Callbacks callbacks;
};

/// The bytes of texts, in place where they are UTF-8 already; they stay as long as this does.
class TextViews {
 public:
  explicit TextViews(const PyEncoder& encoder) : encoder_(encoder) {}

  std::string_view view(nb::handle text) {
    if (PyUnicode_Check(text.ptr())) {
      Py_ssize_t size = 0;
      const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
      if (data != nullptr) return {data, static_cast<std::size_t>(size)};
      PyErr_Clear();  // it holds surrogates
      kept_.push_back(encoder_.callbacks.to_utf8(text));
      return view_of(nb::cast<nb::bytes>(kept_.back()));
    }
    if (PyBytes_Check(text.ptr())) return view_of(nb::borrow<nb::bytes>(text));
    throw nb::type_error("expected str or bytes");
  }

  std::vector<std::string_view> views(const nb::sequence& texts) {
    nb::tuple all(texts);  // nobody can take an item out of it meanwhile
    std::vector<std::string_view> views;
    views.reserve(all.size());
    for (nb::handle text : all) views.push_back(view(text));
    kept_.push_back(std::move(all));
    return views;
  }

 private:
  const PyEncoder& encoder_;
  std::vector<nb::object> kept_;
};

[[noreturn]] void raise(const nb::object& exception) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  throw nb::python_error();
}

/// Makes what the core throws an error of Python; to be called where it is caught.
[[noreturn]] void raise_current(const Callbacks& callbacks, const std::string& where) {
  try {
    throw;
  } catch (const UnknownCharacter& error) {
    raise(callbacks.unknown_character(nb::bytes(error.bytes.data(), error.bytes.size())));
  } catch (const ForbiddenToken& error) {
    raise(callbacks.forbidden_token(error.at, nb::bytes(error.content.data(), error.content.size()),
                                    where));
  }
}

/// What `call` gives, its errors as Python's; with the GIL held throughout.
template <class Call>
auto guarded(const PyEncoder& self, const Call& call) {
  try {
    return call();
  } catch (const UnknownCharacter&) {
    raise_current(self.callbacks, "the text");
  } catch (const ForbiddenToken&) {
    raise_current(self.callbacks, "the text");
  }
}

/// A batch outside the GIL.
Rows run_batch(const PyEncoder& self, TextSource& texts, const Cutter& cutter,
               std::size_t n_threads, bool keeps_ids) {
  Rows rows;
  try {
    const Unlocked unlocked;
    rows = (keeps_ids ? encode_batch : count_batch)(self.core, texts, cutter,
                                                    std::max<std::size_t>(n_threads, 1), keep_going);
  } catch (const RowError& error) {
    try {
      std::rethrow_exception(error.cause);
    } catch (const UnknownCharacter&) {
      raise_current(self.callbacks, "text " + std::to_string(error.row));
    } catch (const ForbiddenToken&) {
      raise_current(self.callbacks, "text " + std::to_string(error.row));
    }
  }
  if (!rows.complete) throw nb::python_error();
  return rows;
}

/// Calls `use` with the ids of one text.
template <class Use>
auto encode_text(const PyEncoder& self, nb::handle text, const Cutter& cutter, const Use& use) {
  TextViews views(self);
  const auto view = views.view(text);
  if (view.size() > kInline) {
    Texts texts({&view, 1});
    const Rows rows = run_batch(self, texts, cutter, 1, true);
    return use(rows.ids.ids());
  }
  return guarded(self, [&] {
    Encoder::Run run(self.core);
    run.encode(view, cutter);
    return use(run.ids.ids());
  });
}

nb::list encode(const PyEncoder& self, nb::handle text, const Cutter& cutter) {
  return encode_text(self, text, cutter,
                     [&](std::span<const TokenId> ids) { return self.integers.list(ids); });
}

using IdArray = nb::ndarray<nb::numpy, TokenId, nb::ndim<1>>;
using CountArray = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;

/// An array that takes over the memory of the ids.
IdArray ids_array(IdBuffer&& ids) {
  auto* kept = new IdBuffer(std::move(ids));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<IdBuffer*>(p); });
  return {kept->data(), {kept->size()}, owner};
}

IdArray encode_to_numpy(const PyEncoder& self, nb::handle text, const Cutter& cutter) {
  TextViews views(self);
  const auto view = views.view(text);
  if (view.size() > kInline) {
    Texts texts({&view, 1});
    return ids_array(std::move(run_batch(self, texts, cutter, 1, true).ids));
  }
  return encode_text(self, text, cutter, [](std::span<const TokenId> ids) {
    return array_of(std::vector<TokenId>(ids.begin(), ids.end()));
  });
}

std::size_t count(const PyEncoder& self, nb::handle text, const Cutter& cutter) {
  TextViews views(self);
  const auto view = views.view(text);
  if (view.size() > kInline) {
    Texts texts({&view, 1});
    return static_cast<std::size_t>(run_batch(self, texts, cutter, 1, false).offsets.back());
  }
  return guarded(self, [&] {
    Encoder::Run run(self.core, 0, false);
    run.encode(view, cutter);
    return run.n_ids();
  });
}

nb::tuple arrays_of(Rows&& rows) {
  return nb::make_tuple(ids_array(std::move(rows.ids)), array_of(std::move(rows.offsets)));
}

nb::tuple encode_texts(const PyEncoder& self, const nb::sequence& texts, const Cutter& cutter,
                       std::size_t n_threads) {
  TextViews kept(self);
  const auto views = kept.views(texts);
  Texts source(views);
  return arrays_of(run_batch(self, source, cutter, n_threads, true));
}

CountArray count_texts(const PyEncoder& self, const nb::sequence& texts, const Cutter& cutter,
                       std::size_t n_threads) {
  TextViews kept(self);
  const auto views = kept.views(texts);
  Texts source(views);
  auto offsets = run_batch(self, source, cutter, n_threads, false).offsets;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) offsets[i] = offsets[i + 1] - offsets[i];
  offsets.pop_back();
  return array_of(std::move(offsets));
}

nb::tuple encode_files(const PyEncoder& self, const nb::sequence& paths, const nb::bytes& separator,
                       const Cutter& cutter, std::size_t n_threads) {
  std::vector<FileBytes> files;
  for (nb::handle path : paths) {
    PyObject* encoded = nullptr;
    if (PyUnicode_FSConverter(path.ptr(), &encoded) == 0) throw nb::python_error();
    const auto name = nb::steal<nb::bytes>(encoded);
    try {
      files.emplace_back(std::string(view_of(name)));
    } catch (const std::system_error& error) {
      errno = error.code().value();
      PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path.ptr());
      throw nb::python_error();
    }
  }
  std::vector<std::string_view> documents;
  for (const auto& file : files) documents.push_back(file.bytes());
  SeparatedTexts source(documents, std::string(view_of(separator)));
  return arrays_of(run_batch(self, source, cutter, n_threads, true));
}

/// Calls `use` with what encodes a text of so many bytes: outside the GIL if that takes a while.
template <class Use>
void encode_in_one_go(const PyEncoder& self, std::size_t n_bytes, const Use& use) {
  Encoder::Run run(self.core);
  if (n_bytes <= kInline) return use(run);
  run.pause = [] {
    const nb::gil_scoped_acquire gil;
    if (!keep_going()) throw nb::python_error();
  };
  const Unlocked unlocked;
  use(run);
}

/// Ids of the beginning of an unfinished stretch, and how many bytes that was.
nb::tuple encode_part(const PyEncoder& self, const nb::bytes& data, bool is_last, bool is_first,
                      const Cutter& cutter) {
  return guarded(self, [&] {
    std::size_t n_used = 0;
    IdBuffer ids;
    encode_in_one_go(self, data.size(), [&, text = view_of(data)](Encoder::Run& run) {
      n_used = run.encode_part(text, is_last, is_first, cutter);
      ids = std::move(run.ids);
    });
    return nb::make_tuple(self.integers.list(ids.ids()), n_used);
  });
}

/// Collects ids, possible merges left out by chance.
class Dropout : public Encoder::Run::Observer {
 public:
  Dropout(const Words& words, Chance leaves_out) : words_(words), leaves_out_(leaves_out) {}
  void pre_token(std::string_view text) override {
    const auto placed = words_.encode_placed(text, &leaves_out_);
    ids.insert(ids.end(), placed.ids.begin(), placed.ids.end());
  }
  void added_token(std::string_view /*text*/, TokenId id) override { ids.push_back(id); }

  std::vector<TokenId> ids;

 private:
  const Words& words_;
  Chance leaves_out_;
};

nb::list encode_dropout(const PyEncoder& self, nb::handle text, const Cutter& cutter,
                        double dropout, nb::handle seed) {
  if (dropout == 0) return encode(self, text, cutter);
  const auto bits = PyLong_AsUnsignedLongLongMask(seed.ptr());
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  TextViews views(self);
  const auto view = views.view(text);
  return guarded(self, [&] {
    Dropout dropped(self.core.words(), Chance(dropout, bits));
    encode_in_one_go(self, view.size(),
                     [&](Encoder::Run& run) { run.show(view, cutter, dropped); });
    return self.integers.list(dropped.ids);
  });
}

/// Collects ids and where in an unchanged text they come from.
class Spans : public Encoder::Run::Observer {
 public:
  struct Changed {};  // thrown at a part that is not of the text

  Spans(const Words& words, std::string_view text) : words_(words), text_(text) {}

  void pre_token(std::string_view text) override {
    const std::int64_t start = place(text);
    const auto placed = words_.encode_placed(text);
    for (std::size_t i = 0; i < placed.ids.size(); ++i) {
      const bool is_last = i + 1 == placed.ids.size();
      add(placed.ids[i], start + static_cast<std::int64_t>(placed.starts[i]),
          start + static_cast<std::int64_t>(is_last ? text.size() : placed.starts[i + 1]), n_words_);
    }
    ++n_words_;
  }

  void added_token(std::string_view text, TokenId id) override {
    const std::int64_t start = place(text);
    add(id, start, start + static_cast<std::int64_t>(text.size()), -1);
  }

  std::vector<TokenId> ids;
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> ends;
  std::vector<std::int64_t> words;  // -1 for added tokens

 private:
  std::int64_t place(std::string_view text) const {
    const std::less<> before;
    if (before(text.data(), text_.data()) || before(text_.data() + text_.size(), text.data())) {
      throw Changed();
    }
    return text.data() - text_.data();
  }
  void add(TokenId id, std::int64_t start, std::int64_t end, std::int64_t word) {
    ids.push_back(id);
    starts.push_back(start);
    ends.push_back(end);
    words.push_back(word);
  }

  const Words& words_;
  std::string_view text_;
  std::int64_t n_words_ = 0;
};

/// (ids, starts, ends, words), or None if something changes the text.
nb::object encode_spans(const PyEncoder& self, nb::handle text, const Cutter& cutter) {
  TextViews views(self);
  const auto view = views.view(text);
  return guarded(self, [&]() -> nb::object {
    Spans spans(self.core.words(), view);
    try {
      encode_in_one_go(self, view.size(),
                       [&](Encoder::Run& run) { run.show(view, cutter, spans); });
    } catch (const Spans::Changed&) {
      return nb::none();
    }
    return nb::make_tuple(array_of(std::move(spans.ids)), array_of(std::move(spans.starts)),
                          array_of(std::move(spans.ends)), array_of(std::move(spans.words)));
  });
}

/// (id, first byte, last byte + 1) of the tokens of one pre-token.
nb::list encode_word(const PyEncoder& self, const nb::bytes& word) {
  return guarded(self, [&] {
    const auto text = view_of(word);
    const auto placed = self.core.words().encode_placed(text);
    nb::list rows;
    for (std::size_t i = 0; i < placed.ids.size(); ++i) {
      const bool is_last = i + 1 == placed.ids.size();
      rows.append(nb::make_tuple(placed.ids[i], placed.starts[i],
                                 is_last ? text.size() : placed.starts[i + 1]));
    }
    return rows;
  });
}

using Column = Array<std::uint32_t>;

std::vector<std::uint32_t> copied(const Column& column) {
  const auto span = span_of(column);
  return {span.begin(), span.end()};
}

}  // namespace

void bind_encode(nb::module_& m) {
  nb::class_<Words>(m, "Words")
      .def(
          "__init__",
          [](Words* self, const Column& symbols, const Array<std::uint8_t>& kinds,
             const nb::bytes& contents, const Array<std::uint64_t>& offsets, const Column& ids,
             const Column& left, const Column& right, const Column& joined, const Column& rank,
             bool by_bytes, bool marks_begin, bool marks_end, std::optional<Symbol> end,
             std::optional<Symbol> unknown, bool fuse_unknown, const Column& fallback,
             bool whole_words) {
            const Tokens tokens{span_of(symbols), span_of(kinds), view_of(contents),
                                span_of(offsets), copied(ids)};
            const MergeColumns merges{span_of(left), span_of(right), span_of(joined),
                                      span_of(rank)};
            FirstSymbols::Rules rules{by_bytes, marks_begin,  marks_end,       end,
                                      unknown,  fuse_unknown, copied(fallback)};
            const Unlocked unlocked;
            new (self) Words(tokens, merges, std::move(rules), whole_words);
          },
          nb::arg("symbols"), nb::arg("kinds"), nb::arg("contents"), nb::arg("offsets"),
          nb::arg("ids"), nb::arg("left"), nb::arg("right"), nb::arg("joined"), nb::arg("rank"),
          nb::arg("by_bytes"), nb::arg("marks_begin"), nb::arg("marks_end"), nb::arg("end").none(),
          nb::arg("unknown").none(), nb::arg("fuse_unknown"), nb::arg("fallback"),
          nb::arg("whole_words"));

  nb::class_<PyEncoder>(m, "Encoder")
      .def(
          "__init__",
          [](PyEncoder* self, Words& words, const Normalizer& normalizer, const nb::bytes& space,
             const nb::bytes& prefix, bool only_first, const SplitChain& chain,
             std::size_t cache_bytes, std::size_t n_ids, const nb::callable& to_utf8,
             const nb::callable& unknown_character, const nb::callable& forbidden_token) {
            Encoder::Edit edit{std::string(view_of(space)), std::string(view_of(prefix)),
                               only_first};
            new (self) PyEncoder{
                Encoder(normalizer, std::move(edit), chain, std::move(words), cache_bytes),
                Integers(n_ids), {to_utf8, unknown_character, forbidden_token}};
          },
          nb::arg("words"), nb::arg("normalizer"), nb::arg("space"), nb::arg("prefix"),
          nb::arg("only_first"), nb::arg("chain"), nb::arg("cache_bytes"), nb::arg("n_ids"),
          nb::arg("to_utf8"), nb::arg("unknown_character"), nb::arg("forbidden_token"),
          nb::sig("def __init__(self, words: Words, normalizer: Normalizer, space: bytes, "
                  "prefix: bytes, only_first: bool, chain: SplitChain, cache_bytes: int, "
                  "n_ids: int, to_utf8: collections.abc.Callable[[str], bytes], "
                  "unknown_character: collections.abc.Callable[[bytes], Exception], "
                  "forbidden_token: collections.abc.Callable[[int, bytes, str], Exception]) -> "
                  "None"))
      .def("encode", &encode, nb::arg("text"), nb::arg("cutter"),
           nb::sig("def encode(self, text: str | bytes, cutter: Cutter) -> list[int]"))
      .def("encode_to_numpy", &encode_to_numpy, nb::arg("text"), nb::arg("cutter"),
           nb::sig("def encode_to_numpy(self, text: str | bytes, cutter: Cutter) -> "
                   "NDArray[numpy.uint32]"))
      .def("count", &count, nb::arg("text"), nb::arg("cutter"),
           nb::sig("def count(self, text: str | bytes, cutter: Cutter) -> int"))
      .def("encode_batch", &encode_texts, nb::arg("texts"), nb::arg("cutter"), nb::arg("threads"),
           nb::sig("def encode_batch(self, texts: collections.abc.Sequence[str | bytes], cutter: Cutter, "
                   "threads: int) -> tuple[NDArray[numpy.uint32], NDArray[numpy.int64]]"))
      .def("count_batch", &count_texts, nb::arg("texts"), nb::arg("cutter"), nb::arg("threads"),
           nb::sig("def count_batch(self, texts: collections.abc.Sequence[str | bytes], cutter: Cutter, "
                   "threads: int) -> NDArray[numpy.int64]"))
      .def("encode_files", &encode_files, nb::arg("paths"), nb::arg("separator"),
           nb::arg("cutter"), nb::arg("threads"),
           nb::sig("def encode_files(self, paths: collections.abc.Sequence[str], separator: bytes, "
                   "cutter: Cutter, threads: int) -> "
                   "tuple[NDArray[numpy.uint32], NDArray[numpy.int64]]"))
      .def("encode_part", &encode_part, nb::arg("data"), nb::arg("is_last"), nb::arg("is_first"),
           nb::arg("cutter"),
           nb::sig("def encode_part(self, data: bytes, is_last: bool, is_first: bool, "
                   "cutter: Cutter) -> tuple[list[int], int]"))
      .def("encode_dropout", &encode_dropout, nb::arg("text"), nb::arg("cutter"),
           nb::arg("dropout"), nb::arg("seed"),
           nb::sig("def encode_dropout(self, text: str | bytes, cutter: Cutter, dropout: float, "
                   "seed: int) -> list[int]"))
      .def("spans", &encode_spans, nb::arg("text"), nb::arg("cutter"),
           nb::sig("def spans(self, text: str | bytes, cutter: Cutter) -> "
                   "tuple[NDArray[numpy.uint32], NDArray[numpy.int64], NDArray[numpy.int64], "
                   "NDArray[numpy.int64]] | None"))
      .def("encode_word", &encode_word, nb::arg("word"),
           nb::sig("def encode_word(self, word: bytes) -> list[tuple[int, int, int]]"));
}

}  // namespace bytepair::bind
