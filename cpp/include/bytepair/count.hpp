// bytepair/count.hpp: pre-tokens of documents -> how often each occurs. No Python, no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bytepair/special.hpp"
#include "bytepair/split.hpp"

namespace bytepair {

/// Distinct pre-tokens in order of first position, as four flat arrays; word i is
/// `data.substr(offsets[i], offsets[i + 1] - offsets[i])`.
struct WordCounts {
  std::string data;
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> first;
};

/// Counts pre-tokens. Not for two threads at once: give each its own and `merge` them.
/// Memory: the distinct pre-tokens. Twin: bytepair.engines.python.Counter.
class Counter {
 public:
  Counter(Splitter splitter, SpecialMatcher special);
  Counter(const Counter&) = delete;
  Counter(Counter&&) = default;
  Counter& operator=(const Counter&) = delete;
  Counter& operator=(Counter&&) = default;

  /// Counts a whole document that starts at byte `position` of the corpus.
  void feed(std::string_view document, std::int64_t position);

  /// Counts the part of an unfinished document whose cuts no later text can change and returns
  /// its length; the rest must come again, followed by more.
  std::size_t feed_part(std::string_view data, std::int64_t position, bool is_last);

  /// A place behind `from` where an unfinished document may be divided: the counts of both parts, as
  /// documents of their own, are those of the whole. `kNone` if none is found.
  /// O(document.size() - from).
  [[nodiscard]] std::size_t border(std::string_view document, std::size_t from) const;
  static constexpr std::size_t kNone = SplitChain::kNone;

  /// Adds the counts of `other`; a word's first position is the smaller one.
  void merge(const Counter& other);

  [[nodiscard]] WordCounts result() const;

 private:
  /// A distinct pre-token. A short one is kept within: one line of the cache less to wait for.
  struct Entry {
    static constexpr std::size_t kInside = 24;
    union {
      char inside[kInside];
      std::string_view outside;
    };
    bool is_inside;
    std::uint8_t size_inside;
    std::int64_t count;
    std::int64_t first;

    [[nodiscard]] std::string_view word() const noexcept;
  };
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = 0;  // of the entry, from 1 on; 0: free
  };

  std::size_t count_stretch(std::string_view data, std::int64_t position, bool is_last);
  void count_words(std::string_view data, std::size_t start, std::span<const std::size_t> ends,
                   std::int64_t position);
  void add(std::string_view word, std::uint32_t hash, std::int64_t count, std::int64_t first);
  [[nodiscard]] Entry make_entry(std::string_view word, std::int64_t count, std::int64_t first);
  const char* keep(std::string_view word);
  void grow();
  [[nodiscard]] std::uint32_t hash(std::string_view word) const noexcept;

  Splitter splitter_;
  SplitChain chain_;  // the same, to find borders
  SpecialMatcher special_;
  std::uint64_t seed_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;  // their number is a power of two
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_left_ = 0;
};

}  // namespace bytepair
