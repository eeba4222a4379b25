// split.cpp: walk the automaton over UTF-8.
#include "bytepair/split.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "bytepair/utf8.hpp"

namespace bytepair {
namespace {

constexpr std::size_t kPage = 256;
constexpr std::size_t kPages = 0x110000 / kPage;
constexpr std::uint16_t kStart = 1;
constexpr std::uint32_t kMostClasses = 255;  // the end of the text is one more, all named by a byte
constexpr std::size_t kStride = 32;          // bytes; a power of two

constexpr std::size_t up_to_stride(std::size_t position) {
  return (position + kStride - 1) & ~(kStride - 1);
}

}  // namespace

Splitter::Splitter(PatternTables tables)
    : has_pattern_(true),
      invalid_class_(tables.invalid_class),
      row_size_(std::size_t{tables.n_classes} + 1),
      pages_(std::move(tables.pages)),
      classes_(std::move(tables.classes)),
      transitions_(std::move(tables.transitions)) {
  const auto n_states = transitions_.size() / row_size_;
  const auto n_pages = classes_.size() / kPage;
  const bool fits =
      tables.n_classes <= kMostClasses && pages_.size() == kPages &&
      transitions_.size() == n_states * row_size_ && n_states > kStart &&
      classes_.size() == n_pages * kPage && invalid_class_ < tables.n_classes &&
      std::ranges::all_of(pages_, [&](auto page) { return page < n_pages; }) &&
      std::ranges::all_of(classes_, [&](auto c) { return c < tables.n_classes; }) &&
      std::ranges::all_of(transitions_, [&](auto entry) { return (entry >> 1) < n_states; });
  if (!fits) throw std::invalid_argument("pattern tables do not fit together");
  // Nothing may follow the end of the text: `match` would read past it.
  for (std::size_t state = 0; state < n_states; ++state) {
    if (transitions_[state * row_size_ + tables.n_classes] >> 1 != 0) {
      throw std::invalid_argument("pattern tables go on after the end of the text");
    }
  }
  for (std::size_t byte = 0; byte < ascii_class_.size(); ++byte) {
    ascii_class_[byte] = classes_[pages_[0] * kPage + byte];
  }
}

std::size_t Splitter::next(std::string_view text, std::size_t start, bool is_last,
                           DeadEnds& dead_ends) const {
  if (!has_pattern_) return is_last ? text.size() : kOpen;
  const auto end = match(text, start, is_last, dead_ends);
  return end == start ? skip(text, start, is_last, dead_ends) : end;
}

Splitter::Character Splitter::read(const unsigned char* at,
                                   const unsigned char* end) const noexcept {
  if (*at < 0x80) return {1, ascii_class_[*at]};
  const auto [size, code] = read_utf8(at, end);
  if (code == Utf8::kInvalid) return {size, invalid_class_};
  return {size, classes_[pages_[code / kPage] * kPage + code % kPage]};
}

/// End of the match at `start`; `start` itself if there is none.
std::size_t Splitter::match(std::string_view text, std::size_t start, bool is_last,
                            DeadEnds& dead_ends) const {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  const auto* end = bytes + text.size();
  std::size_t at = start;
  std::size_t last_end = start;
  std::size_t state = kStart;
  auto& path = dead_ends.path_;
  path.clear();
  std::size_t path_after = start;  // the last end known when the path began
  std::size_t question = up_to_stride(start + kStride);
  while (true) {
    // Always at the first character of a stride, so that looks from other starts meet here.
    if (at >= question) {
      if (path_after != last_end) path.clear();
      path_after = last_end;
      if (at >= up_to_stride(last_end + kStride)) {
        const auto place = std::uint64_t{at / kStride} << 16 | state;
        if (dead_ends.known_.contains(place)) break;
        path.push_back(place);
      }
      question = up_to_stride(at + 1);
    }
    Character character{0, static_cast<std::uint8_t>(row_size_ - 1)};
    if (at < text.size()) {
      character = read(bytes + at, end);
      if (character.size == 0 && is_last) character.size = 1;  // cut off for good: a stray byte
    }
    if (character.size == 0 && !is_last) return kOpen;
    const std::uint16_t entry = transitions_[state * row_size_ + character.char_class];
    if (entry & 1) last_end = at;
    state = entry >> 1;
    if (state == 0) break;
    at += character.size;
  }
  if (path_after == last_end) dead_ends.known_.insert(path.begin(), path.end());
  return last_end;
}

/// End of the stretch from `start` on in which nothing matches.
std::size_t Splitter::skip(std::string_view text, std::size_t start, bool is_last,
                           DeadEnds& dead_ends) const {
  const auto* begin = reinterpret_cast<const unsigned char*>(text.data());
  auto at = start;
  while (at < text.size()) {
    const auto character = read(begin + at, begin + text.size());
    at += std::max<std::size_t>(character.size, 1);
    if (at < text.size()) {
      const auto end = match(text, at, is_last, dead_ends);
      if (end == kOpen) return kOpen;
      if (end != at) return at;
    }
  }
  return is_last ? text.size() : kOpen;
}

}  // namespace bytepair
