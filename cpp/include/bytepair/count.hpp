// bytepair/count.hpp: pre-tokens of documents -> how often each occurs. No Python, no I/O.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bytepair/memory.hpp"
#include "bytepair/special.hpp"
#include "bytepair/stop.hpp"
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
  Counter(SplitChain chain, SpecialMatcher special);
  Counter(const Counter&) = delete;
  Counter(Counter&&) = default;
  Counter& operator=(const Counter&) = delete;
  Counter& operator=(Counter&&) = default;

  /// Counts a whole document that starts at byte `position` of the corpus.
  void feed(std::string_view document, std::int64_t position);

  /// Counts the part of an unfinished document whose cuts no later text can change and returns
  /// its length; the rest must come again, followed by more.
  std::size_t feed_part(std::string_view data, std::int64_t position, bool is_last);

  /// Counts the bytes from `start` to `end` of a file as a whole document, reading them in blocks.
  /// Returns how many there were: fewer if the file ends before. Throws std::system_error.
  std::size_t feed_file(const std::string& path, std::size_t start, std::size_t end,
                        std::int64_t position);

  /// A place behind `from` where an unfinished document may be divided: the counts of both parts, as
  /// documents of their own, are those of the whole. `kNone` if none is found.
  /// O(document.size() - from).
  [[nodiscard]] std::size_t border(std::string_view document, std::size_t from) const;
  static constexpr std::size_t kNone = SplitChain::kNone;

  /// Adds the counts of `other`; a word's first position is the smaller one.
  void merge(const Counter& other);

  /// Adds a table that was counted elsewhere; its first positions are `position` further on here.
  /// Throws std::invalid_argument if its arrays do not fit together or a word is empty.
  void add(std::string_view data, std::span<const std::int64_t> offsets,
           std::span<const std::int64_t> counts, std::span<const std::int64_t> first,
           std::int64_t position);

  /// Cuts the words of a table that was counted elsewhere, each a document of its own, and counts
  /// what comes out as often as its word; first positions are those in that corpus. Word i is
  /// data.substr(offsets[i], offsets[i + 1] - offsets[i]). Throws as `add` does.
  void add_cut(std::string_view data, std::span<const std::int64_t> offsets,
               std::span<const std::int64_t> counts, std::span<const std::int64_t> first);

  [[nodiscard]] WordCounts result() const { return result(0, 0); }

  /// The words of one of 2^n_bits shares; which one a word is in is the same in all counters of
  /// this process. n_bits <= 16.
  [[nodiscard]] WordCounts result(int n_bits, std::size_t share) const;

  /// Memory of the words, in bytes.
  [[nodiscard]] std::size_t n_bytes() const noexcept;

  /// Forgets what was counted.
  void clear();

  /// Asks `keep_going` from now on, now and then while it counts; if that says no, throws Stopped.
  void watch(KeepGoing keep_going) { keep_going_ = std::move(keep_going); }

  /// Ends soon, with Stopped, whatever is being counted or will be. Any thread may call it.
  void stop() noexcept;

 private:
  /// A distinct pre-token. Up to 15 bytes are kept within, so that finding it costs one line of the
  /// cache; a longer one is known by its hash and compared where it is kept.
  struct Key {
    std::uint64_t low;
    std::uint64_t high;  // its last byte is the size, or kLong
  };
  struct Entry {
    Key key;  // zeros: free
    std::int64_t count;
    std::int64_t first;
  };
  static constexpr std::size_t kShort = 15;
  static constexpr std::uint64_t kLong = std::uint64_t{0xFF} << 56;

  std::size_t count_stretch(std::string_view data, std::int64_t position, bool is_last,
                            std::int64_t count = 1);
  void check(std::size_t n_words);
  void count_words(std::string_view data, std::size_t start, std::span<const std::size_t> ends,
                   std::int64_t position, std::int64_t count);
  void count_kept(std::string_view data, std::size_t start, std::span<const std::size_t> ends,
                  std::int64_t position, std::int64_t count);
  void add_word(std::string_view word, std::int64_t count, std::int64_t first);
  void add(const Key& key, std::uint64_t hash, std::int64_t count, std::int64_t first);
  void add_long(std::string_view word, std::uint64_t hash, std::int64_t count, std::int64_t first);
  static bool is_long(const Key& key) noexcept { return key.high >= kLong; }
  static std::uint64_t hash_of(const Key& key) noexcept;
  [[nodiscard]] std::string_view word(const Entry& entry) const noexcept;
  [[nodiscard]] PageArray<Entry> in_order(int n_bits, std::size_t share) const;
  void note_new();
  void grow(std::size_t size);
  const char* keep(std::string_view word);

  SplitChain chain_;
  SpecialMatcher special_;
  PageArray<Entry> entries_;  // their number is a power of two; an entry stands where its hash says
  int shift_;
  std::size_t n_entries_ = 0;
  std::vector<std::string_view> long_words_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_left_ = 0;
  std::size_t n_large_ = 0;  // bytes in blocks of other sizes
  std::vector<char> buffer_;  // of a file
  KeepGoing keep_going_;
  std::size_t n_until_asking_ = kAskAfter;  // words
  static constexpr std::size_t kAskAfter = std::size_t{1} << 19;  // a few milliseconds
  std::shared_ptr<std::atomic<bool>> is_stopped_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace bytepair
