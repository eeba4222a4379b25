// bytepair/symbols.hpp: the first symbols of a pre-token, before anything is joined. No Python.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bytepair/pair_table.hpp"

namespace bytepair {

/// A character without a token, where the vocabulary has neither byte fallback nor an unknown
/// token.
struct UnknownCharacter : std::runtime_error {
  explicit UnknownCharacter(std::string_view character)
      : std::runtime_error("a character without a token"), bytes(character) {}
  std::string bytes;
};

/// Looks up the parts of pre-tokens: their bytes, or their characters.
/// Twin: bytepair.engines.python._symbols.
class FirstSymbols {
 public:
  static constexpr Symbol kNone = 0xFFFF'FFFF;

  struct Rules {
    bool by_bytes = true;
    bool marks_begin = false;        // parts within a pre-token have symbols of their own
    bool marks_end = false;          // the last part of a pre-token has
    std::optional<Symbol> end;       // follows each pre-token
    std::optional<Symbol> unknown;   // for parts without a symbol
    bool fuse_unknown = false;       // several such neighbours become one
    std::vector<Symbol> fallback;    // of the 256 bytes, for characters without a symbol; or none
  };

  /// Throws std::invalid_argument if `fallback` has neither 256 symbols nor none.
  explicit FirstSymbols(Rules rules);

  /// True for one byte, or for one character (or a byte that is part of none).
  [[nodiscard]] bool is_part(std::string_view bytes) const noexcept;

  /// `part` has this symbol where it continues a word or begins one, and where it ends one or does
  /// not.
  void add(std::string_view part, bool continues, bool ends, Symbol symbol);

  /// Writes the symbols of `word` and returns their number, at most one more than it has bytes.
  /// `sizes`: takes how many bytes each stands for. Throws UnknownCharacter.
  std::size_t write(std::string_view word, Symbol* symbols,
                    std::vector<std::size_t>* sizes = nullptr) const;

  /// By bytes, and each has one symbol wherever it stands: then `of_bytes` is all there is to it.
  [[nodiscard]] bool is_plain() const noexcept { return is_plain_; }
  [[nodiscard]] const Symbol* of_bytes() const noexcept { return bytes_[0].data(); }

  /// False if every word has symbols: nothing throws UnknownCharacter.
  [[nodiscard]] bool may_fail() const noexcept;

  /// True if neighbours without a symbol become one; with byte fallback there are none.
  [[nodiscard]] bool fuses() const noexcept { return fuses_; }

  [[nodiscard]] const Rules& rules() const noexcept { return rules_; }

 private:
  static constexpr std::size_t kPage = 256;

  /// Symbols of the code points of one kind, by pages; page 0 is empty.
  struct Characters {
    std::vector<std::uint16_t> pages = std::vector<std::uint16_t>(0x1100);
    std::vector<Symbol> symbols = std::vector<Symbol>(kPage, kNone);
  };

  struct Part {
    std::string_view bytes;
    std::uint32_t code;
  };
  [[nodiscard]] Part read(std::string_view word, std::size_t at) const noexcept;
  [[nodiscard]] Symbol find(const Part& part, std::size_t kind) const noexcept;
  Symbol* write_unknown(const Part& part, Symbol* at) const;

  Rules rules_;
  bool fuses_;
  bool is_plain_ = false;
  // By kind: 1 for parts that continue a word, and 2 for those that end one.
  std::array<std::array<Symbol, 256>, 4> bytes_;  // parts of one byte
  std::array<Characters, 4> characters_;          // all others
};

}  // namespace bytepair
