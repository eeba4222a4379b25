// words_stages.cpp: merges that stay within words, apart from those that come later.
//
// The pair of lowest rank is joined first. So whatever ranks below some R is joined before anything
// else, wherever it stands, and what is left is then joined as it is: two stages that make of each
// word what one would. In the first one a word can be cut where none of its merges joins anything.
#include <algorithm>
#include <optional>

#include "bytepair/words.hpp"

namespace bytepair {
namespace {

constexpr std::size_t kLeastMerges = 256;  // fewer are not worth a stage
constexpr std::size_t kLeastShare = 4;     // nor is less than one in so many

bool is_blank(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

/// What a symbol stands for: its first and last byte, and how many there are.
struct Content {
  char first;
  char last;
  std::uint32_t size;  // 0: not known
};

/// Numbers of the merges, the one of lowest rank first.
std::vector<std::size_t> by_rank(const MergeColumns& merges) {
  std::vector<std::size_t> order(merges.rank.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto rank = [&](std::size_t i) { return merges.rank[i]; };
  if (!std::ranges::is_sorted(merges.rank)) std::ranges::stable_sort(order, {}, rank);
  return order;
}

/// How many of the merges come before the first that joins a space with what is before it. None if
/// that cannot be told. Adds what these make to `contents`.
std::optional<std::size_t> size_of_stage(std::vector<Content>& contents,
                                         const MergeColumns& merges,
                                         std::span<const std::size_t> order) {
  for (std::size_t n = 0; n < order.size(); ++n) {
    const std::size_t i = order[n];
    const Content left = contents[merges.left[i]];
    const Content right = contents[merges.right[i]];
    if (left.size == 0 || right.size == 0) return std::nullopt;
    if (!is_blank(left.last) && right.first == ' ') return n;
    contents[merges.joined[i]] = {left.first, right.last, left.size + right.size};
  }
  return std::nullopt;
}

struct Columns {
  std::vector<Symbol> left, right, joined;
  std::vector<std::uint32_t> rank;

  Columns(const MergeColumns& merges, std::span<const std::size_t> chosen) {
    for (const auto i : chosen) {
      left.push_back(merges.left[i]);
      right.push_back(merges.right[i]);
      joined.push_back(merges.joined[i]);
      rank.push_back(merges.rank[i]);
    }
  }
};

}  // namespace

void Words::find_first_stage(const Tokens& tokens, const MergeColumns& merges) {
  if (!first_.is_plain() || merges.rank.size() < kLeastMerges) return;
  Symbol largest = 0;
  for (const auto& column : {merges.left, merges.right, merges.joined}) {
    for (const Symbol symbol : column) largest = std::max(largest, symbol);
  }
  for (std::size_t byte = 0; byte < 256; ++byte) {
    largest = std::max(largest, first_.of_bytes()[byte]);
  }
  std::vector<Content> contents(std::size_t{largest} + 1);
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const char content = static_cast<char>(byte);
    contents[first_.of_bytes()[byte]] = {content, content, 1};
  }
  const auto order = by_rank(merges);
  const auto size = size_of_stage(contents, merges, order);
  if (!size || *size < std::max(kLeastMerges, order.size() / kLeastShare)) return;
  const Columns columns(merges, std::span(order).first(*size));
  Tokens symbols = tokens;
  symbols.ids.clear();
  const MergeColumns first{columns.left, columns.right, columns.joined, columns.rank};
  auto stage = std::make_unique<Words>(symbols, first, first_.rules(), false);
  if (stage->borders().empty()) return;
  first_stage_ = std::move(stage);
  for (const auto& content : contents) stage_sizes_.push_back(content.size);
}

}  // namespace bytepair
