// tables.hpp: a few patterns as tables, and the same cuts made by hand.
//
// The transitions were printed by
//   python -c "from bytepair.patterns import automaton; print(automaton('...').transitions)"
// and the classes are those of the same automaton. The naive matchers beside them know nothing of
// tables: they are what each pattern means, in a few obvious lines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bytepair/split.hpp"

namespace tables {

using bytepair::PatternTables;
using Random = std::mt19937;
using Characters = std::vector<std::string>;

/// Tables in which equal rows of classes are stored once.
template <class ClassOf>
PatternTables make(std::uint32_t n_classes, const ClassOf& class_of,
                   std::vector<std::uint16_t> transitions) {
  PatternTables tables;
  tables.n_classes = n_classes;
  tables.transitions = std::move(transitions);
  std::map<std::vector<std::uint8_t>, std::uint16_t> number_by_row;
  for (std::uint32_t page = 0; page < 0x1100; ++page) {
    std::vector<std::uint8_t> row;
    for (std::uint32_t code = page * 256; code < (page + 1) * 256; ++code) {
      row.push_back(static_cast<std::uint8_t>(class_of(code)));
    }
    const auto number = static_cast<std::uint16_t>(number_by_row.size());
    const auto [place, is_new] = number_by_row.try_emplace(row, number);
    if (is_new) tables.classes.insert(tables.classes.end(), row.begin(), row.end());
    tables.pages.push_back(place->second);
  }
  return tables;
}

/// `[a-z]+|[^a-z]+`: covers everything, bytes that are not UTF-8 too.
inline PatternTables letters() {
  const auto class_of = [](std::uint32_t c) { return c >= 'a' && c <= 'z'; };
  return make(2, class_of, {0, 0, 0, 4, 6, 0, 5, 1, 1, 1, 7, 1});
}

/// ` ?[a-z]+|[ \n]+(?![^ \n])|[ \n]+`: one character of lookahead; other characters are gaps.
inline PatternTables words() {
  const auto class_of = [](std::uint32_t c) {
    return c == '\n' ? 1 : c == ' ' ? 2 : c >= 'a' && c <= 'z' ? 3 : 0;
  };
  return make(4, class_of, {0, 0,  0,  0, 0, 0, 4, 6, 8, 0, 1, 11, 11, 1, 1,
                            1, 11, 11, 9, 1, 1, 1, 1, 9, 1, 0, 11, 11, 0, 1});
}

/// `[ab]b|a`: reads on after a possible end and may have to go back to it.
inline PatternTables back_off() {
  const auto class_of = [](std::uint32_t c) { return c == 'a' ? 1 : c == 'b' ? 2 : 0; };
  return make(3, class_of, {0, 0, 0, 0, 0, 4, 6, 0, 1, 1, 9, 1, 0, 0, 8, 0, 1, 1, 1, 1});
}

/// `a*b|a`: looks ahead as far as the letters go, and gives nearly all of them back.
inline PatternTables far() {
  const auto class_of = [](std::uint32_t c) { return c == 'a' ? 1 : c == 'b' ? 2 : 0; };
  return make(3, class_of, {0, 0, 0, 0, 0, 4, 6, 0, 1, 9, 7, 1, 1, 1, 1, 1, 0, 8, 6, 0});
}

/// `[\u0400-\u04ff]+|[\U0001f600-\U0001f64f]+`: characters of two and of four bytes.
inline PatternTables scripts() {
  const auto class_of = [](std::uint32_t c) {
    return c >= 0x400 && c <= 0x4FF ? 1 : c >= 0x1F600 && c <= 0x1F64F ? 2 : 0;
  };
  return make(3, class_of, {0, 0, 0, 0, 0, 4, 6, 0, 1, 5, 1, 1, 1, 1, 7, 1});
}

/// Length in characters of the run of characters from `at` on for which `inside` holds.
template <class Inside>
std::size_t run(const Characters& text, std::size_t at, const Inside& inside) {
  std::size_t n = 0;
  while (at + n < text.size() && inside(text[at + n])) ++n;
  return n;
}

inline bool is_letter(const std::string& c) { return c.size() == 1 && c[0] >= 'a' && c[0] <= 'z'; }
inline bool is_space(const std::string& c) { return c == " " || c == "\n"; }

inline std::size_t match_letters(const Characters& text, std::size_t at) {
  const bool letters = is_letter(text[at]);
  return run(text, at, [&](const auto& c) { return is_letter(c) == letters; });
}

inline std::size_t match_words(const Characters& text, std::size_t at) {
  const std::size_t space = text[at] == " " ? 1 : 0;
  if (const auto n = run(text, at + space, is_letter)) return space + n;
  const auto n = run(text, at, is_space);
  // Before other text the last space is left to what follows, if it is not the only one.
  return at + n < text.size() && n > 1 ? n - 1 : n;
}

inline std::size_t match_back_off(const Characters& text, std::size_t at) {
  const bool a = text[at] == "a";
  if ((a || text[at] == "b") && at + 1 < text.size() && text[at + 1] == "b") return 2;
  return a ? 1 : 0;
}

inline std::size_t match_far(const Characters& text, std::size_t at) {
  const auto n = run(text, at, [](const auto& c) { return c == "a"; });
  if (at + n < text.size() && text[at + n] == "b") return n + 1;
  return std::min<std::size_t>(n, 1);
}

inline std::size_t match_scripts(const Characters& text, std::size_t at) {
  const auto cyrillic = [](const auto& c) { return c >= "\xD0\x80" && c <= "\xD3\xBF"; };
  const auto face = [](const auto& c) {
    return c >= "\xF0\x9F\x98\x80" && c <= "\xF0\x9F\x99\x8F";
  };
  const auto whole = [](const auto& inside) {
    return [=](const std::string& c) { return c.size() > 1 && inside(c); };
  };
  return std::max(run(text, at, whole(cyrillic)), run(text, at, whole(face)));
}

/// UTF-8 of a code point, by the definition.
inline std::string utf8_of(std::uint32_t code) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | code >> 18), tail(12), tail(6), tail(0)};
}

/// Every character there is: its bytes -> its code point. Surrogates are none.
inline const std::unordered_map<std::string, std::uint32_t>& code_by_character() {
  static const auto all = [] {
    std::unordered_map<std::string, std::uint32_t> codes;
    for (std::uint32_t code = 0; code < 0x110000; ++code) {
      if (code < 0xD800 || code > 0xDFFF) codes.emplace(utf8_of(code), code);
    }
    return codes;
  }();
  return all;
}

/// The characters of any bytes; what is part of none stands for itself, byte by byte.
inline Characters characters(std::string_view bytes) {
  Characters found;
  while (!bytes.empty()) {
    std::size_t size = std::min<std::size_t>(bytes.size(), 4);
    while (size > 1 && !code_by_character().contains(std::string(bytes.substr(0, size)))) --size;
    found.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return found;
}

using Match = std::size_t (*)(const Characters&, std::size_t);

/// Ends of the pre-tokens in bytes: matches, and the gaps in which nothing matches.
inline std::vector<std::size_t> naive_cuts(Match match, std::string_view bytes) {
  const auto text = characters(bytes);
  std::vector<std::size_t> ends;
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto n = match(text, at);
    for (std::size_t i = 0; i < std::max<std::size_t>(n, 1); ++i) end += text[at++].size();
    if (n > 0 || at == text.size() || match(text, at) > 0) ends.push_back(end);
  }
  return ends;
}

/// Whole characters, beginnings and ends of characters, and what never is one, all mixed up.
inline std::string random_text(Random& random, std::size_t n_pieces) {
  static const std::vector<std::string> kPieces = {"a",
                                                   "b",
                                                   "ab",
                                                   "z",
                                                   " ",
                                                   "  ",
                                                   "\n",
                                                   "1",
                                                   "A",
                                                   "\xD0\xB0",
                                                   "\xD1\x8F",
                                                   "\xC3\xA9",
                                                   "\xD0",
                                                   "\xB0",
                                                   "\xF0\x9F\x98\x80",
                                                   "\xF0\x9F\x99",
                                                   "\xED\xA0\x80",
                                                   "\xE2\x82\xAC",
                                                   "\xE2\x82",
                                                   "\xC0\x80",
                                                   "\xF4\x90\x80\x80",
                                                   "\xFF"};
  std::string text;
  for (std::size_t i = 0; i < n_pieces; ++i) {
    const auto choice = random() % (kPieces.size() + 1);
    text += choice < kPieces.size() ? kPieces[choice] : std::string{static_cast<char>(random())};
  }
  return text;
}

}  // namespace tables
