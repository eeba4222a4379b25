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

struct ScanJob;
struct Scanned;
struct ScanTables;

/// The automaton that bytepair.patterns compiles; the meaning of the tables is told there
/// (patterns/_automaton.py, class Automaton).
struct PatternTables {
  std::vector<std::uint16_t> pages;
  std::vector<std::uint8_t> classes;
  std::uint8_t invalid_class = 0;
  std::uint32_t n_classes = 0;
  std::vector<std::uint16_t> transitions;
};

/// What was seen ahead in one text while it was cut: where the automaton, in which state, found no
/// end of a match any more. A pattern that looks far and gives back (`a*b` on "aaaa…") would read
/// the same characters from every start; with this it stops where an earlier look went in vain.
/// The idea: T. Reps, "Maximal-munch" tokenization in linear time, TOPLAS 20(2), 1998.
class DeadEnds {
 private:
  friend class Splitter;
  std::unordered_set<std::uint64_t> known_;  // only one position in kStride bytes is remembered
  std::size_t careful_until_ = 0;            // where many ends at once may be tried again
  std::vector<std::uint64_t> path_;          // of the look that is under way
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
  explicit Splitter(const PatternTables& tables);

  /// End of the pre-token that starts at `start` < text.size(). With `is_last` false, `text` is
  /// the beginning of a longer document and the answer may be `kOpen`. What the pattern leaves
  /// uncovered up to the next match is a pre-token too. `dead_ends` starts empty with every text
  /// (and stays valid while the text grows). A whole text costs O(n), whatever the pattern; memory
  /// grows only where the pattern reads far beyond the ends that it finds.
  [[nodiscard]] std::size_t next(std::string_view text, std::size_t start, bool is_last,
                                 DeadEnds& dead_ends) const;

  /// A good size of `ends` below: fewer are slower, and these stay in the first cache.
  static constexpr std::size_t kBatch = 512;

  /// Many ends at once: from `start` < text.size() on, into `ends` (at least one; as many as
  /// convenient, not always all that fit). Returns how many; 0 only if `next` would be `kOpen`. The
  /// last one is where to go on. All else as for `next`.
  [[nodiscard]] std::size_t cut(std::string_view text, std::size_t start, bool is_last,
                                DeadEnds& dead_ends, std::span<std::size_t> ends) const;

  /// The same with `kGap` set in the ends of what the pattern leaves uncovered.
  [[nodiscard]] std::size_t cut_marked(std::string_view text, std::size_t start, bool is_last,
                                       DeadEnds& dead_ends, std::span<std::size_t> ends) const;
  static constexpr std::size_t kGap = ~(static_cast<std::size_t>(-1) >> 1);

 private:
  struct Character {
    std::size_t size;  // bytes; 0: cut off by the end of the text
    std::uint8_t char_class;
  };
  [[nodiscard]] Character read(const unsigned char* at, const unsigned char* end) const noexcept;
  [[nodiscard]] std::size_t match(std::string_view text, std::size_t start, bool is_last,
                                  DeadEnds& dead_ends) const;
  [[nodiscard]] std::size_t skip(std::string_view text, std::size_t start, bool is_last,
                                 DeadEnds& dead_ends) const;

  /// `next` with `kGap` set if what ends is a gap.
  [[nodiscard]] std::size_t next_marked(std::string_view text, std::size_t start, bool is_last,
                                        DeadEnds& dead_ends) const;
  [[nodiscard]] std::size_t cut_either(std::string_view text, std::size_t start, bool is_last,
                                       DeadEnds& dead_ends, std::span<std::size_t> ends,
                                       bool is_marked) const;

  bool has_pattern_ = false;
  std::shared_ptr<const ScanTables> scan_;
  Scanned (*kernel_)(const ScanTables&, const ScanJob&) = nullptr;  // none: `next` is all there is
  std::uint8_t invalid_class_ = 0;
  std::size_t row_size_ = 0;
  std::array<std::uint8_t, 128> ascii_class_{};
  std::vector<std::uint16_t> pages_;
  std::vector<std::uint8_t> classes_;
  std::vector<std::uint16_t> transitions_;
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

  /// How far the cutting of one text has come; starts empty with every text. Whoever goes on in a
  /// text that has grown keeps it.
  class Progress {
   private:
    friend class SplitChain;
    /// The cuts of one step in the piece that is a whole text to it.
    struct Level {
      DeadEnds dead_ends;
      std::size_t at = 0;   // how far its splitter has come
      std::size_t end = 0;  // of the piece
      std::array<std::size_t, 64> found;
      std::size_t n_used = 0;  // of those found
      std::size_t n_found = 0;
    };
    std::vector<Level> levels_;
    DeadEnds dead_ends_;  // of a chain that is one plain splitter
  };

  /// Without steps a text is one piece.
  SplitChain() : SplitChain(Splitter()) {}
  SplitChain(Splitter splitter);  // NOLINT(google-explicit-constructor): a chain of one
  explicit SplitChain(std::vector<Step> steps);

  /// True if ends may carry `kRemoved`.
  [[nodiscard]] bool removes() const noexcept;

  /// The next ends, as `Splitter::cut` gives them; `start` is 0 or the last end (without marks) of
  /// the call before. If no more come (0 is returned), the last one is also a place from where on a
  /// text can be cut anew, with an empty `Progress`.
  [[nodiscard]] std::size_t cut(std::string_view text, std::size_t start, bool is_last,
                                Progress& progress, std::span<std::size_t> ends) const;

 private:
  struct Text {
    std::string_view bytes;
    bool is_last;
    std::vector<Progress::Level>& levels;
  };
  enum class Look : std::uint8_t { kMatch, kOther, kEnd, kOpen };
  [[nodiscard]] std::size_t enter(const Text& text, std::size_t level) const;
  [[nodiscard]] std::size_t piece(const Text& text, std::size_t level) const;
  [[nodiscard]] Look look(const Text& text, std::size_t level, std::size_t ahead) const;
  std::size_t fill(const Text& text, std::size_t level, std::span<std::size_t> ends,
                   bool marked) const;

  std::vector<Step> steps_;
  bool is_plain_ = true;  // one isolated split: `Splitter::cut` is all there is to it
};

}  // namespace bytepair
