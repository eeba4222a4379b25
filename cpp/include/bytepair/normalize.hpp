// bytepair/normalize.hpp: changes text before it is cut. No Python, no I/O, no locale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bytepair {

/// Finds the places where a text may not be in a Unicode normal form, by looking at one character
/// after the other. Source: Unicode Standard Annex 15, section 9, "Detecting Normalization Forms".
class QuickCheck {
 public:
  /// Value of a character that may change, alone or with what stands before it. The others have
  /// their canonical combining class.
  static constexpr std::uint8_t kMayChange = 255;

  /// `values[i]` is that of code point `codes[i]`; all others have 0. Throws std::invalid_argument
  /// if the lengths differ, or a code is ASCII (which never changes) or no code point.
  QuickCheck(std::span<const std::uint32_t> codes, std::span<const std::uint8_t> values);

  struct Window {
    std::size_t start;  // text.size() if nothing may change
    std::size_t end;
  };
  /// The next stretch that may have to change; it can be normalised by itself. `from` is 0 or the
  /// end of a window.
  [[nodiscard]] Window next(std::string_view text, std::size_t from) const noexcept;

  /// True if neither character can change when they stand beside each other, in this order; but for
  /// what stands before the first.
  [[nodiscard]] bool keeps(std::uint32_t before, std::uint32_t behind) const noexcept {
    return value(before) == 0 && value(behind) == 0;
  }

 private:
  [[nodiscard]] std::uint8_t value(std::uint32_t code) const noexcept;

  std::vector<std::uint16_t> pages_;
  std::vector<std::uint8_t> values_;
};

/// A text of which the steps make so much that they can only be damaged, or made to do harm.
struct Overgrown : std::length_error {
  explicit Overgrown(std::size_t bound) : std::length_error("a text grows too much"), limit(bound) {}
  std::size_t limit;  // most bytes it may become
};

/// Applies steps in order. Read-only after construction; safe to share between threads if the
/// functions it was given are. Twin: bytepair.normalizers (tests/parity/test_normalize.py).
class Normalizer {
 public:
  using Function = std::function<std::string(std::string_view)>;

  struct Prepend {
    std::string text;
  };
  struct Replace {
    std::string old_text;  // not empty
    std::string new_text;
  };
  struct Form {
    QuickCheck check;
    Function normalize;  // of a window
  };
  struct Call {
    /// May throw rather than give more than `limit` bytes.
    std::function<std::string(std::string_view text, std::size_t limit)> change;
  };
  using Step = std::variant<Prepend, Replace, Form, Call>;

  /// Throws std::invalid_argument if a text to be replaced is empty.
  explicit Normalizer(std::vector<Step> steps = {});

  /// Where changed text lies; kept by the caller so that its memory is used again.
  struct Buffers {
    std::string now;
    std::string then;
  };

  /// The normalised text: `text` itself if nothing changes, else in `buffers`. O(n), but for the
  /// functions. Throws Overgrown if a step makes more of it than `limit(text.size())` bytes.
  [[nodiscard]] std::string_view apply(std::string_view text, Buffers& buffers) const;

  /// Most bytes that a text may become. Beyond what all normal forms together can make of it.
  [[nodiscard]] static std::size_t limit(std::size_t n_bytes) noexcept {
    return kMostGrowth * (n_bytes + kFreeBytes);
  }

  [[nodiscard]] bool empty() const noexcept { return steps_.empty(); }

  /// True if a text may be divided between two characters: they stay what they are, and both parts
  /// change as they do within the whole. May be false where that is so.
  [[nodiscard]] bool divides(std::uint32_t before, std::uint32_t behind) const noexcept;

 private:
  static constexpr std::size_t kMostGrowth = 256;
  static constexpr std::size_t kFreeBytes = 16;

  std::vector<Step> steps_;
};

}  // namespace bytepair
