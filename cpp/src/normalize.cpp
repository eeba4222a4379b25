// normalize.cpp: most text needs no change, and that is found out fast.
#include "bytepair/normalize.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "bytepair/utf8.hpp"

namespace bytepair {
namespace {

constexpr std::size_t kPage = 128;
constexpr std::size_t kPages = 0x110000 / kPage;

/// The first place from `at` on that is not ASCII.
std::size_t skip_ascii(std::string_view text, std::size_t at) noexcept {
  while (at + 8 <= text.size()) {
    std::uint64_t eight;
    std::memcpy(&eight, text.data() + at, 8);
    if ((eight & 0x8080808080808080u) != 0) break;
    at += 8;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

/// As read_utf8, with a short way for the characters that most text is made of.
Utf8 read_common(const unsigned char* at, const unsigned char* end) noexcept {
  const auto left = end - at;
  if (left >= 2 && at[0] >= 0xC2 && at[0] < 0xE0 && (at[1] & 0xC0) == 0x80) {
    return {2, (at[0] & 0x1Fu) << 6 | (at[1] & 0x3Fu)};
  }
  if (left >= 3 && at[0] > 0xE0 && at[0] < 0xF0 && at[0] != 0xED && (at[1] & 0xC0) == 0x80 &&
      (at[2] & 0xC0) == 0x80) {
    return {3, (at[0] & 0x0Fu) << 12 | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu)};
  }
  return read_utf8(at, end);
}

void require_within(std::size_t limit, const std::string& changed) {
  if (changed.size() > limit) throw Overgrown(limit);
}

bool change(const Normalizer::Prepend& step, std::string_view text, std::string& changed,
            std::size_t limit) {
  if (text.empty()) return false;
  changed.assign(step.text).append(text);
  require_within(limit, changed);
  return true;
}

bool change(const Normalizer::Replace& step, std::string_view text, std::string& changed,
            std::size_t limit) {
  std::size_t from = 0;
  auto found = text.find(step.old_text);
  if (found == std::string_view::npos) return false;
  changed.clear();
  for (; found != std::string_view::npos; found = text.find(step.old_text, from)) {
    changed.append(text, from, found - from).append(step.new_text);
    require_within(limit, changed);
    from = found + step.old_text.size();
  }
  changed.append(text, from);
  require_within(limit, changed);
  return true;
}

bool change(const Normalizer::Form& step, std::string_view text, std::string& changed,
            std::size_t limit) {
  std::size_t from = 0;
  auto window = step.check.next(text, from);
  if (window.start == text.size()) return false;
  changed.clear();
  for (; window.start < text.size(); window = step.check.next(text, from)) {
    changed.append(text, from, window.start - from);
    changed.append(step.normalize(text.substr(window.start, window.end - window.start)));
    require_within(limit, changed);
    from = window.end;
  }
  changed.append(text, from);
  require_within(limit, changed);
  return true;
}

bool change(const Normalizer::Call& step, std::string_view text, std::string& changed,
            std::size_t limit) {
  changed = step.change(text, limit);
  require_within(limit, changed);
  return true;
}

}  // namespace

QuickCheck::QuickCheck(std::span<const std::uint32_t> codes, std::span<const std::uint8_t> values)
    : pages_(kPages, 0), values_(kPage, 0) {
  if (codes.size() != values.size()) throw std::invalid_argument("one value for each code point");
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (codes[i] < 0x80 || codes[i] >= kPages * kPage) {
      throw std::invalid_argument("a value for what is no code point beyond ASCII");
    }
    auto& page = pages_[codes[i] / kPage];
    if (page == 0) {
      page = static_cast<std::uint16_t>(values_.size() / kPage);
      values_.resize(values_.size() + kPage, 0);
    }
    values_[page * kPage + codes[i] % kPage] = values[i];
  }
}

std::uint8_t QuickCheck::value(std::uint32_t code) const noexcept {
  if (code == Utf8::kInvalid) return 0;
  return values_[pages_[code / kPage] * kPage + code % kPage];
}

QuickCheck::Window QuickCheck::next(std::string_view text, std::size_t from) const noexcept {
  const auto* begin = reinterpret_cast<const unsigned char*>(text.data());
  const auto* end = begin + text.size();
  std::size_t at = from;
  std::size_t border = from;  // the last place before which nothing joins what comes behind
  std::uint8_t last = 0;
  bool is_open = false;  // something may change since `border`
  while (at < text.size()) {
    if (begin[at] < 0x80) {
      if (is_open) break;
      at = skip_ascii(text, at);
      border = at - 1;
      last = 0;
      continue;
    }
    const auto character = read_common(begin + at, end);
    const auto now = value(character.code);
    if (now == 0) {
      if (is_open) break;
      border = at;
    } else {
      is_open = is_open || now == kMayChange || now < last;
    }
    last = now;
    at += std::max<std::size_t>(character.size, 1);
  }
  return is_open ? Window{border, at} : Window{text.size(), text.size()};
}

Normalizer::Normalizer(std::vector<Step> steps) : steps_(std::move(steps)) {
  for (const auto& step : steps_) {
    const auto* replace = std::get_if<Replace>(&step);
    if (replace != nullptr && replace->old_text.empty()) {
      throw std::invalid_argument("an empty text cannot be replaced");
    }
  }
}

bool Normalizer::divides(std::uint32_t before, std::uint32_t behind) const noexcept {
  return std::ranges::all_of(steps_, [&](const Step& step) {
    const auto* form = std::get_if<Form>(&step);
    return form != nullptr && form->check.keeps(before, behind);
  });
}

std::string_view Normalizer::apply(std::string_view text, Buffers& buffers) const {
  const std::size_t most = limit(text.size());
  for (const auto& step : steps_) {
    // `text` may lie in `now`, so the next one is written to `then`.
    const bool is_changed =
        std::visit([&](const auto& kind) { return change(kind, text, buffers.then, most); }, step);
    if (!is_changed) continue;
    std::swap(buffers.now, buffers.then);
    text = buffers.now;
  }
  return text;
}

}  // namespace bytepair
