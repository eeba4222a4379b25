// split.cpp: walk the automaton over UTF-8.
#include "bytepair/split.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "divisions.hpp"
#include "bytepair/utf8.hpp"
#include "scan.hpp"

namespace bytepair {
namespace {

constexpr std::size_t kPage = 256;
constexpr std::size_t kPages = 0x110000 / kPage;
constexpr std::uint16_t kStart = 1;
constexpr std::uint32_t kMostClasses = 255;  // the end of the text is one more, all named by a byte
constexpr std::size_t kStride = 32;          // bytes; a power of two
constexpr std::size_t kShortText = 24;       // bytes; for less the fast path is not faster

constexpr std::size_t up_to_stride(std::size_t position) {
  return (position + kStride - 1) & ~(kStride - 1);
}

/// Throws std::invalid_argument if the tables do not fit together.
void check(const PatternTables& tables, std::size_t row_size) {
  const auto n_states = tables.transitions.size() / row_size;
  const auto n_pages = tables.classes.size() / kPage;
  const bool fits =
      tables.n_classes <= kMostClasses && tables.pages.size() == kPages &&
      tables.transitions.size() == n_states * row_size && n_states > kStart &&
      tables.classes.size() == n_pages * kPage && tables.invalid_class < tables.n_classes &&
      std::ranges::all_of(tables.pages, [&](auto page) { return page < n_pages; }) &&
      std::ranges::all_of(tables.classes, [&](auto c) { return c < tables.n_classes; }) &&
      std::ranges::all_of(tables.transitions, [&](auto entry) { return (entry >> 1) < n_states; });
  if (!fits) throw std::invalid_argument("pattern tables do not fit together");
  // Nothing may follow the end of the text: `match` would read past it.
  for (std::size_t state = 0; state < n_states; ++state) {
    if (tables.transitions[state * row_size + tables.n_classes] >> 1 != 0) {
      throw std::invalid_argument("pattern tables go on after the end of the text");
    }
  }
}

}  // namespace

Splitter::Splitter(PatternTables tables)
    : Splitter(std::move(tables), scan_kernels().empty() ? nullptr : scan_kernels().front()) {}

Splitter::Splitter(PatternTables tables, ScanKernel kernel)
    : tables_(std::make_shared<const PatternTables>(std::move(tables))),
      row_size_(std::size_t{tables_->n_classes} + 1) {
  check(*tables_, row_size_);
  for (std::size_t byte = 0; byte < ascii_class_.size(); ++byte) {
    ascii_class_[byte] = tables_->classes[tables_->pages[0] * kPage + byte];
  }
  divisions_ = std::make_shared<const Divisions>(*tables_);
  const std::array levels = {tables_.get()};
  if (kernel != nullptr) scan_ = make_scan_tables(levels);
  if (scan_ != nullptr) kernel_ = kernel;
}

std::size_t Splitter::next(std::string_view text, std::size_t start, bool is_last,
                           DeadEnds& dead_ends) const {
  if (tables_ == nullptr) return is_last ? text.size() : kOpen;
  const auto end = match(text, start, is_last, dead_ends);
  return end == start ? skip(text, start, is_last, dead_ends) : end;
}

std::size_t Splitter::cut(std::string_view text, std::size_t start, bool is_last,
                          DeadEnds& dead_ends, std::span<std::size_t> ends) const {
  auto& cursor = dead_ends.cursor_;
  const bool goes_on = dead_ends.cursor_end_ == start;
  const bool may_begin = start >= dead_ends.careful_until_ && text.size() - start >= kShortText;
  if (kernel_ != nullptr && (goes_on || may_begin)) {
    if (!goes_on) cursor = {.at = start};
    const auto [n, is_lost] = kernel_(*scan_, {text, is_last, ends, cursor});
    const auto end = n > 0 ? ends[n - 1] : start;
    dead_ends.cursor_end_ = is_lost ? kOpen : end;
    if (is_lost) {
      // What was read in vain is in proportion to what is done before it is tried again.
      const auto in_vain = std::max(cursor.at, end) - end;
      dead_ends.careful_until_ = end + std::max<std::size_t>(64, in_vain / 8);
    }
    if (n > 0 || !is_lost) return n;
  }
  std::size_t n = 0;
  do {
    const auto end = next(text, start, is_last, dead_ends);
    if (end == kOpen) break;
    ends[n++] = start = end;
  } while (n < ends.size() && start < text.size() &&
           (kernel_ == nullptr || start < dead_ends.careful_until_));
  return n;
}

std::size_t Splitter::cut_marked(std::string_view text, std::size_t start, bool is_last,
                                 DeadEnds& dead_ends, std::span<std::size_t> ends) const {
  const auto n = cut(text, start, is_last, dead_ends, ends);
  for (auto& end : ends.first(n)) {
    const bool is_gap = begins_gap(text, start, dead_ends);
    start = end;
    if (is_gap) end |= kGap;
  }
  return n;
}

/// Whether the pre-token at `start`, whose end is known, is a gap.
bool Splitter::begins_gap(std::string_view text, std::size_t start, DeadEnds& dead_ends) const {
  if (tables_ == nullptr) return false;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  const auto side =
      divisions_->side_behind(read(bytes + start, bytes + text.size()).char_class);
  if (side != Divisions::Side::kEither) return side == Divisions::Side::kGap;
  return match(text, start, true, dead_ends) == start;
}

Splitter::Character Splitter::read(const unsigned char* at,
                                   const unsigned char* end) const noexcept {
  if (*at < 0x80) return {1, ascii_class_[*at]};
  const auto [size, code] = read_utf8(at, end);
  return {size, class_of(code)};
}

std::uint8_t Splitter::class_of(std::uint32_t code) const noexcept {
  if (code == Utf8::kInvalid) return tables_->invalid_class;
  return tables_->classes[tables_->pages[code / kPage] * kPage + code % kPage];
}

/// End of the match at `start`; `start` itself if there is none.
std::size_t Splitter::match(std::string_view text, std::size_t start, bool is_last,
                            DeadEnds& dead_ends) const {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  const auto* end = bytes + text.size();
  const auto* transitions = tables_->transitions.data();
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
    const std::uint16_t entry = transitions[state * row_size_ + character.char_class];
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
