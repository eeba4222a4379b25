// special_fuzz.cpp: any set of tokens, any text: the leftmost, longest is found, and what is called
// certain is not changed by any text behind.
#include "bytepair/special.hpp"
#include "input.hpp"

namespace {

using namespace bytepair;

void check_matcher(const std::vector<std::string>& contents, std::string_view text) {
  const SpecialMatcher matcher(contents);
  for (std::size_t from = 0; from <= text.size();) {
    const auto found = matcher.find(text, from, text.size());
    std::size_t start = from;
    std::size_t longest = 0;
    for (; start < text.size() && longest == 0; start += longest == 0 ? 1 : 0) {
      for (const auto& content : contents) {
        if (text.substr(start).starts_with(content)) longest = std::max(longest, content.size());
      }
    }
    fuzz::require(found.start == start && found.size == longest, "the leftmost, longest is found");
    if (longest > 0) {
      fuzz::require(contents[found.number] == text.substr(start, longest), "and its number told");
    }
    from = start + std::max<std::size_t>(longest, 1);
  }
  const auto begun = matcher.begun(text);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = std::ranges::any_of(contents, [&](const std::string& content) {
      return content.size() > text.size() - at && content.starts_with(text.substr(at));
    });
    if (begins || at == begun) {
      fuzz::require(begins && at == begun, "where a token has begun is told");
      return;
    }
  }
  fuzz::require(begun == text.size(), "no token has begun");
}

using Tokens = std::vector<AddedTokens::Found>;

Tokens found_in(const AddedTokens& tokens, std::string_view text) {
  Tokens all;
  AddedTokens::Cursor cursor;
  AddedTokens::Found found{};
  while (tokens.next(text, cursor, found)) {
    fuzz::require(found.start < found.end && found.end <= text.size(), "tokens lie in the text");
    fuzz::require(all.size() <= text.size(), "no more tokens than bytes");
    all.push_back(found);
  }
  return all;
}

/// Those that end before `limit`; none may lie across it.
Tokens certain_part(const Tokens& all, std::size_t limit) {
  Tokens part;
  for (const auto& found : all) {
    fuzz::require(found.end <= limit || found.start >= limit, "certain text ends in no token");
    if (found.end <= limit) part.push_back(found);
  }
  return part;
}

bool are_same(const Tokens& one, const Tokens& other) {
  return std::ranges::equal(one, other, [](const auto& a, const auto& b) {
    return a.start == b.start && a.end == b.end && a.id == b.id;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  std::vector<std::string> contents;
  std::vector<AddedToken> tokens;
  for (auto n = input.below(8); n > 0; --n) {
    const auto content = input.string(6);
    if (content.empty()) continue;
    contents.emplace_back(content);
    const auto flags = input.byte();
    tokens.push_back({contents.back(), static_cast<std::uint32_t>(tokens.size()), (flags & 1) != 0,
                      (flags & 2) != 0, (flags & 4) != 0});
  }
  const std::size_t n_known = input.byte();
  const std::string_view text = input.rest();
  check_matcher(contents, text);

  const AddedTokens added(tokens, {{'a', 'z'}, {0xE0, 0xFF}, {0x400, 0x4FF}});
  const auto known = text.substr(0, n_known);
  const auto certain = added.certain(known);
  fuzz::require(certain <= known.size(), "only known text is certain");
  fuzz::require(are_same(certain_part(found_in(added, known), certain),
                         certain_part(found_in(added, text), certain)),
                "certain tokens stay");
  return 0;
}
