// bytepair/cache.hpp: the ids of words seen before, shared by all threads. No Python, no I/O.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bytepair/memory.hpp"
#include "bytepair/token_table.hpp"
#include "bytepair/word_key.hpp"

namespace bytepair {

/// Word -> ids. Any number of threads look up and add at the same time, without locks: an entry is
/// written once, and seen only when it is complete. When the memory is full the cache begins anew.
class WordCache {
 public:
  /// `max_bytes`: of all memory; less than the smallest table means that one.
  explicit WordCache(std::size_t max_bytes);
  WordCache(const WordCache&) = delete;
  WordCache& operator=(const WordCache&) = delete;

  /// What is known, as long as it lives. Each thread has its own.
  class View {
   public:
    /// `expected_bytes` of text are about to be looked up: sizes the cache if it is small.
    explicit View(WordCache& cache, std::size_t expected_bytes = 0);
    ~View();
    View(const View&) = delete;
    View& operator=(const View&) = delete;

    /// Where words stand, for the loops of the kernel; until the next `settle`.
    [[nodiscard]] const WordEntries& entries() const noexcept { return entries_; }
    [[nodiscard]] std::uint32_t place(const WordKey& key) const noexcept {
      return kernel_.hash(key) >> entries_.shift;
    }
    void prefetch(std::uint32_t place) const noexcept {
      __builtin_prefetch(&entries_.data[place]);
    }

    /// True if no word stands at a place: then none is known that should.
    [[nodiscard]] bool is_free(std::uint32_t place) const noexcept {
      return entries_.data[place].second.load(std::memory_order_relaxed) == 0;
    }

    /// The ids of a word, valid as long as the view; none if it is not known. `storage`: room for
    /// few ids.
    [[nodiscard]] std::span<const TokenId> find(const WordKey& key, std::string_view word,
                                                std::array<TokenId, 4>& storage) const noexcept;

    /// Remembers a word, and is true, if there is room. `place`: of the key.
    bool add(std::uint32_t place, const WordKey& key, std::string_view word,
             std::span<const TokenId> ids) noexcept;

    /// Adds all tokens, each a word of its own, if the table is large enough for that to pay and
    /// nobody has.
    void begin_with(const TokenTable& tokens);

    /// True if a word that is not found is none of the tokens that all views began with.
    [[nodiscard]] bool holds_tokens() const noexcept { return holds_tokens_; }

    /// To be called now and then; makes room if many words were added.
    void settle();

   private:
    void enter() noexcept;
    void leave() noexcept;
    void replace(std::size_t size);

    WordCache& cache_;
    const LookupKernel& kernel_;
    std::size_t table_ = 0;
    WordEntries entries_;
    std::uint32_t mask_ = 0;
    std::size_t n_added_ = 0;
    bool holds_tokens_ = false;  // as of the last `enter`: what is looked up later finds them
  };

 private:
  enum class Tokens : std::uint8_t { kNone, kComing, kAll };

  static constexpr std::uint32_t kInline = 3;  // ids in the entry itself
  static constexpr std::size_t kTables = 3;  // one in use, others that threads may still look into
  static constexpr std::uint32_t kProbes = 8;

  struct Table {
    std::atomic<std::uint32_t> n_users{0};
    std::atomic<std::size_t> n_entries{0};
    std::atomic<std::size_t> arena_used{0};
    std::atomic<Tokens> tokens{Tokens::kNone};
    std::size_t size = 0;        // entries, a power of two; 0: not in use
    std::size_t arena_size = 0;  // 4-byte units
    WordEntry* entries = nullptr;
    std::uint32_t* arena = nullptr;
    Pages memory;
  };

  /// Entries that share a line of memory come first.
  static std::uint32_t probed(std::uint32_t home, std::uint32_t probe, std::uint32_t mask) {
    return ((home ^ (probe & 1)) + (probe & ~std::uint32_t{1})) & mask;
  }
  static void make(Table& table, std::size_t size);
  static void copy(const Table& from, Table& to) noexcept;
  static bool copy(const Table& from, const WordEntry& entry, const WordKey& key,
                   std::uint32_t hash, Table& to) noexcept;
  void replace(std::size_t old, std::size_t size);
  void sweep() noexcept;
  void forget_threads() noexcept;

  std::size_t largest_ = 0;  // entries
  std::array<Table, kTables> tables_;
  std::atomic<std::size_t> current_{0};
  std::atomic<bool> is_growing_{false};
  std::atomic<std::uint32_t> n_forks_;
};

/// To be called in a process that was just forked, which has one thread only.
void note_fork() noexcept;

}  // namespace bytepair
