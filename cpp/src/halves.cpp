// halves.cpp: from each text to the longest other one that it begins with, and that it ends with.
#include "bytepair/halves.hpp"

#include <string>

#include "sorted.hpp"

namespace bytepair {
namespace {

constexpr std::uint32_t kNone = 0xFFFF'FFFF;

/// A text, and the longest other one within it at that end.
struct Link {
  std::size_t size = 0;
  std::uint32_t next = kNone;
};

/// From each text to the longest other one that it begins with.
std::vector<Link> beginnings(std::span<const std::string_view> texts) {
  std::vector<Link> links(texts.size());
  std::uint32_t longest = kNone;
  // A text comes behind all that it begins with.
  for (const std::uint32_t place : sorted(texts)) {
    // What the text before it does not begin with, no text behind begins with either.
    while (longest != kNone && !texts[place].starts_with(texts[longest])) {
      longest = links[longest].next;
    }
    links[place] = {texts[place].size(), longest};
    longest = place;
  }
  return links;
}

/// From each text to the longest other one that it ends with.
std::vector<Link> endings(std::span<const std::string_view> texts) {
  std::vector<std::string> reversed;
  reversed.reserve(texts.size());
  for (const auto text : texts) reversed.emplace_back(text.rbegin(), text.rend());
  return beginnings(std::vector<std::string_view>(reversed.begin(), reversed.end()));
}

}  // namespace

Halves halves_of(std::span<const std::string_view> texts) {
  const std::vector<Link> begins = beginnings(texts);
  const std::vector<Link> ends = endings(texts);
  Halves halves;
  std::vector<std::uint32_t> lefts;
  for (std::size_t whole = 0; whole < texts.size(); ++whole) {
    lefts.clear();
    for (auto at = begins[whole].next; at != kNone; at = begins[at].next) lefts.push_back(at);
    std::uint32_t right = ends[whole].next;
    for (auto left = lefts.rbegin(); left != lefts.rend(); ++left) {
      const std::size_t rest = texts[whole].size() - begins[*left].size;
      while (right != kNone && ends[right].size > rest) right = ends[right].next;
      if (right == kNone) break;
      if (ends[right].size != rest) continue;
      halves.left.push_back(*left);
      halves.right.push_back(right);
      halves.whole.push_back(static_cast<std::uint32_t>(whole));
    }
  }
  return halves;
}

}  // namespace bytepair
