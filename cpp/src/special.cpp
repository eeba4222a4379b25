// special.cpp: skip to where a token may begin, then narrow down the sorted tokens byte by byte.
#include "bytepair/special.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "bytepair/utf8.hpp"

namespace bytepair {
namespace {

unsigned char byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

/// The White_Space property; it has not changed since Unicode 6.3.
bool is_space(std::uint32_t code) {
  if (code < 0x80) return code == ' ' || (code >= '\t' && code <= '\r');
  return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) ||
         code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

/// The character that begins at `at` < text.size(); a byte that is no character has size 1.
Utf8 character_at(std::string_view text, std::size_t at) {
  const auto* begin = bytes_of(text);
  auto character = read_utf8(begin + at, begin + text.size());
  if (character.size == 0) character.size = 1;
  return character;
}

/// The character that ends at `end` > 0.
Utf8 character_before(std::string_view text, std::size_t end) {
  for (std::size_t size = 1; size <= std::min<std::size_t>(4, end); ++size) {
    const auto character = character_at(text.substr(0, end), end - size);
    if (character.code != Utf8::kInvalid && character.size == size) return character;
  }
  return {1, Utf8::kInvalid};
}

std::size_t behind_spaces(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const auto character = character_at(text, at);
    if (!is_space(character.code)) break;
    at += character.size;
  }
  return at;
}

std::size_t before_spaces(std::string_view text, std::size_t at) {
  while (at > 0) {
    const auto character = character_before(text, at);
    if (!is_space(character.code)) break;
    at -= character.size;
  }
  return at;
}

/// Where the character begins that has bytes on both sides of `at`; `at` if none has.
std::size_t outside_characters(std::string_view text, std::size_t at) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, at) && at < text.size(); ++back) {
    const auto character = character_at(text, at - back);
    if (character.code != Utf8::kInvalid && character.size > back) return at - back;
  }
  return at;
}

/// True if `rest` may be the beginning of a character, or is nothing at all.
bool is_unfinished(std::string_view rest) {
  return rest.empty() ||
         (rest.size() < 4 && read_utf8(bytes_of(rest), bytes_of(rest) + rest.size()).size == 0);
}

/// Bytes at the end of `text` that may be the beginning of a character.
std::size_t unfinished_size(std::string_view text) {
  std::size_t size = std::min<std::size_t>(3, text.size());
  while (!is_unfinished(text.substr(text.size() - size))) --size;
  return size;
}

}  // namespace

SpecialMatcher::SpecialMatcher(std::vector<std::string> contents) {
  sorted_.reserve(contents.size());
  for (std::size_t number = 0; number < contents.size(); ++number) {
    if (contents[number].empty()) throw std::invalid_argument("special tokens must not be empty");
    longest_ = std::max(longest_, contents[number].size());
    sorted_.push_back({std::move(contents[number]), number});
  }
  std::ranges::stable_sort(sorted_, {}, &Content::bytes);
  const auto is_same = [](const Content& one, const Content& other) {
    return one.bytes == other.bytes;
  };
  sorted_.erase(std::unique(sorted_.begin(), sorted_.end(), is_same), sorted_.end());
  std::size_t at = 0;
  for (std::size_t first = 0; first < 256; ++first) {
    first_[first] = at;
    while (at < sorted_.size() && byte_at(sorted_[at].bytes, 0) == first) ++at;
    if (at == sorted_.size() && first_[first] == 0 && at > 0) only_first_ = static_cast<int>(first);
  }
  first_[256] = at;
}

SpecialMatcher::Found SpecialMatcher::find(std::string_view text, std::size_t from,
                                           std::size_t to) const {
  const Found none{text.size(), 0, 0};
  if (sorted_.empty()) return none;
  to = std::min(to, text.size());
  for (auto start = candidate(text, from, to); start < to; start = candidate(text, start + 1, to)) {
    auto range = beginning_with(byte_at(text, start));
    const Content* longest = nullptr;
    for (std::size_t size = 1; range.first < range.second; ++size) {
      if (sorted_[range.first].bytes.size() == size) longest = &sorted_[range.first++];
      if (start + size == text.size()) break;
      range = narrowed(range, size, byte_at(text, start + size));
    }
    if (longest != nullptr) return {start, longest->bytes.size(), longest->number};
  }
  return none;
}

std::size_t SpecialMatcher::begun(std::string_view text) const {
  std::size_t from = text.size() - std::min(text.size(), longest_ == 0 ? 0 : longest_ - 1);
  for (auto start = candidate(text, from, text.size()); start < text.size();
       start = candidate(text, start + 1, text.size())) {
    auto range = beginning_with(byte_at(text, start));
    std::size_t size = 1;
    for (; range.first < range.second; ++size) {
      if (sorted_[range.first].bytes.size() == size) ++range.first;
      if (range.first == range.second || start + size == text.size()) break;
      range = narrowed(range, size, byte_at(text, start + size));
    }
    if (range.first < range.second) return start;
  }
  return text.size();
}

/// The first place in [from, to) whose byte begins some content; `to` if there is none.
std::size_t SpecialMatcher::candidate(std::string_view text, std::size_t from,
                                      std::size_t to) const noexcept {
  if (from >= to || sorted_.empty()) return to;
  if (only_first_ >= 0) {
    const auto* found = std::memchr(text.data() + from, only_first_, to - from);
    return found == nullptr ? to : static_cast<std::size_t>(static_cast<const char*>(found) -
                                                            text.data());
  }
  while (from < to) {
    const auto [begin, end] = beginning_with(byte_at(text, from));
    if (begin < end) break;
    ++from;
  }
  return from;
}

SpecialMatcher::Range SpecialMatcher::beginning_with(unsigned char first) const noexcept {
  return {first_[first], first_[first + std::size_t{1}]};
}

/// Those of `range`, all longer than `place` and alike up to there, that have `byte` there.
SpecialMatcher::Range SpecialMatcher::narrowed(Range range, std::size_t place,
                                               unsigned char byte) const {
  const auto begin = sorted_.begin() + static_cast<std::ptrdiff_t>(range.first);
  const auto end = sorted_.begin() + static_cast<std::ptrdiff_t>(range.second);
  const auto there = [place](const Content& content) { return byte_at(content.bytes, place); };
  // Not equal_range: clang before 16 cannot read the ranges of libstdc++.
  const auto first = std::ranges::lower_bound(begin, end, byte, {}, there);
  const auto last = std::ranges::upper_bound(first, end, byte, {}, there);
  return {static_cast<std::size_t>(first - sorted_.begin()),
          static_cast<std::size_t>(last - sorted_.begin())};
}

bool SpecialMatcher::is_clear(std::string_view text, std::size_t at) const {
  if (longest_ == 0) return true;
  const std::size_t from = at - std::min(at, longest_);
  const auto around = text.substr(0, std::min(at + longest_, text.size()));
  return find(around, from, std::min(at + 1, around.size())).size == 0;
}

AddedTokens::AddedTokens(std::vector<AddedToken> tokens, CodeRanges word)
    : tokens_(std::move(tokens)), word_(std::move(word)) {
  std::vector<std::string> contents;
  contents.reserve(tokens_.size());
  for (auto& token : tokens_) {
    contents.push_back(std::move(token.content));  // the matcher alone needs it
    takes_space_before_ |= token.lstrip;
  }
  matcher_ = SpecialMatcher(std::move(contents));
}

bool AddedTokens::next(std::string_view text, Cursor& cursor, Found& found) const {
  Match match;
  if (tokens_.empty() || !next(text, cursor, match)) return false;
  found = match.found;
  return true;
}

bool AddedTokens::next(std::string_view text, Cursor& cursor, Match& match) const {
  while (true) {
    const auto content = matcher_.find(text, cursor.at, text.size());
    if (content.size == 0) return false;
    const auto& token = tokens_[content.number];
    auto start = content.start;
    auto end = start + content.size;
    cursor.at = end;
    if (token.single_word && is_inside_word(text, start, end)) continue;
    if (token.lstrip) start = std::max(before_spaces(text, start), cursor.last);
    if (token.rstrip) end = behind_spaces(text, end);
    if (start >= end) continue;  // the token before has taken all of it
    cursor.last = end;
    match = {{start, end, token.id}, content.number};
    return true;
  }
}

std::size_t AddedTokens::certain(std::string_view text) const {
  std::vector<Match> matches;
  auto place = matcher_.begun(text);
  Cursor cursor;
  for (Match match; !tokens_.empty() && next(text, cursor, match);) {
    matches.push_back(match);
    const auto& token = tokens_[match.number];
    if ((token.rstrip || token.single_word) && is_unfinished(text.substr(match.found.end))) {
      place = std::min(place, match.found.start);
    }
  }
  if (takes_space_before_) {
    place = std::min(place, text.size() - unfinished_size(text));
    // Tokens are any bytes: one may have begun within white space that another may take.
    place = before_spaces(text, outside_characters(text, place));
  }
  for (auto match = matches.rbegin(); match != matches.rend(); ++match) {
    if (match->found.start < place && place < match->found.end) place = match->found.start;
  }
  return place;
}

bool AddedTokens::divides(std::string_view text, std::size_t at) const {
  if (tokens_.empty()) return true;
  // White space on both sides may all belong to one token.
  const bool is_in_spaces = before_spaces(text, at) < at && behind_spaces(text, at) > at;
  return !is_in_spaces && matcher_.is_clear(text, at);
}

/// True if a word character stands before `start` or behind `end`.
bool AddedTokens::is_inside_word(std::string_view text, std::size_t start, std::size_t end) const {
  const auto is_word = [this](std::uint32_t code) {
    const auto after = std::ranges::upper_bound(word_, code, {}, [](auto range) { return range.first; });
    return after != word_.begin() && code <= std::prev(after)->second;
  };
  return (start > 0 && is_word(character_before(text, start).code)) ||
         (end < text.size() && is_word(character_at(text, end).code));
}

}  // namespace bytepair
