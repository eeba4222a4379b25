// bytepair/special.hpp: finds added tokens in text. No Python, no I/O, no locale.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bytepair {

/// Finds the leftmost of many byte strings, the longest where several start. Read-only after
/// construction: safe to share between threads. Twin: bytepair.engines.python.Contents.
class SpecialMatcher {
 public:
  struct Found {
    std::size_t start;   // text.size() if nothing was found
    std::size_t size;    // 0 if nothing was found
    std::size_t number;  // of the string, in the order given; of equal ones the first
  };

  /// `contents`: not empty strings; throws std::invalid_argument if one is.
  explicit SpecialMatcher(std::vector<std::string> contents = {});

  /// The first match that starts in [from, to). Where no string begins a text costs what it costs
  /// to read it; where one may, a binary search for each byte that goes on as one does.
  [[nodiscard]] Found find(std::string_view text, std::size_t from, std::size_t to) const;

  /// The first place from which `text` ends within one of the strings; its size if there is none.
  [[nodiscard]] std::size_t begun(std::string_view text) const;

  /// True if no string that is in the text ends at `at`, begins there or reaches across.
  [[nodiscard]] bool is_clear(std::string_view text, std::size_t at) const;

  /// Length in bytes of the longest string, 0 without any.
  [[nodiscard]] std::size_t longest() const noexcept { return longest_; }

 private:
  struct Content {
    std::string bytes;
    std::size_t number;
  };
  using Range = std::pair<std::size_t, std::size_t>;
  [[nodiscard]] std::size_t candidate(std::string_view text, std::size_t from,
                                      std::size_t to) const noexcept;
  [[nodiscard]] Range beginning_with(unsigned char first) const noexcept;
  [[nodiscard]] Range narrowed(Range range, std::size_t place, unsigned char byte) const;

  std::vector<Content> sorted_;
  std::array<std::size_t, 257> first_{};  // where in `sorted_` those that begin with a byte begin
  int only_first_ = -1;                   // the byte they all begin with, if there is one
  std::size_t longest_ = 0;
};

/// A set of code points as ranges [first, last], ascending.
using CodeRanges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// A token that is looked for in text and never made by merging. The flags are those of
/// bytepair.model.AddedToken.
struct AddedToken {
  std::string content;
  std::uint32_t id = 0;
  bool lstrip = false;
  bool rstrip = false;
  bool single_word = false;
};

/// Finds added tokens as their flags say. Read-only after construction: safe to share between
/// threads. Twin: bytepair.engines.python._cut (tests/parity/test_cut.py).
class AddedTokens {
 public:
  struct Found {
    std::size_t start;
    std::size_t end;
    std::uint32_t id;
  };

  /// How far the search in one text has come. Starts empty with every text.
  struct Cursor {
    std::size_t at = 0;    // where the next content may begin
    std::size_t last = 0;  // where the last token ended, the white space that it takes included
  };

  AddedTokens() = default;
  /// `word`: the characters that count as part of a word for `single_word`.
  AddedTokens(std::vector<AddedToken> tokens, CodeRanges word);

  /// The next token; false if there is none. White space that one token takes may hold another,
  /// which is found as well: it then starts before the end of the one before.
  bool next(std::string_view text, Cursor& cursor, Found& found) const;

  /// Up to where no text behind `text` can change what is found; in no token.
  [[nodiscard]] std::size_t certain(std::string_view text) const;

  /// True if the same tokens are found before `at` and behind it when the text is divided there.
  /// May be false where that is so.
  [[nodiscard]] bool divides(std::string_view text, std::size_t at) const;

  [[nodiscard]] bool empty() const noexcept { return tokens_.empty(); }

  /// Length in bytes of the longest content, 0 without any.
  [[nodiscard]] std::size_t longest() const noexcept { return matcher_.longest(); }

 private:
  struct Match {
    Found found;
    std::size_t number;
  };
  bool next(std::string_view text, Cursor& cursor, Match& match) const;
  [[nodiscard]] bool is_inside_word(std::string_view text, std::size_t start,
                                    std::size_t end) const;

  std::vector<AddedToken> tokens_;
  SpecialMatcher matcher_;
  CodeRanges word_;
  bool takes_space_before_ = false;
};

/// What one kind of call looks for: tokens in the text as it is, tokens in the normalised text
/// between those, and what must not be in the text. Read-only: safe to share between threads.
struct Cutter {
  AddedTokens original;
  AddedTokens normalized;
  SpecialMatcher forbidden;

  /// True if the same is found on both sides of `at` when the text is divided there. May be false
  /// where that is so.
  [[nodiscard]] bool divides(std::string_view text, std::size_t at) const {
    return original.divides(text, at) && normalized.divides(text, at) &&
           forbidden.is_clear(text, at);
  }
  /// Bytes on both sides of a place that `divides` looks at, white space left out.
  [[nodiscard]] std::size_t reach() const noexcept {
    return std::max({original.longest(), normalized.longest(), forbidden.longest()});
  }
};

}  // namespace bytepair
