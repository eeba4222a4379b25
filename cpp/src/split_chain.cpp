// split_chain.cpp: splits one inside the other.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "divisions.hpp"
#include "bytepair/split.hpp"
#include "bytepair/utf8.hpp"
#include "scan.hpp"

namespace bytepair {
namespace {

using Side = Divisions::Side;

Side other(Side side) {
  return side == Side::kGap ? Side::kMatch : side == Side::kMatch ? Side::kGap : Side::kEither;
}

/// Whether it is certain that elements of these kinds stay apart.
bool stay_apart(Behavior behavior, Side before, Side behind) {
  switch (behavior) {
    case Behavior::kMergedWithPrevious:
      return before == Side::kMatch || behind == Side::kGap;
    case Behavior::kMergedWithNext:
      return before == Side::kGap || behind == Side::kMatch;
    case Behavior::kContiguous:
      return before != Side::kEither && behind == other(before);
    default:
      return true;
  }
}

}  // namespace

SplitChain::SplitChain(Splitter splitter) : SplitChain(std::vector<Step>{{std::move(splitter)}}) {}

SplitChain::SplitChain(std::vector<Step> steps) : steps_(std::move(steps)) {
  const bool cuts_only = std::ranges::all_of(
      steps_, [](const Step& step) { return step.behavior == Behavior::kIsolated; });
  if (cuts_only) std::erase_if(steps_, [](const Step& step) { return !step.splitter.tables_; });
  if (steps_.empty()) steps_.emplace_back();
  is_plain_ = cuts_only && steps_.size() == 1;
  if (!cuts_only || is_plain_) return;
  std::vector<const PatternTables*> levels;
  for (const auto& step : steps_) levels.push_back(step.splitter.tables_.get());
  kernel_ = steps_[0].splitter.kernel_;
  if (kernel_ != nullptr) scan_ = make_scan_tables(levels);
  // There is no other way to go on from inside a piece than the machine that came there.
  if (scan_ == nullptr || !scan_->is_complete) kernel_ = nullptr;
}

bool SplitChain::removes() const noexcept {
  return std::ranges::any_of(
      steps_, [](const Step& step) { return step.behavior == Behavior::kRemoved; });
}

std::size_t SplitChain::cut(std::string_view text, std::size_t start, bool is_last,
                            Progress& progress, std::span<std::size_t> ends) const {
  if (is_plain_) return steps_[0].splitter.cut(text, start, is_last, progress.dead_ends_, ends);
  auto& levels = progress.levels_;
  // Of an unfinished text the machine does not tell from where on it could be cut anew.
  if (kernel_ != nullptr && is_last && levels.empty()) {
    if (progress.cursor_.at < start) progress.cursor_.at = start;
    return kernel_(*scan_, {text, is_last, ends, progress.cursor_}).n_ends;
  }
  if (levels.empty()) {
    levels.resize(steps_.size());
    for (auto& level : levels) level.at = level.end = start;
  }
  return cut_level_by_level({text, is_last, levels}, ends);
}

std::size_t SplitChain::cut_level_by_level(const Text& text, std::span<std::size_t> ends) const {
  const auto last = steps_.size() - 1;
  const bool is_isolated = steps_[last].behavior == Behavior::kIsolated;
  auto& level = text.levels[last];
  std::size_t n = 0;
  while (n == 0 || ends.size() - n >= Splitter::kLeastBatch) {
    if (!is_isolated || level.at == level.end) {
      const auto end = is_isolated ? enter(text, last) : piece(text, last);
      if (end == Splitter::kOpen) break;
      if (!is_isolated || level.at == level.end) {
        ends[n++] = end;
        continue;
      }
    }
    const auto found = fill(text, last, ends.subspan(n), false);
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

std::size_t SplitChain::certain_border(std::string_view text, std::size_t from,
                                       std::size_t to) const {
  const auto* begin = reinterpret_cast<const unsigned char*>(text.data());
  const auto* end = begin + text.size();
  auto at = from;
  while (at < to && begin[at] >= 0x80 && begin[at] < 0xC0) ++at;  // perhaps within a character
  auto before = Utf8{};
  for (bool is_first = true; at < to; is_first = false) {
    const auto behind = read_utf8(begin + at, end);
    if (behind.size == 0) break;
    if (!is_first && is_certain(before.code, behind.code)) return at;
    before = behind;
    at += behind.size;
  }
  return kNone;
}

/// Whether a piece always ends between these characters.
bool SplitChain::is_certain(std::uint32_t before, std::uint32_t behind) const {
  bool is_end = false;
  for (const auto& [splitter, behavior, invert] : steps_) {
    if (splitter.tables_ == nullptr) continue;
    const auto& divisions = *splitter.divisions_;
    const auto left = splitter.class_of(before);
    const auto right = splitter.class_of(behind);
    if (!divisions.divides(left, right)) return false;
    auto side_before = divisions.side_before(left, right);
    auto side_behind = divisions.side_behind(right);
    const bool is_in_gap = side_before == Side::kGap && side_behind == Side::kGap;
    if (invert) {
      side_before = other(side_before);
      side_behind = other(side_behind);
    }
    const bool ends_here = divisions.is_end(left, right);
    const bool is_apart = stay_apart(behavior, side_before, side_behind);
    const bool merges = behavior != Behavior::kIsolated && behavior != Behavior::kRemoved;
    if (merges && !is_in_gap && !(ends_here && is_apart)) return false;
    is_end = is_end || ends_here;
  }
  return is_end;
}

}  // namespace bytepair
