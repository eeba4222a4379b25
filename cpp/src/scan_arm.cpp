// scan_arm.cpp: the kernel for arm64, whose processors all have NEON.
#include "scan.hpp"

#if defined(__aarch64__)

#include <arm_neon.h>

#include "bytepair/utf8.hpp"

namespace bytepair {
namespace {

namespace neon {

inline uint8x16_t filled(std::uint8_t byte) { return vdupq_n_u8(byte); }

/// A bit for each of 64 bytes, which are all ones or all zeros.
inline std::uint64_t bits_of(const uint8x16x4_t& bytes) {
  constexpr std::uint8_t kBits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t bits = vld1q_u8(kBits);
  // Each addition of neighbours halves the bytes that a bit is in.
  const uint8x16_t low = vpaddq_u8(vandq_u8(bytes.val[0], bits), vandq_u8(bytes.val[1], bits));
  const uint8x16_t high = vpaddq_u8(vandq_u8(bytes.val[2], bits), vandq_u8(bytes.val[3], bits));
  const uint8x16_t sums = vpaddq_u8(low, high);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}

inline std::uint64_t at_least(const uint8x16x4_t& block, std::uint8_t byte) {
  uint8x16x4_t found;
  for (int i = 0; i < 4; ++i) found.val[i] = vcgeq_u8(block.val[i], filled(byte));
  return bits_of(found);
}

inline std::uint64_t with_any(const uint8x16x4_t& block, std::uint8_t bits) {
  uint8x16x4_t found;
  for (int i = 0; i < 4; ++i) found.val[i] = vtstq_u8(block.val[i], filled(bits));
  return bits_of(found);
}

inline uint8x16x4_t load_block(const unsigned char* p) {
  return {{vld1q_u8(p), vld1q_u8(p + 16), vld1q_u8(p + 32), vld1q_u8(p + 48)}};
}

inline Masks masks_of(const unsigned char* text) {
  const auto block = load_block(text);
  const auto leads = at_least(block, 0xC0);
  return {leads, at_least(block, 0xE0), at_least(block, 0xF0), at_least(block, 0x80) & ~leads};
}

inline bool is_ascii(const unsigned char* text, std::size_t size) {
  uint8x16_t any = filled(0);
  std::size_t i = 0;
  for (; i + 16 <= size; i += 16) any = vorrq_u8(any, vld1q_u8(text + i));
  unsigned rest = vmaxvq_u8(any);
  for (; i < size; ++i) rest |= text[i];
  return rest < 0x80;
}

/// Where the rows of 8 bytes begin.
inline uint16x8_t rows_of(uint8x8_t before, uint8x8_t now, uint8x8_t n_classes) {
  return vshlq_n_u16(vmlal_u8(vmovl_u8(now), before, n_classes), 4);
}

inline void find_rows(const ScanTables& tables, const unsigned char* text, std::size_t size,
                      bool ascii, std::uint8_t class_before, const std::uint8_t* classes,
                      std::uint16_t* row) {
  const auto low = load_block(tables.ascii.data());
  const auto high = load_block(tables.ascii.data() + 64);
  const uint8x8_t n_classes = vdup_n_u8(tables.n_classes);
  uint8x16_t last = filled(class_before);
  for (std::size_t i = 0; i < size; i += 16) {
    unsigned char copy[16];
    const unsigned char* from = text + i;
    if (size - i < 16) {
      __builtin_memset(copy, 0, sizeof copy);
      __builtin_memcpy(copy, from, size - i);
      from = copy;
    }
    const uint8x16_t x = vld1q_u8(from);
    // What is in neither half is left at 0 by the first look, as it is by the second.
    uint8x16_t now = vqtbx4q_u8(vqtbl4q_u8(low, x), high, veorq_u8(x, filled(64)));
    uint8x16_t tail = filled(0);
    if (!ascii) {
      now = vbslq_u8(vcgeq_u8(x, filled(0x80)), vld1q_u8(classes + i), now);
      tail = vcgeq_u8(now, filled(ScanTables::kTail));
      now = vandq_u8(now, filled(0x7F));
    }
    const uint8x16_t before = vextq_u8(last, now, 15);
    last = now;
    uint16x8_t a = rows_of(vget_low_u8(before), vget_low_u8(now), n_classes);
    uint16x8_t b = rows_of(vget_high_u8(before), vget_high_u8(now), n_classes);
    if (!ascii) {
      a = vbicq_u16(a, vreinterpretq_u16_u8(vzip1q_u8(tail, tail)));
      b = vbicq_u16(b, vreinterpretq_u16_u8(vzip2q_u8(tail, tail)));
    }
    vst1q_u16(row + i, a);
    vst1q_u16(row + i + 8, b);
  }
}

/// A state and what its step told, in the first byte; the others are of no use.
inline uint8x16_t step(const std::uint8_t* row, uint8x16_t state) {
  return vqtbl1q_u8(vld1q_u8(row), vandq_u8(state, filled(ScanTables::kState)));
}

inline std::uint8_t walk_two(const std::uint8_t* rows, const std::uint16_t* row,
                             std::uint8_t* trace, std::size_t half, std::size_t rest,
                             std::uint8_t first, std::uint8_t second) {
  uint8x16_t a = filled(first);
  uint8x16_t b = filled(second);
  for (std::size_t i = 0; i < half; ++i) {
    a = step(rows + row[i], a);
    vst1q_lane_u8(trace + i, a, 0);
    b = step(rows + row[half + i], b);
    vst1q_lane_u8(trace + half + i, b, 0);
  }
  for (std::size_t i = half; i < rest; ++i) {
    b = step(rows + row[half + i], b);
    vst1q_lane_u8(trace + half + i, b, 0);
  }
  return vgetq_lane_u8(b, 0);
}

inline Told told_by(const std::uint8_t* trace) {
  const auto block = load_block(trace);
  Told told;
  told.ends = with_any(block, ScanTables::kEnd);
  const uint8x16_t any = vorrq_u8(vorrq_u8(block.val[0], block.val[1]),
                                  vorrq_u8(block.val[2], block.val[3]));
  if (vmaxvq_u8(any) >= ScanTables::kMark) {
    told.marks = with_any(block, ScanTables::kMark);
    told.commits = with_any(block, ScanTables::kCommit);
  }
  return told;
}

inline std::size_t write(std::uint64_t bits, std::size_t base, std::size_t* ends) {
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;  // there is always a bit to be found
  const auto n = static_cast<std::size_t>(__builtin_popcountll(bits));
  const auto write_next = [&](std::size_t i) {
    ends[i] = base + static_cast<std::size_t>(__builtin_ctzll(bits | kTop));
    bits &= bits - 1;
  };
  for (std::size_t i = 0; i < 16; ++i) write_next(i);  // a branch foretold wrong costs more
  for (std::size_t i = 16; i < n; ++i) write_next(i);
  return n;
}

#include "scan_kernel.hpp"

}  // namespace neon

}  // namespace

std::span<const ScanKernel> scan_kernels() {
  static constexpr ScanKernel kKernels[] = {neon::scan};
  return kKernels;
}

}  // namespace bytepair

#endif
