// bytepair/cache.hpp: the ids of words seen before, shared by all threads. No Python, no I/O.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "bytepair/hash.hpp"
#include "bytepair/memory.hpp"
#include "bytepair/token_table.hpp"

namespace bytepair {

static_assert(std::endian::native == std::endian::little, "keys are bytes as they lie in memory");

/// What a word is looked up by. A short one (up to 15 bytes) is its own key; a long one is known by
/// its hash and its length, and its bytes are compared. Pieces of pre-tokens, which are never looked
/// up among whole tokens, have keys of their own.
struct WordKey {
  static constexpr std::size_t kShort = 15;
  // In the last byte, beside the length of a short word:
  static constexpr std::uint64_t kPiece = std::uint64_t{0x80} << 56;
  static constexpr std::uint64_t kLong = std::uint64_t{0x40} << 56;

  std::uint64_t low;
  std::uint64_t high;

  [[nodiscard]] bool is_long() const noexcept { return (high & kLong) != 0; }
  [[nodiscard]] bool is_piece() const noexcept { return (high & kPiece) != 0; }
  /// The upper bits are the good ones.
  [[nodiscard]] std::uint64_t hash() const noexcept {
    return (low * 0x9E3779B97F4A7C15u + high) * 0xD6E8FEB86659FD93u;
  }
  /// The bytes of a short word; valid as long as the key.
  [[nodiscard]] std::string_view short_word() const noexcept {
    return {reinterpret_cast<const char*>(&low), (high >> 56) & 0x0F};
  }
  /// 4-byte units that the bytes of a long word take.
  [[nodiscard]] std::size_t long_units() const noexcept {
    return is_long() ? ((high & 0xFFFF'FFFF) + 3) / 4 : 0;
  }

  /// `data`: 1 to 15 bytes; 16 bytes can be read from there.
  static WordKey of_short(const char* data, std::size_t size) noexcept {
    alignas(32) static constexpr std::array<unsigned char, 32> kMask = [] {
      std::array<unsigned char, 32> mask{};
      for (std::size_t i = 0; i < 16; ++i) mask[i] = 0xFF;
      return mask;
    }();
    std::uint64_t bytes[2];
    std::uint64_t mask[2];
    std::memcpy(bytes, data, 16);
    std::memcpy(mask, kMask.data() + 16 - size, 16);
    return {bytes[0] & mask[0], (bytes[1] & mask[1]) | std::uint64_t{size} << 56};
  }

  static WordKey of(std::string_view word) noexcept {
    if (word.size() > kShort) return {hash_bytes(word), kLong | (word.size() & 0xFFFF'FFFF)};
    char padded[16] = {};
    std::memcpy(padded, word.data(), word.size());
    return of_short(padded, word.size());
  }

  [[nodiscard]] WordKey of_piece() const noexcept { return {low, high | kPiece}; }
};

/// Word -> ids. Any number of threads look up and add at the same time, without locks: an entry is
/// written once, and seen only when it is complete. When the memory is full the cache begins anew.
class WordCache {
 private:
  struct Entry {
    std::atomic<std::uint64_t> low;
    std::atomic<std::uint64_t> high;    // written last; 0: there is nothing to see yet
    std::atomic<std::uint64_t> first;   // two ids; where in the arena the ids are, with `kFar`
    std::atomic<std::uint64_t> second;  // another id, and above it their number; 0: free
  };
  static_assert(sizeof(Entry) == 32 && std::atomic<std::uint64_t>::is_always_lock_free);

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

    /// Where the look for a word begins. Loads from there may be prefetched.
    [[nodiscard]] std::uint32_t place(const WordKey& key) const noexcept {
      return static_cast<std::uint32_t>(key.hash() >> shift_);
    }
    void prefetch(std::uint32_t place) const noexcept { __builtin_prefetch(&entries_[place]); }

    /// The common case: writes the ids, at most 3, of a short word that stands at its `place` to
    /// `out`, where there must be room for 4, and returns their number; 0: use `find`.
    std::size_t find_fast(const WordKey& key, std::uint32_t place, TokenId* out) const noexcept {
      const Entry& entry = entries_[place];
      const std::uint64_t high = entry.high.load(std::memory_order_acquire);
      const std::uint64_t low = entry.low.load(std::memory_order_relaxed);
      if (((high ^ key.high) | (low ^ key.low)) != 0) return 0;
      const std::uint64_t first = entry.first.load(std::memory_order_relaxed);
      const std::uint64_t second = entry.second.load(std::memory_order_relaxed);
      std::memcpy(out, &first, 8);
      out[2] = static_cast<TokenId>(second);
      return second >> 32;
    }

    /// The ids of a word, valid as long as the view; none if it is not known. `storage`: room for
    /// few ids.
    [[nodiscard]] std::span<const TokenId> find(const WordKey& key, std::string_view word,
                                                std::array<TokenId, 4>& storage) const noexcept;

    /// Remembers a word if there is room.
    void add(const WordKey& key, std::string_view word, std::span<const TokenId> ids) noexcept;

    /// To be called now and then; makes room if many words were added.
    void settle();

   private:
    void enter() noexcept;
    void leave() noexcept;
    void replace(std::size_t size);

    WordCache& cache_;
    std::size_t table_ = 0;
    Entry* entries_ = nullptr;
    unsigned shift_ = 0;
    std::uint32_t mask_ = 0;
    std::size_t n_added_ = 0;
  };

 private:
  static constexpr std::uint32_t kInline = 3;  // ids in the entry itself
  /// In `Entry::high`: the ids are in the arena, behind the bytes of a long word. Keeps such entries
  /// out of the fast look-up.
  static constexpr std::uint64_t kFar = std::uint64_t{0x20} << 56;
  static constexpr std::size_t kTables = 3;  // one in use, others that threads may still look into
  static constexpr std::uint32_t kProbes = 8;

  struct Table {
    std::atomic<std::uint32_t> n_users{0};
    std::atomic<std::size_t> n_entries{0};
    std::atomic<std::size_t> arena_used{0};
    std::size_t size = 0;        // entries, a power of two; 0: not in use
    std::size_t arena_size = 0;  // 4-byte units
    Entry* entries = nullptr;
    std::uint32_t* arena = nullptr;
    Pages memory;
  };

  /// Entries that share a line of memory come first.
  static std::uint32_t probed(std::uint32_t home, std::uint32_t probe, std::uint32_t mask) {
    return ((home ^ (probe & 1)) + (probe & ~std::uint32_t{1})) & mask;
  }
  static void make(Table& table, std::size_t size);
  static void copy(const Table& from, Table& to) noexcept;
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
