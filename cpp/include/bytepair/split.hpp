// bytepair/split.hpp: where a document is cut into pre-tokens. No Python, no I/O, no locale.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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

/// What was seen ahead in one text while it was cut: where the automaton, in which state, found no
/// end of a match any more. A pattern that looks far and gives back (`a*b` on "aaaa…") would read
/// the same characters from every start; with this it stops where an earlier look went in vain.
/// The idea: T. Reps, "Maximal-munch" tokenization in linear time, TOPLAS 20(2), 1998.
class DeadEnds {
 private:
  friend class Splitter;
  std::unordered_set<std::uint64_t> known_;  // only one position in kStride bytes is remembered
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
  explicit Splitter(PatternTables tables);

  /// End of the pre-token that starts at `start` < text.size(). With `is_last` false, `text` is
  /// the beginning of a longer document and the answer may be `kOpen`. What the pattern leaves
  /// uncovered up to the next match is a pre-token too. `dead_ends` starts empty with every text
  /// (and stays valid while the text grows). A whole text costs O(n), whatever the pattern; memory
  /// grows only where the pattern reads far beyond the ends that it finds.
  [[nodiscard]] std::size_t next(std::string_view text, std::size_t start, bool is_last,
                                 DeadEnds& dead_ends) const;

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

  bool has_pattern_ = false;
  std::uint8_t invalid_class_ = 0;
  std::size_t row_size_ = 0;
  std::array<std::uint8_t, 128> ascii_class_{};
  std::vector<std::uint16_t> pages_;
  std::vector<std::uint8_t> classes_;
  std::vector<std::uint16_t> transitions_;
};

}  // namespace bytepair
