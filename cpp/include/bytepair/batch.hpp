// bytepair/batch.hpp: many texts on many threads. No Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bytepair/encode.hpp"
#include "bytepair/memory.hpp"

namespace bytepair {

/// Called now and then during long work, on the calling thread; returns false to give up.
using KeepGoing = std::function<bool()>;

/// The ids of many texts, one row each: row i is ids[offsets[i] .. offsets[i + 1]).
struct Rows {
  IdBuffer ids;
  std::vector<std::int64_t> offsets;
  bool complete = true;  // false: gave up
};

/// What went wrong in one of many texts.
struct RowError : std::runtime_error {
  RowError(std::size_t number, std::exception_ptr why)
      : std::runtime_error("a text cannot be encoded"), row(number), cause(std::move(why)) {}
  std::size_t row;
  std::exception_ptr cause;
};

/// Hands out the texts of a batch in order, some at a time.
class TextSource {
 public:
  /// Texts of consecutive rows.
  struct Share {
    std::size_t first_row = 0;
    std::vector<std::string_view> texts;
    std::size_t n_before = 0;  // bytes of the first row in earlier shares: its text goes on here
  };
  TextSource() = default;
  virtual ~TextSource() = default;
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;

  /// The next share, of about `n_bytes` unless a text is longer; false if there are no more.
  /// One thread at a time.
  virtual bool next(std::size_t n_bytes, Share& share) = 0;
  /// All texts together, as far as known; not less.
  [[nodiscard]] virtual std::size_t n_bytes() const = 0;
};

/// Texts that are there one by one.
class Texts : public TextSource {
 public:
  explicit Texts(std::span<const std::string_view> texts);
  bool next(std::size_t n_bytes, Share& share) override;
  [[nodiscard]] std::size_t n_bytes() const override { return n_bytes_; }

 private:
  std::span<const std::string_view> texts_;
  std::size_t n_bytes_ = 0;
  std::size_t next_ = 0;
};

/// Texts one behind the other, with a separator between them that belongs to none; one at the end
/// of a document begins no other text.
class SeparatedTexts : public TextSource {
 public:
  /// `separator` empty: each document is one text.
  SeparatedTexts(std::span<const std::string_view> documents, std::string separator);
  bool next(std::size_t n_bytes, Share& share) override;
  [[nodiscard]] std::size_t n_bytes() const override { return n_bytes_; }

 private:
  std::span<const std::string_view> documents_;
  std::string separator_;
  std::size_t n_bytes_ = 0;
  std::size_t document_ = 0;
  std::size_t start_ = 0;
  std::size_t row_ = 0;
};

/// The same texts, long ones in parts that may be encoded apart from each other.
class DividedTexts : public TextSource {
 public:
  /// All must outlive it.
  DividedTexts(TextSource& texts, const Encoder& encoder, const Cutter& cutter)
      : texts_(texts), encoder_(encoder), cutter_(cutter) {}
  bool next(std::size_t n_bytes, Share& share) override;
  [[nodiscard]] std::size_t n_bytes() const override { return texts_.n_bytes(); }

 private:
  TextSource& texts_;
  const Encoder& encoder_;
  const Cutter& cutter_;
  std::string_view long_text_;  // the text that is being divided
  std::size_t row_ = 0;         // its row
  std::size_t start_ = 0;       // of the next part; 0: there is no such text
};

/// Encodes on `n_threads` >= 1 threads, this one included; the result does not depend on them.
/// Throws RowError for the first text that cannot be encoded.
[[nodiscard]] Rows encode_batch(const Encoder& encoder, TextSource& texts, const Cutter& cutter,
                                std::size_t n_threads, const KeepGoing& keep_going);

/// The same without keeping ids.
[[nodiscard]] Rows count_batch(const Encoder& encoder, TextSource& texts, const Cutter& cutter,
                               std::size_t n_threads, const KeepGoing& keep_going);

}  // namespace bytepair
