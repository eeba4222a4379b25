// scan.hpp: the splitter's fast path; private to the core.
//
// The automaton of a pattern finds one pre-token and starts anew at its end, for which it may have
// to give characters back. Here it is turned into a machine that reads every byte once and never
// goes back (scan_tables.cpp). What a byte does to the machine's state is a row of 16 bytes, so
// that one shuffle is one step (scan_kernel.hpp, for each instruction set).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bytepair/split.hpp"

namespace bytepair {

/// The machine. Character classes are counted from 1 here; the last one is the end of the text.
struct ScanTables {
  static constexpr std::size_t kMostClasses = 62;  // the byte offset of a row fits 16 bits

  /// A row gives for each state the next one, with what it tells. States are numbered for each
  /// class alone, since few can follow it: that is how the states of large patterns fit.
  struct alignas(16) Row {
    std::array<std::uint8_t, 16> next{};
  };
  static constexpr std::uint8_t kState = 0x0F;
  static constexpr std::uint8_t kLost = 15;  // what the machine cannot express; it stays so

  // What a step tells of the place before the byte read:
  static constexpr std::uint8_t kEnd = 0x10;     // a pre-token ends there
  static constexpr std::uint8_t kMark = 0x20;    // one ends there if the next kCommit says so
  static constexpr std::uint8_t kCommit = 0x40;  // one has ended at the last mark
  static constexpr std::uint8_t kMark2 = kMark | kEnd;       // a second one, behind the mark
  static constexpr std::uint8_t kCommit2 = kCommit | kMark;  // at both marks

  // In place of a class, and with one:
  static constexpr std::uint8_t kBad = 0x40;   // this is no character
  static constexpr std::uint8_t kTail = 0x80;  // not the first byte of its character

  std::uint8_t n_classes = 0;
  std::uint8_t invalid_class = 0;
  bool is_complete = true;  // no text leads to kLost
  /// Row `class before * n_classes + class`; 0 before the first character. Row 0 changes nothing.
  std::vector<Row> rows;

  alignas(64) std::array<std::uint8_t, 128> ascii{};
  /// Classes of both bytes by (first & 31) | (second & 63) << 5.
  std::array<std::uint16_t, 2048> two{};
  /// By (first & 15) | (second & 63) << 4 where in `cells` the classes for the third byte begin.
  std::array<std::uint16_t, 1024> three{};
  std::vector<std::uint8_t> cells;
  /// Of any character: by code point / 256 where in `classes` the rest begins.
  std::array<std::uint32_t, 0x1100> pages{};
  std::vector<std::uint8_t> classes;
};

/// The machine for a pattern, or for several, each of which cuts the pieces of the one before it;
/// none if there are too many classes.
[[nodiscard]] std::shared_ptr<const ScanTables> make_scan_tables(
    std::span<const PatternTables* const> levels);

/// A text to cut from the cursor on.
struct ScanJob {
  std::string_view text;
  bool is_last;                 // the text ends here
  std::span<std::size_t> ends;  // at least kScanRoom
  ScanCursor& cursor;           // is moved on
};

struct Scanned {
  std::size_t n_ends;
  bool is_lost;  // only `Splitter::next` can find the next end
};

constexpr std::size_t kScanRoom = Splitter::kLeastBatch;

// What the primitives of a kernel give, a bit for each byte of a block of 64:

/// Kinds of bytes in a block.
struct Masks {
  std::uint64_t leads;   // 0xC0 and above: first bytes of characters
  std::uint64_t threes;  // those of three bytes and more
  std::uint64_t fours;
  std::uint64_t tails;  // 0x80 to 0xBF
};

/// What the steps of a block tell; `marks` and `commits` may be left at 0 if both are.
struct Told {
  std::uint64_t ends = 0;
  std::uint64_t marks = 0;
  std::uint64_t commits = 0;
};

using ScanKernel = Scanned (*)(const ScanTables&, const ScanJob&);

/// Those that this processor can run, the best one first; none on some. They answer alike.
[[nodiscard]] std::span<const ScanKernel> scan_kernels();

}  // namespace bytepair
