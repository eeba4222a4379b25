// bytepair/word_key.hpp: what words are looked up by, and the loops over many of them. No Python.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "bytepair/hash.hpp"
#include "bytepair/token_table.hpp"

namespace bytepair {

static_assert(std::endian::native == std::endian::little, "keys are bytes as they lie in memory");

/// A short word (up to 15 bytes) is its own key; a long one is known by its hash and its length, and
/// its bytes are compared. Pieces of pre-tokens, which are never looked up among whole tokens, have
/// keys of their own.
struct alignas(16) WordKey {
  static constexpr std::size_t kShort = 15;
  // In the last byte, beside the length of a short word:
  static constexpr std::uint64_t kPiece = std::uint64_t{0x80} << 56;
  static constexpr std::uint64_t kLong = std::uint64_t{0x40} << 56;

  std::uint64_t low;
  std::uint64_t high;

  [[nodiscard]] bool is_long() const noexcept { return (high & kLong) != 0; }
  [[nodiscard]] bool is_piece() const noexcept { return (high & kPiece) != 0; }
  /// The bytes of a short word; valid as long as the key.
  [[nodiscard]] std::string_view short_word() const noexcept {
    return {reinterpret_cast<const char*>(&low), (high >> 56) & 0x0F};
  }
  /// 4-byte units that the bytes of a long word take.
  [[nodiscard]] std::size_t long_units() const noexcept {
    return is_long() ? ((high & 0xFFFF'FFFF) + 3) / 4 : 0;
  }

  static WordKey of(std::string_view word) noexcept {
    if (word.size() > kShort) return {hash_bytes(word), kLong | (word.size() & 0xFFFF'FFFF)};
    WordKey key{0, 0};
    std::memcpy(&key, word.data(), word.size());
    key.high |= std::uint64_t{word.size()} << 56;
    return key;
  }
  [[nodiscard]] WordKey of_piece() const noexcept { return {low, high | kPiece}; }
};

/// An entry of the cache; see bytepair/cache.hpp.
struct alignas(32) WordEntry {
  /// In `high`: the ids are in the arena, behind the bytes of a long word. Keeps such entries out of
  /// the fast look-up.
  static constexpr std::uint64_t kFar = std::uint64_t{0x20} << 56;

  std::atomic<std::uint64_t> low;
  std::atomic<std::uint64_t> high;    // written last; 0: there is nothing to see yet
  std::atomic<std::uint64_t> first;   // two ids; where in the arena the ids are, with `kFar`
  std::atomic<std::uint64_t> second;  // another id, and above it their number; 0: free
};
static_assert(sizeof(WordEntry) == 32 && std::atomic<std::uint64_t>::is_always_lock_free);

/// Entries, a power of two; a word stands where the upper bits of its hash say, or behind.
struct WordEntries {
  WordEntry* data = nullptr;
  unsigned shift = 0;  // 32 - log2(size)
};

/// The loops that nearly all of the time goes into, for one kind of processor. All kinds find the
/// same, but hash differently.
struct LookupKernel {
  /// The upper bits are the good ones.
  std::uint32_t (*hash)(const WordKey& key);

  /// Keys of the short words of `text` that end at `ends`, the first one beginning at `start`, and
  /// where each stands; what stands there is prefetched. Stops before a word that is not short
  /// (which one that ends beyond the text is not), and returns how many were done. 16 bytes can be
  /// read from where each begins. `mark`: 0 or `kPiece`.
  std::size_t (*prepare)(const char* text, std::size_t start, const std::size_t* ends,
                         std::size_t n, std::uint64_t mark, const WordEntries& entries,
                         WordKey* keys, std::uint32_t* places);

  /// Writes to `out` the ids of words that stand at their places or beside them, with no more than 3
  /// ids each; room for 4 more than that is needed. Stops before any other word, and returns how many
  /// were done; `n_ids` says how many ids that were.
  std::size_t (*find)(const WordEntries& entries, const WordKey* keys, const std::uint32_t* places,
                      std::size_t n, TokenId* out, std::size_t& n_ids);

  /// The same without the ids.
  std::size_t (*count)(const WordEntries& entries, const WordKey* keys,
                       const std::uint32_t* places, std::size_t n, std::size_t& n_ids);
};

/// For this processor; the same throughout a process.
[[nodiscard]] const LookupKernel& lookup_kernel() noexcept;

/// Those that this processor can run.
[[nodiscard]] std::array<const LookupKernel*, 2> lookup_kernels() noexcept;

}  // namespace bytepair
