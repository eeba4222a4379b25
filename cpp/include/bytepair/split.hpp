// bytepair/split.hpp: where a document is cut into pre-tokens. No Python, no I/O, no locale.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace bytepair {

/// The automaton that bytepair.patterns compiles; the meaning of the tables is told there
/// (patterns/_automaton.py, class Automaton).
struct PatternTables {
  std::vector<std::uint16_t> pages;
  std::vector<std::uint8_t> classes;
  std::uint8_t invalid_class = 0;
  std::uint32_t n_classes = 0;
  std::vector<std::uint16_t> transitions;
};

class Divisions;
struct ScanTables;
struct ScanJob;
struct Scanned;
using ScanKernel = Scanned (*)(const ScanTables&, const ScanJob&);

/// Where the fast path stands in a text (scan.hpp).
struct ScanCursor {
  std::size_t at = 0;  // what lies before has been read
  std::size_t mark = 0;
  std::size_t mark2 = 0;
  std::uint8_t state = 0;
  std::uint8_t class_before = 0;
};

/// What is remembered of one text while it is cut; starts empty with every text, and stays valid
/// while the text grows.
///
/// Dead ends are where the automaton, in which state, found no end of a match any more. A pattern
/// that looks far and gives back (`a*b` on "aaaa…") would read the same characters from every
/// start; with this it stops where an earlier look went in vain.
/// The idea: T. Reps, "Maximal-munch" tokenization in linear time, TOPLAS 20(2), 1998.
class DeadEnds {
 private:
  friend class Splitter;
  std::unordered_set<std::uint64_t> known_;  // only one position in kStride bytes is remembered
  std::vector<std::uint64_t> path_;          // of the look that is under way

  ScanCursor cursor_;
  std::size_t cursor_end_ = static_cast<std::size_t>(-1);  // the last end before the cursor
  std::size_t careful_until_ = 0;  // before, the fast path is not tried again
};

/// Cuts any bytes into pre-tokens. Read-only after construction: safe to share between threads.
/// Twin: bytepair.engines.python.Splitter (tests/parity/test_split.py).
class Splitter {
 public:
  /// The answer of `next` if the end depends on text that has not come yet.
  static constexpr std::size_t kOpen = static_cast<std::size_t>(-1);

  /// Without a pattern a document is one pre-token.
  Splitter() = default;

  /// Throws std::invalid_argument if the tables do not fit together.
  explicit Splitter(PatternTables tables);

  /// The same, cutting by one of `scan_kernels()`, or by none (nullptr): for tests.
  Splitter(PatternTables tables, ScanKernel kernel);

  /// End of the pre-token that starts at `start` < text.size(). With `is_last` false, `text` is
  /// the beginning of a longer document and the answer may be `kOpen`. What the pattern leaves
  /// uncovered up to the next match is a pre-token too. A whole text costs O(n), whatever the
  /// pattern; memory grows only where the pattern reads far beyond the ends that it finds.
  [[nodiscard]] std::size_t next(std::string_view text, std::size_t start, bool is_last,
                                 DeadEnds& dead_ends) const;

  static constexpr std::size_t kLeastBatch = 128;
  static constexpr std::size_t kBatch = 512;  // a good size: less is slower, more leaves the cache

  /// Many ends in one call, ten times as fast as `next`. `ends` is scratch of at least kLeastBatch
  /// of them. Returns how many were found: not always all there is room for, and 0 only if the next
  /// one depends on text that has not come yet. `start` is where the call before has ended, or 0;
  /// else `dead_ends` is empty. All the rest as for `next`.
  [[nodiscard]] std::size_t cut(std::string_view text, std::size_t start, bool is_last,
                                DeadEnds& dead_ends, std::span<std::size_t> ends) const;

  /// The same with `kGap` set in the ends of what the pattern leaves uncovered.
  [[nodiscard]] std::size_t cut_marked(std::string_view text, std::size_t start, bool is_last,
                                       DeadEnds& dead_ends, std::span<std::size_t> ends) const;
  static constexpr std::size_t kGap = ~(static_cast<std::size_t>(-1) >> 1);

 private:
  friend class SplitChain;

  struct Character {
    std::size_t size;  // bytes; 0: cut off by the end of the text
    std::uint8_t char_class;
  };
  [[nodiscard]] Character read(const unsigned char* at, const unsigned char* end) const noexcept;
  [[nodiscard]] std::uint8_t class_of(std::uint32_t code) const noexcept;
  [[nodiscard]] std::size_t match(std::string_view text, std::size_t start, bool is_last,
                                  DeadEnds& dead_ends) const;
  [[nodiscard]] std::size_t skip(std::string_view text, std::size_t start, bool is_last,
                                 DeadEnds& dead_ends) const;
  [[nodiscard]] bool begins_gap(std::string_view text, std::size_t start,
                                DeadEnds& dead_ends) const;

  std::shared_ptr<const PatternTables> tables_;  // none: no pattern
  std::size_t row_size_ = 0;
  std::array<std::uint8_t, 128> ascii_class_{};
  std::shared_ptr<const Divisions> divisions_;
  std::shared_ptr<const ScanTables> scan_;
  ScanKernel kernel_ = nullptr;  // none: there is only `next`
};

/// What becomes of a match; bytepair.model.Behavior says what each means.
enum class Behavior : std::uint8_t {
  kIsolated,
  kRemoved,
  kMergedWithPrevious,
  kMergedWithNext,
  kContiguous,
};

/// Several splits one inside the other: a piece that one leaves is a whole text to the next.
/// Read-only after construction: safe to share between threads.
class SplitChain {
 public:
  struct Step {
    Splitter splitter;
    Behavior behavior = Behavior::kIsolated;
    bool invert = false;  // what lies between the matches counts as a match, and these do not
  };

  /// Set in the end of a piece that is dropped from the text.
  static constexpr std::size_t kRemoved = Splitter::kGap;

  /// How far the cutting of one text has come; starts empty with every text, and stays valid while
  /// the text grows.
  class Progress {
   private:
    friend class SplitChain;
    /// The cuts of one step in the piece that is a whole text to it.
    struct Level {
      DeadEnds dead_ends;
      std::size_t at = 0;   // how far its splitter has come
      std::size_t end = 0;  // of the piece
      std::array<std::size_t, Splitter::kLeastBatch + 1> found;
      std::size_t n_used = 0;  // of those found
      std::size_t n_found = 0;
    };
    std::vector<Level> levels_;
    DeadEnds dead_ends_;  // of a chain that is one plain splitter
    ScanCursor cursor_;   // of one that is one machine
  };

  /// Without steps a text is one piece.
  SplitChain() : SplitChain(std::vector<Step>()) {}
  SplitChain(Splitter splitter);  // NOLINT(google-explicit-constructor): a chain of one
  explicit SplitChain(std::vector<Step> steps);

  /// True if ends may carry `kRemoved`.
  [[nodiscard]] bool removes() const noexcept;

  /// The next ends, as `Splitter::cut` gives them; `start` is 0, or the last end (without the mark)
  /// of the call before. If none come (0 is returned), the last one is also a place from which on
  /// the text can be cut anew, with an empty `Progress`.
  [[nodiscard]] std::size_t cut(std::string_view text, std::size_t start, bool is_last,
                                Progress& progress, std::span<std::size_t> ends) const;

  /// A place in [from, to) where a piece ends whatever stands before and behind it, so that the
  /// texts on both sides can be cut apart from each other, by two threads say; `kNone` if there is
  /// none. Between letters there is never one, before a space behind a letter nearly always.
  /// O(to - from).
  [[nodiscard]] std::size_t certain_border(std::string_view text, std::size_t from,
                                           std::size_t to) const;
  static constexpr std::size_t kNone = Splitter::kOpen;

 private:
  [[nodiscard]] bool is_certain(std::uint32_t before, std::uint32_t behind) const;

  struct Text {
    std::string_view bytes;
    bool is_last;
    std::vector<Progress::Level>& levels;
  };
  enum class Look : std::uint8_t { kMatch, kOther, kEnd, kOpen };
  [[nodiscard]] std::size_t cut_level_by_level(const Text& text, std::span<std::size_t> ends) const;
  [[nodiscard]] std::size_t enter(const Text& text, std::size_t level) const;
  [[nodiscard]] std::size_t piece(const Text& text, std::size_t level) const;
  [[nodiscard]] Look look(const Text& text, std::size_t level, std::size_t ahead) const;
  std::size_t fill(const Text& text, std::size_t level, std::span<std::size_t> ends,
                   bool marked) const;

  std::vector<Step> steps_;
  bool is_plain_ = true;  // one isolated split: `Splitter::cut` is all there is to it
  std::shared_ptr<const ScanTables> scan_;  // several isolated splits as one machine
  ScanKernel kernel_ = nullptr;
};

}  // namespace bytepair
