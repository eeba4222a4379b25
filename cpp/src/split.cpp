// split.cpp: walk the automaton over UTF-8.
#include "bytepair/split.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "bytepair/utf8.hpp"
#include "scan.hpp"

namespace bytepair {
namespace {

constexpr std::size_t kPage = 256;
constexpr std::size_t kPages = 0x110000 / kPage;
constexpr std::uint16_t kStart = 1;
constexpr std::uint32_t kMostClasses = 255;  // the end of the text is one more, all named by a byte
constexpr std::size_t kStride = 32;          // bytes; a power of two
constexpr std::size_t kShortText = 16;       // bytes; for less it is not worth while to begin

constexpr std::size_t up_to_stride(std::size_t position) {
  return (position + kStride - 1) & ~(kStride - 1);
}

}  // namespace

Splitter::Splitter(const PatternTables& tables)
    : has_pattern_(true),
      invalid_class_(tables.invalid_class),
      row_size_(std::size_t{tables.n_classes} + 1),
      pages_(tables.pages),
      classes_(tables.classes),
      transitions_(tables.transitions) {
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
  auto scan = std::make_shared<ScanTables>();
  if (const auto kernels = scan_kernels(); !kernels.empty() && make_scan_tables(tables, *scan)) {
    kernel_ = kernels.front();
    scan_ = std::move(scan);
  }
}

std::size_t Splitter::next(std::string_view text, std::size_t start, bool is_last,
                           DeadEnds& dead_ends) const {
  const auto end = next_marked(text, start, is_last, dead_ends);
  return end == kOpen ? end : end & ~kGap;
}

std::size_t Splitter::next_marked(std::string_view text, std::size_t start, bool is_last,
                                  DeadEnds& dead_ends) const {
  if (!has_pattern_) return is_last ? text.size() : kOpen;
  const auto end = match(text, start, is_last, dead_ends);
  if (end != start) return end;
  const auto gap = skip(text, start, is_last, dead_ends);
  return gap == kOpen ? gap : gap | kGap;
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

std::size_t Splitter::cut(std::string_view text, std::size_t start, bool is_last,
                          DeadEnds& dead_ends, std::span<std::size_t> ends) const {
  return cut_either(text, start, is_last, dead_ends, ends, false);
}

std::size_t Splitter::cut_marked(std::string_view text, std::size_t start, bool is_last,
                                 DeadEnds& dead_ends, std::span<std::size_t> ends) const {
  return cut_either(text, start, is_last, dead_ends, ends, true);
}

std::size_t Splitter::cut_either(std::string_view text, std::size_t start, bool is_last,
                                 DeadEnds& dead_ends, std::span<std::size_t> ends,
                                 bool is_marked) const {
  auto& careful_until = dead_ends.careful_until_;
  if (kernel_ != nullptr && start >= careful_until && ends.size() >= kScanRoom &&
      text.size() - start >= kShortText) {
    const auto [n, reached, is_lost] = kernel_(*scan_, {text, start, is_last, is_marked, ends});
    const auto last = n > 0 ? ends[n - 1] & ~kGap : start;
    // What was read in vain must be in proportion to what is done before it is tried again.
    if (is_lost) careful_until = last + std::max<std::size_t>(64, (reached - last) / 8);
    if (!is_lost && n == 0) careful_until = reached;
    if (n > 0) return n;
  }
  std::size_t n = 0;
  do {
    const auto marked = next_marked(text, start, is_last, dead_ends);
    if (marked == kOpen) break;
    start = marked & ~kGap;
    ends[n++] = is_marked ? marked : start;
  } while (n < ends.size() && start < text.size() &&
           (kernel_ == nullptr || start < careful_until));
  return n;
}

SplitChain::SplitChain(Splitter splitter) { steps_.push_back({std::move(splitter)}); }

SplitChain::SplitChain(std::vector<Step> steps)
    : steps_(std::move(steps)),
      is_plain_(steps_.empty() ||
                (steps_.size() == 1 && steps_[0].behavior == Behavior::kIsolated)) {
  if (steps_.empty()) steps_.emplace_back();
}

bool SplitChain::removes() const noexcept {
  return std::ranges::any_of(
      steps_, [](const Step& step) { return step.behavior == Behavior::kRemoved; });
}

std::size_t SplitChain::cut(std::string_view text, std::size_t start, bool is_last,
                            Progress& progress, std::span<std::size_t> ends) const {
  if (is_plain_) return steps_[0].splitter.cut(text, start, is_last, progress.dead_ends_, ends);
  if (progress.levels_.empty()) {
    progress.levels_.resize(steps_.size());
    for (auto& level : progress.levels_) level.at = level.end = start;
  }
  const Text whole{text, is_last, progress.levels_};
  const auto last = steps_.size() - 1;
  std::size_t n = 0;
  while (n < ends.size()) {
    auto& level = progress.levels_[last];
    if (steps_[last].behavior != Behavior::kIsolated) {
      const auto end = piece(whole, last);
      if (end == Splitter::kOpen) break;
      ends[n++] = end;
      continue;
    }
    if (level.at == level.end) {
      const auto end = enter(whole, last);
      if (end == Splitter::kOpen) break;
      if (level.at == level.end) {
        ends[n++] = end;
        continue;
      }
    }
    const auto found = fill(whole, last, ends.subspan(n), false);
    if (found == 0) break;
    n += found;
  }
  return n;
}

/// Makes the next piece of the level above the text of this one, which is used up, and returns its
/// end; a removed one is passed over. `kOpen` if there is none.
std::size_t SplitChain::enter(const Text& text, std::size_t level) const {
  auto& own = text.levels[level];
  const auto end = level > 0                       ? piece(text, level - 1)
                   : own.end < text.bytes.size() ? text.bytes.size()
                                                   : Splitter::kOpen;
  if (end == Splitter::kOpen) return end;
  own.at = own.end;
  own.end = end & ~kRemoved;
  if (end & kRemoved) own.at = own.end;
  own.dead_ends = {};
  return end;
}

/// The end of the next piece that a level leaves; `kOpen` if there is none that is certain.
std::size_t SplitChain::piece(const Text& text, std::size_t level) const {
  auto& own = text.levels[level];
  if (own.n_used == own.n_found && own.at == own.end) {
    const auto end = enter(text, level);
    if (end == Splitter::kOpen || own.at == own.end) return end;
  }
  const auto behavior = steps_[level].behavior;
  auto kind = look(text, level, 0);
  if (kind == Look::kOpen || kind == Look::kEnd) return Splitter::kOpen;
  std::size_t mark = 0;
  if (behavior == Behavior::kRemoved && kind == Look::kMatch) mark = kRemoved;
  if (behavior == Behavior::kMergedWithPrevious || behavior == Behavior::kMergedWithNext) {
    const auto first = behavior == Behavior::kMergedWithNext ? Look::kMatch : Look::kOther;
    const auto second = behavior == Behavior::kMergedWithNext ? Look::kOther : Look::kMatch;
    if (kind == first) {
      const auto after = look(text, level, 1);
      if (after == Look::kOpen) return Splitter::kOpen;
      if (after == second) ++own.n_used;
    }
  }
  if (behavior == Behavior::kContiguous) {
    auto after = look(text, level, 1);
    while (after == kind) {
      ++own.n_used;
      after = look(text, level, 1);
    }
    if (after == Look::kOpen) return Splitter::kOpen;
  }
  return (own.found[own.n_used++] & ~Splitter::kGap) | mark;
}

/// What the element after the next `ahead` (0 or 1) elements of a level is.
SplitChain::Look SplitChain::look(const Text& text, std::size_t level, std::size_t ahead) const {
  auto& own = text.levels[level];
  if (own.n_used + ahead >= own.n_found) {
    std::copy(own.found.begin() + static_cast<std::ptrdiff_t>(own.n_used),
              own.found.begin() + static_cast<std::ptrdiff_t>(own.n_found), own.found.begin());
    own.n_found -= own.n_used;
    own.n_used = 0;
    if (level == 0) own.end = text.bytes.size();
    if (own.at < own.end) own.n_found += fill(text, level, std::span(own.found).subspan(own.n_found), true);
    if (ahead >= own.n_found) return level > 0 || text.is_last ? Look::kEnd : Look::kOpen;
  }
  const bool is_gap = own.found[own.n_used + ahead] & Splitter::kGap;
  return is_gap == steps_[level].invert ? Look::kMatch : Look::kOther;
}

/// The next ends that the splitter of a level finds in its piece.
std::size_t SplitChain::fill(const Text& text, std::size_t level, std::span<std::size_t> ends,
                             bool marked) const {
  auto& own = text.levels[level];
  const auto& splitter = steps_[level].splitter;
  const auto piece = text.bytes.substr(0, own.end);  // nothing before `at` is ever looked at
  const bool is_last = level > 0 || text.is_last;
  const auto n = marked ? splitter.cut_marked(piece, own.at, is_last, own.dead_ends, ends)
                        : splitter.cut(piece, own.at, is_last, own.dead_ends, ends);
  if (n > 0) own.at = ends[n - 1] & ~Splitter::kGap;
  return n;
}

}  // namespace bytepair
