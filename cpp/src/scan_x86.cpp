// scan_x86.cpp: the kernels for x86-64, one for each instruction set, and which of them run here.
#include "scan.hpp"

#if defined(__x86_64__)

// GCC 12 warns of its own headers for AVX-512 (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include "bytepair/utf8.hpp"
#include "target.hpp"

namespace bytepair {
namespace {

struct Numbers {
  alignas(64) std::uint8_t number[64];
  constexpr explicit Numbers(std::uint8_t first) : number() {
    for (std::uint8_t i = 0; i < 64; ++i) number[i] = static_cast<std::uint8_t>(first + i);
  }
};

BYTEPAIR_BEGIN("avx2,bmi,bmi2,lzcnt,popcnt")
namespace avx2 {

inline __m256i load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
inline void store(void* p, __m256i v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }
inline __m256i filled(int byte) { return _mm256_set1_epi8(static_cast<char>(byte)); }
inline std::uint64_t top_bits(__m256i low, __m256i high) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high))) << 32;
}
inline __m256i at_least(__m256i v, int byte) {
  return _mm256_cmpeq_epi8(_mm256_max_epu8(v, filled(byte)), v);
}

inline Masks masks_of(const unsigned char* block) {
  const __m256i a = load(block);
  const __m256i b = load(block + 32);
  const auto leads = top_bits(at_least(a, 0xC0), at_least(b, 0xC0));
  return {leads, top_bits(at_least(a, 0xE0), at_least(b, 0xE0)),
          top_bits(at_least(a, 0xF0), at_least(b, 0xF0)), top_bits(a, b) & ~leads};
}

inline bool is_ascii(const unsigned char* text, std::size_t size) {
  __m256i any = _mm256_setzero_si256();
  std::size_t i = 0;
  for (; i + 32 <= size; i += 32) any = _mm256_or_si256(any, load(text + i));
  unsigned rest = 0;
  for (; i < size; ++i) rest |= text[i];
  return _mm256_movemask_epi8(any) == 0 && rest < 0x80;
}

/// Entries of a table of 128, for bytes below 0x80.
class AsciiTable {
 public:
  explicit AsciiTable(const std::uint8_t* table) {
    for (int i = 0; i < 8; ++i) {
      const auto* part = reinterpret_cast<const __m128i*>(table + 16 * i);
      part_[i] = _mm256_broadcastsi128_si256(_mm_loadu_si128(part));
    }
  }

  [[nodiscard]] __m256i look_up(__m256i x) const {
    __m256i found[8];
    for (int i = 0; i < 8; ++i) found[i] = _mm256_shuffle_epi8(part_[i], x);
    for (int bit = 4, n = 4; bit < 7; ++bit, n /= 2) {
      const __m256i top = _mm256_sll_epi16(x, _mm_cvtsi32_si128(7 - bit));
      for (int i = 0; i < n; ++i) {
        found[i] = _mm256_blendv_epi8(found[2 * i], found[2 * i + 1], top);
      }
    }
    return found[0];
  }

 private:
  __m256i part_[8];
};

inline void find_rows(const ScanTables& tables, const unsigned char* text, std::size_t size,
                      bool ascii, std::uint8_t class_before, const std::uint8_t* classes,
                      std::uint16_t* row) {
  const AsciiTable table(tables.ascii.data());
  const __m256i weights = _mm256_set1_epi16(static_cast<short>(tables.n_classes | 1 << 8));
  __m256i last = filled(class_before);
  for (std::size_t i = 0; i < size; i += 32) {
    alignas(32) unsigned char copy[32];
    const unsigned char* from = text + i;
    if (size - i < 32) {
      __builtin_memset(copy, 0, sizeof copy);
      __builtin_memcpy(copy, from, size - i);
      from = copy;
    }
    const __m256i x = load(from);
    __m256i now = table.look_up(x);
    __m256i tail = _mm256_setzero_si256();
    if (!ascii) {
      now = _mm256_blendv_epi8(now, load(classes + i), x);
      tail = _mm256_cmpgt_epi8(tail, now);
      now = _mm256_and_si256(now, filled(0x7F));
    }
    const __m256i before =
        _mm256_alignr_epi8(now, _mm256_permute2x128_si256(last, now, 0x21), 15);
    last = now;
    __m256i a = _mm256_maddubs_epi16(_mm256_unpacklo_epi8(before, now), weights);
    __m256i b = _mm256_maddubs_epi16(_mm256_unpackhi_epi8(before, now), weights);
    if (!ascii) {
      a = _mm256_andnot_si256(_mm256_unpacklo_epi8(tail, tail), a);
      b = _mm256_andnot_si256(_mm256_unpackhi_epi8(tail, tail), b);
    }
    a = _mm256_slli_epi16(a, 4);
    b = _mm256_slli_epi16(b, 4);
    store(row + i, _mm256_permute2x128_si256(a, b, 0x20));
    store(row + i + 16, _mm256_permute2x128_si256(a, b, 0x31));
  }
}

inline __m128i load_row(const std::uint8_t* p) {
  return _mm_load_si128(reinterpret_cast<const __m128i*>(p));
}

inline std::uint8_t walk_two(const std::uint8_t* rows, const std::uint16_t* row,
                             std::uint8_t* trace, std::size_t half, std::size_t rest,
                             std::uint8_t first, std::uint8_t second) {
  __m128i a = _mm_cvtsi32_si128(first);
  __m128i b = _mm_cvtsi32_si128(second);
  for (std::size_t i = 0; i < half; ++i) {
    a = _mm_shuffle_epi8(load_row(rows + row[i]), a);
    _mm_storeu_si32(trace + i, a);
    b = _mm_shuffle_epi8(load_row(rows + row[half + i]), b);
    _mm_storeu_si32(trace + half + i, b);
  }
  for (std::size_t i = half; i < rest; ++i) {
    b = _mm_shuffle_epi8(load_row(rows + row[half + i]), b);
    _mm_storeu_si32(trace + half + i, b);
  }
  return static_cast<std::uint8_t>(_mm_cvtsi128_si32(b));
}

inline Told told_by(const std::uint8_t* trace) {
  const __m256i a = load(trace);
  const __m256i b = load(trace + 32);
  Told told;
  told.ends = top_bits(_mm256_slli_epi16(a, 3), _mm256_slli_epi16(b, 3));
  if (!_mm256_testz_si256(_mm256_or_si256(a, b), filled(0x60))) {
    told.marks = top_bits(_mm256_slli_epi16(a, 2), _mm256_slli_epi16(b, 2));
    told.commits = top_bits(_mm256_slli_epi16(a, 1), _mm256_slli_epi16(b, 1));
  }
  return told;
}

inline std::size_t write(std::uint64_t bits, std::size_t base, std::size_t* ends) {
  const auto n = static_cast<std::size_t>(_mm_popcnt_u64(bits));
  for (std::size_t i = 0; i < 16; ++i) {  // always, since a branch foretold wrong costs more
    ends[i] = base + _tzcnt_u64(bits);
    bits = _blsr_u64(bits);
  }
  for (std::size_t i = 16; i < n; ++i) {
    ends[i] = base + _tzcnt_u64(bits);
    bits = _blsr_u64(bits);
  }
  return n;
}

#include "scan_kernel.hpp"

}  // namespace avx2
BYTEPAIR_END

BYTEPAIR_BEGIN("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi,bmi2,lzcnt,popcnt")
namespace avx512 {

using avx2::walk_two;

inline __m512i load(const void* p) { return _mm512_loadu_si512(p); }
inline __m512i filled(int byte) { return _mm512_set1_epi8(static_cast<char>(byte)); }
inline __m512i load_first(std::size_t n, const void* p) {
  return _mm512_maskz_loadu_epi8(n < 64 ? _bzhi_u64(~0ull, static_cast<unsigned>(n)) : ~0ull, p);
}

inline Masks masks_of(const unsigned char* block) {
  const __m512i x = load(block);
  const std::uint64_t leads = _mm512_cmpge_epu8_mask(x, filled(0xC0));
  return {leads, _mm512_cmpge_epu8_mask(x, filled(0xE0)), _mm512_cmpge_epu8_mask(x, filled(0xF0)),
          _mm512_movepi8_mask(x) & ~leads};
}

inline bool is_ascii(const unsigned char* text, std::size_t size) {
  __m512i any = _mm512_setzero_si512();
  for (std::size_t i = 0; i < size; i += 64) {
    any = _mm512_or_si512(any, load_first(size - i, text + i));
  }
  return _mm512_movepi8_mask(any) == 0;
}

constexpr Numbers kShifted(63);
constexpr Numbers kNumbers(0);

/// Where the rows of 32 bytes begin.
inline __m512i rows_of(__m256i before, __m256i now, __m512i n_classes, __mmask32 starts) {
  const __m512i from = _mm512_mullo_epi16(_mm512_cvtepu8_epi16(before), n_classes);
  return _mm512_maskz_slli_epi16(starts, _mm512_add_epi16(from, _mm512_cvtepu8_epi16(now)), 4);
}

inline void find_rows(const ScanTables& tables, const unsigned char* text, std::size_t size,
                      bool ascii, std::uint8_t class_before, const std::uint8_t* classes,
                      std::uint16_t* row) {
  const __m512i low = load(tables.ascii.data());
  const __m512i high = load(tables.ascii.data() + 64);
  const __m512i shifted = load(kShifted.number);
  const __m512i n = _mm512_set1_epi16(tables.n_classes);
  __m512i last = filled(class_before);
  for (std::size_t i = 0; i < size; i += 64) {
    const __m512i x = load_first(size - i, text + i);
    __m512i now = _mm512_permutex2var_epi8(low, x, high);
    std::uint64_t starts = ~std::uint64_t{0};
    if (!ascii) {
      now = _mm512_mask_loadu_epi8(now, _mm512_movepi8_mask(x), classes + i);
      starts = ~_mm512_movepi8_mask(now);
      now = _mm512_and_si512(now, filled(0x7F));
    }
    const __m512i before = _mm512_permutex2var_epi8(last, shifted, now);
    last = now;
    _mm512_storeu_si512(row + i, rows_of(_mm512_castsi512_si256(before),
                                         _mm512_castsi512_si256(now), n,
                                         static_cast<__mmask32>(starts)));
    _mm512_storeu_si512(row + i + 32, rows_of(_mm512_extracti64x4_epi64(before, 1),
                                              _mm512_extracti64x4_epi64(now, 1), n,
                                              static_cast<__mmask32>(starts >> 32)));
  }
}

inline Told told_by(const std::uint8_t* trace) {
  const __m512i x = load(trace);
  return {_mm512_test_epi8_mask(x, filled(ScanTables::kEnd)),
          _mm512_test_epi8_mask(x, filled(ScanTables::kMark)),
          _mm512_test_epi8_mask(x, filled(ScanTables::kCommit))};
}

inline std::size_t write(std::uint64_t bits, std::size_t base, std::size_t* ends) {
  const auto n = static_cast<std::size_t>(_mm_popcnt_u64(bits));
  const __m512i from = _mm512_set1_epi64(static_cast<long long>(base));
  alignas(64) std::uint8_t places[64];
  const __m512i packed = _mm512_maskz_compress_epi8(bits, load(kNumbers.number));
  _mm512_store_si512(places, packed);
  __m128i part = _mm512_castsi512_si128(packed);
  _mm512_storeu_si512(ends, _mm512_add_epi64(from, _mm512_cvtepu8_epi64(part)));
  part = _mm_srli_si128(part, 8);
  _mm512_storeu_si512(ends + 8, _mm512_add_epi64(from, _mm512_cvtepu8_epi64(part)));
  part = _mm512_extracti32x4_epi32(packed, 1);
  _mm512_storeu_si512(ends + 16, _mm512_add_epi64(from, _mm512_cvtepu8_epi64(part)));
  for (std::size_t i = 24; i < n; i += 8) {
    part = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(places + i));
    _mm512_storeu_si512(ends + i, _mm512_add_epi64(from, _mm512_cvtepu8_epi64(part)));
  }
  return n;
}

#include "scan_kernel.hpp"

}  // namespace avx512
BYTEPAIR_END

struct Runnable {
  ScanKernel kernels[2];
  std::size_t n = 0;

  Runnable() {
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                          __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    const bool has_avx512 =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
        __builtin_cpu_supports("avx512vbmi2");
    if (has_avx2 && has_avx512) kernels[n++] = avx512::scan;
    if (has_avx2) kernels[n++] = avx2::scan;
  }
};

}  // namespace

std::span<const ScanKernel> scan_kernels() {
  static const Runnable runnable;
  return {runnable.kernels, runnable.n};
}

}  // namespace bytepair

#elif !defined(__aarch64__)

namespace bytepair {

std::span<const ScanKernel> scan_kernels() { return {}; }

}  // namespace bytepair

#endif
