// word_key.cpp: the loops over many words, for any processor and for x86-64 with AES.
#include "bytepair/word_key.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bytepair {
namespace {

/// 16 bytes of ones, 16 of zeros: from 16 - n on, a mask of the first n bytes.
alignas(32) constexpr std::array<unsigned char, 32> kMask = [] {
  std::array<unsigned char, 32> mask{};
  for (std::size_t i = 0; i < 16; ++i) mask[i] = 0xFF;
  return mask;
}();

namespace any {

std::uint32_t hash(const WordKey& key) {
  const auto mixed = (key.low * 0x9E3779B97F4A7C15u + key.high) * 0xD6E8FEB86659FD93u;
  return static_cast<std::uint32_t>(mixed >> 32);
}

std::size_t prepare(const char* text, std::size_t start, const std::size_t* ends, std::size_t n,
                    std::uint64_t mark, const WordEntries& entries, WordKey* keys,
                    std::uint32_t* places) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t size = ends[i] - start;
    if (size > WordKey::kShort) return i;
    WordKey key;
    std::uint64_t mask[2];
    std::memcpy(&key, text + start, 16);
    std::memcpy(mask, kMask.data() + 16 - size, 16);
    key.low &= mask[0];
    key.high = (key.high & mask[1]) | std::uint64_t{size} << 56 | mark;
    const std::uint32_t place = hash(key) >> entries.shift;
    __builtin_prefetch(&entries.data[place]);
    keys[i] = key;
    places[i] = place;
    start = ends[i];
  }
  return n;
}

bool is_of(const WordEntry& entry, const WordKey& key) {
  const std::uint64_t high = entry.high.load(std::memory_order_acquire);
  const std::uint64_t low = entry.low.load(std::memory_order_relaxed);
  return ((high ^ key.high) | (low ^ key.low)) == 0;
}

template <bool keeps_ids>
std::size_t find_or_count(const WordEntries& entries, const WordKey* keys,
                          const std::uint32_t* places, std::size_t n, TokenId* out,
                          std::size_t& n_ids) {
  std::size_t i = 0;
  std::size_t n_found = 0;
  for (; i < n; ++i) {
    const WordEntry* entry = &entries.data[places[i]];
    if (!is_of(*entry, keys[i])) [[unlikely]] {
      entry = &entries.data[places[i] ^ 1];
      if (!is_of(*entry, keys[i])) break;
    }
    const std::uint64_t second = entry->second.load(std::memory_order_relaxed);
    if (keeps_ids) {
      const std::uint64_t first = entry->first.load(std::memory_order_relaxed);
      std::memcpy(out + n_found, &first, 8);
      std::memcpy(out + n_found + 2, &second, 4);
    }
    n_found += second >> 32;
  }
  n_ids = n_found;
  return i;
}

std::size_t find(const WordEntries& entries, const WordKey* keys, const std::uint32_t* places,
                 std::size_t n, TokenId* out, std::size_t& n_ids) {
  return find_or_count<true>(entries, keys, places, n, out, n_ids);
}

std::size_t count(const WordEntries& entries, const WordKey* keys, const std::uint32_t* places,
                  std::size_t n, std::size_t& n_ids) {
  return find_or_count<false>(entries, keys, places, n, nullptr, n_ids);
}

constexpr LookupKernel kKernel{hash, prepare, find, count};

}  // namespace any

#if defined(__x86_64__)

/// A word's bytes as they lie in a key, and its length in the last one.
struct Lengths {
  alignas(16) unsigned char bytes[16][16] = {};
  constexpr Lengths() {
    for (unsigned char size = 0; size < 16; ++size) bytes[size][15] = size;
  }
};
constexpr Lengths kLengths;

#define BYTEPAIR_AES __attribute__((target("avx,aes")))
// The processors that run these read 16 aligned bytes, and loads one after the other, as if they
// were atomic; the sanitizer does not know.
#define BYTEPAIR_RACE __attribute__((no_sanitize("thread")))

namespace aes {

BYTEPAIR_AES inline std::uint32_t hash_of(__m128i key) {
  const __m128i round = _mm_set_epi64x(static_cast<long long>(0x9E3779B97F4A7C15u),
                                       static_cast<long long>(0xD6E8FEB86659FD93u));
  const __m128i mixed = _mm_aesenc_si128(_mm_aesenc_si128(key, round), round);
  // Four bytes of that see some pairs of bytes only by their difference: doubled letters would all
  // look alike. Eight bytes do not.
  const auto half = static_cast<std::uint64_t>(_mm_cvtsi128_si64(mixed));
  return static_cast<std::uint32_t>(half ^ half >> 32);
}

BYTEPAIR_AES inline __m128i load(const void* p) {
  return _mm_load_si128(static_cast<const __m128i*>(p));
}
BYTEPAIR_AES inline __m128i load_anywhere(const void* p) {
  return _mm_loadu_si128(static_cast<const __m128i*>(p));
}

BYTEPAIR_AES inline bool is_same(__m128i a, __m128i b) {
  return _mm_movemask_epi8(_mm_cmpeq_epi8(a, b)) == 0xFFFF;
}

BYTEPAIR_AES std::uint32_t hash(const WordKey& key) { return hash_of(load(&key)); }

BYTEPAIR_AES std::size_t prepare(const char* text, std::size_t start, const std::size_t* ends,
                                 std::size_t n, std::uint64_t mark, const WordEntries& entries,
                                 WordKey* keys, std::uint32_t* places) {
  const WordEntry* const data = entries.data;
  const __m128i marked = _mm_set_epi64x(static_cast<long long>(mark), 0);
  const unsigned shift = entries.shift;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t size = ends[i] - start;
    if (size > WordKey::kShort) return i;
    const __m128i bytes = _mm_and_si128(load_anywhere(text + start),
                                        load_anywhere(kMask.data() + 16 - size));
    const __m128i length = _mm_or_si128(load(kLengths.bytes[size]), marked);
    const __m128i key = _mm_or_si128(bytes, length);
    const std::uint32_t place = hash_of(key) >> shift;
    __builtin_prefetch(&data[place]);
    _mm_store_si128(reinterpret_cast<__m128i*>(keys + i), key);
    places[i] = place;
    start = ends[i];
  }
  return n;
}

template <bool keeps_ids>
BYTEPAIR_AES BYTEPAIR_RACE std::size_t find_or_count(const WordEntries& entries,
                                                     const WordKey* keys,
                                                     const std::uint32_t* places, std::size_t n,
                                                     TokenId* out, std::size_t& n_ids) {
  std::size_t i = 0;
  std::size_t n_found = 0;
  for (; i < n; ++i) {
    const __m128i key = load(keys + i);
    const auto* entry = reinterpret_cast<const unsigned char*>(&entries.data[places[i]]);
    if (!is_same(load(entry), key)) [[unlikely]] {
      entry = reinterpret_cast<const unsigned char*>(&entries.data[places[i] ^ 1]);
      if (!is_same(load(entry), key)) break;
    }
    const __m128i ids = load(entry + 16);
    if (keeps_ids) _mm_storeu_si128(reinterpret_cast<__m128i*>(out + n_found), ids);
    n_found += static_cast<std::uint32_t>(_mm_extract_epi32(ids, 3));
  }
  n_ids = n_found;
  return i;
}

BYTEPAIR_AES std::size_t find(const WordEntries& entries, const WordKey* keys,
                              const std::uint32_t* places, std::size_t n, TokenId* out,
                              std::size_t& n_ids) {
  return find_or_count<true>(entries, keys, places, n, out, n_ids);
}

BYTEPAIR_AES std::size_t count(const WordEntries& entries, const WordKey* keys,
                               const std::uint32_t* places, std::size_t n, std::size_t& n_ids) {
  return find_or_count<false>(entries, keys, places, n, nullptr, n_ids);
}

constexpr LookupKernel kKernel{hash, prepare, find, count};

}  // namespace aes

bool has_aes() { return __builtin_cpu_supports("avx") && __builtin_cpu_supports("aes"); }

#endif

}  // namespace

const LookupKernel& lookup_kernel() noexcept {
#if defined(__x86_64__)
  static const LookupKernel& kernel = has_aes() ? aes::kKernel : any::kKernel;
  return kernel;
#else
  return any::kKernel;
#endif
}

std::array<const LookupKernel*, 2> lookup_kernels() noexcept {
  return {&any::kKernel, &lookup_kernel()};
}

}  // namespace bytepair
