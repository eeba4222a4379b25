// encode_fuzz.cpp: small vocabularies of any merges: all fast paths give what a replay gives that
// looks for the lowest rank again and again.
#include <cstdio>
#include <map>
#include <optional>

#include "bytepair/encode.hpp"
#include "bytepair/utf8.hpp"
#include "input.hpp"
#include "pattern_tables.hpp"

namespace {

using namespace bytepair;
using Ids = std::vector<TokenId>;
using Symbols = std::vector<Symbol>;

constexpr std::size_t kCacheBytes = 1 << 16;

struct Vocabulary {
  struct Merge {
    Symbol left;
    Symbol right;
    Symbol joined;
    std::uint32_t rank;
  };
  std::vector<std::string> tokens;  // by symbol
  std::vector<std::uint8_t> kinds;
  std::vector<Merge> merges;
  FirstSymbols::Rules rules;
  Ids ids;
  bool whole_words = false;

  Symbol add(std::string bytes, unsigned kind) {
    tokens.push_back(std::move(bytes));
    kinds.push_back(static_cast<std::uint8_t>(kind));
    return static_cast<Symbol>(tokens.size() - 1);
  }
};

/// The bytes, or a few characters with or without byte fallback or an unknown token; perhaps others
/// where a word goes on or ends, perhaps an end mark.
void add_first(Vocabulary& made, fuzz::Input& input) {
  auto& rules = made.rules;
  rules.by_bytes = input.flag();
  rules.marks_begin = input.below(8) == 0;
  rules.marks_end = input.below(8) == 0;
  const unsigned n_kinds = (rules.marks_begin ? 2 : 1) * (rules.marks_end ? 2 : 1);
  for (unsigned n = 0; n < n_kinds; ++n) {
    const unsigned kind = rules.marks_begin ? n : n * Tokens::kEndsWord;
    if (rules.by_bytes) {
      for (int byte = 0; byte < 256; ++byte) made.add({static_cast<char>(byte)}, kind);
    } else {
      for (const char* part : {"a", "b", " ", "\xC3\xA9", "\xE6\x97\xA5", "\xF0\x9F\x98\x80"}) {
        if (input.byte() < 240) made.add(part, kind);
      }
    }
  }
  if (!rules.by_bytes && input.flag()) {
    for (int byte = 0; byte < 256; ++byte) {
      rules.fallback.push_back(made.add({static_cast<char>(byte)}, Tokens::kByteFallback));
    }
  } else if (!rules.by_bytes && input.flag()) {
    rules.unknown = made.add("<unk>", 0);
    rules.fuse_unknown = input.flag();
  }
  if (!rules.marks_end && input.below(8) == 0) rules.end = made.add("", Tokens::kEndsWord);
}

/// Merges of what there is. Where ranks are those of the token that is made several merges share
/// one, as in tiktoken's files; else each has its own, in any order.
void add_merges(Vocabulary& made, fuzz::Input& input) {
  const bool by_token = input.flag();
  std::map<std::pair<std::string, unsigned>, Symbol> symbol_by_token;
  std::map<std::pair<Symbol, Symbol>, bool> seen;
  const auto any = [&] {
    const auto n = static_cast<std::uint32_t>(made.tokens.size());
    // Letters and the newest tokens meet more often than others.
    const auto choice = input.byte();
    if (choice < 96) return std::min(n - 1, std::uint32_t{'a'} + choice % 4);
    return choice < 192 ? n - 1 - choice % std::min(n, 12u) : input.below(n);
  };
  const auto n_merges = input.below(40);
  for (std::uint32_t i = 0; i < n_merges; ++i) {
    const auto left = any();
    const auto right = any();
    if (std::exchange(seen[{left, right}], true)) continue;
    const unsigned kind =
        (made.kinds[left] & Tokens::kContinuesWord) | (made.kinds[right] & Tokens::kEndsWord);
    const auto bytes = made.tokens[left] + made.tokens[right];
    if (bytes.size() > 200) continue;
    const auto found = symbol_by_token.find({bytes, kind});
    const Symbol joined = found != symbol_by_token.end() ? found->second : made.add(bytes, kind);
    symbol_by_token[{bytes, kind}] = joined;
    made.merges.push_back({left, right, joined, by_token ? joined : i});
  }
  if (!by_token && input.flag()) {
    for (auto& merge : made.merges)
      std::swap(merge.rank, made.merges[input.below(40) % made.merges.size()].rank);
  }
}

Vocabulary any_vocabulary(fuzz::Input& input) {
  Vocabulary made;
  add_first(made, input);
  if (made.tokens.empty()) made.add("a", 0);
  add_merges(made, input);
  made.whole_words = input.flag() && !made.rules.marks_begin && !made.rules.marks_end;
  if (input.flag()) {  // ids that are not the symbols
    for (std::size_t i = 0; i < made.tokens.size(); ++i)
      made.ids.push_back(static_cast<TokenId>(7 * i + 3));
  }
  return made;
}

Words words_of(const Vocabulary& from) {
  std::string bytes;
  std::vector<std::uint64_t> offsets{0};
  Symbols symbols;
  for (const auto& token : from.tokens) {
    bytes += token;
    offsets.push_back(bytes.size());
    symbols.push_back(static_cast<Symbol>(symbols.size()));
  }
  Symbols left, right, joined;
  std::vector<std::uint32_t> rank;
  for (const auto& merge : from.merges) {
    left.push_back(merge.left);
    right.push_back(merge.right);
    joined.push_back(merge.joined);
    rank.push_back(merge.rank);
  }
  return Words({symbols, from.kinds, bytes, offsets, from.ids}, {left, right, joined, rank},
               from.rules, from.whole_words);
}

/// The obvious encoder. Nothing: a character has no token.
class Reference {
 public:
  explicit Reference(const Vocabulary& vocabulary) : from_(vocabulary) {
    for (const auto& merge : from_.merges) {
      merge_by_pair_.emplace(std::pair{merge.left, merge.right}, merge);
    }
    const unsigned left_out = (from_.rules.end ? Tokens::kEndsWord : 0) |
                              (from_.rules.by_bytes ? 0 : Tokens::kByteFallback);
    for (Symbol symbol = 0; symbol < from_.tokens.size(); ++symbol) {
      if ((from_.kinds[symbol] & left_out) == 0) {
        symbol_by_part_[{from_.tokens[symbol], from_.kinds[symbol]}] = symbol;
      }
      if (from_.kinds[symbol] == Tokens::kByteFallback) add_whole_byte(symbol);
    }
    for (Symbol symbol = 0; symbol < from_.tokens.size(); ++symbol) {
      if (from_.kinds[symbol] == 0) whole_[from_.tokens[symbol]] = symbol;
    }
  }

  [[nodiscard]] std::optional<Ids> encode(std::string_view word) const {
    const auto whole = whole_.find(std::string(word));
    if (from_.whole_words && whole != whole_.end()) return Ids{id_of(whole->second)};
    auto symbols = parts(word);
    if (!symbols) return std::nullopt;
    join(*symbols);
    Ids ids;
    for (const auto symbol : *symbols) ids.push_back(id_of(symbol));
    return ids;
  }

 private:
  [[nodiscard]] TokenId id_of(Symbol symbol) const {
    return from_.ids.empty() ? symbol : from_.ids[symbol];
  }

  /// A byte token is found by its byte, and by how files spell it.
  void add_whole_byte(Symbol symbol) {
    const auto& byte = from_.tokens[symbol];
    char spelling[8];
    std::snprintf(spelling, sizeof spelling, "<0x%02X>", static_cast<unsigned char>(byte[0]));
    whole_[spelling] = symbol;
  }

  [[nodiscard]] std::size_t part_size(std::string_view rest) const {
    if (from_.rules.by_bytes) return 1;
    const auto* at = reinterpret_cast<const unsigned char*>(rest.data());
    return std::max<std::size_t>(read_utf8(at, at + rest.size()).size, 1);
  }

  [[nodiscard]] std::optional<Symbols> parts(std::string_view word) const {
    const auto& rules = from_.rules;
    Symbols symbols;
    bool follows_unknown = false;
    for (std::size_t start = 0; start < word.size();) {
      const auto part = word.substr(start, part_size(word.substr(start)));
      const bool is_last = start + part.size() == word.size();
      const unsigned kind = (rules.marks_begin && start > 0 ? Tokens::kContinuesWord : 0) |
                            (rules.marks_end && is_last ? Tokens::kEndsWord : 0);
      start += part.size();
      const auto found = symbol_by_part_.find({std::string(part), kind});
      const bool is_unknown = found == symbol_by_part_.end();
      if (!is_unknown) {
        symbols.push_back(found->second);
      } else if (!rules.fallback.empty()) {
        for (const char byte : part)
          symbols.push_back(rules.fallback[static_cast<unsigned char>(byte)]);
      } else if (!rules.unknown) {
        return std::nullopt;
      } else if (!(follows_unknown && rules.fuse_unknown)) {
        symbols.push_back(*rules.unknown);
      }
      follows_unknown = is_unknown;
    }
    if (rules.end) symbols.push_back(*rules.end);
    return symbols;
  }

  void join(Symbols& symbols) const {
    while (true) {
      std::optional<std::size_t> best_at;
      const Vocabulary::Merge* best = nullptr;
      for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
        const auto found = merge_by_pair_.find({symbols[i], symbols[i + 1]});
        if (found == merge_by_pair_.end()) continue;
        if (best != nullptr && found->second.rank >= best->rank) continue;
        best_at = i;
        best = &found->second;
      }
      if (!best_at) return;
      symbols[*best_at] = best->joined;
      symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(*best_at) + 1);
    }
  }

  const Vocabulary& from_;
  std::map<std::pair<Symbol, Symbol>, Vocabulary::Merge> merge_by_pair_;
  std::map<std::pair<std::string, unsigned>, Symbol> symbol_by_part_;
  std::map<std::string, Symbol> whole_;
};

/// Texts in which the letters of the vocabulary are common.
std::string any_text(fuzz::Input& input, std::uint32_t longest) {
  std::string text(input.string(longest));
  const auto repeats = input.below(8) == 0 ? input.below(12) : 0;
  for (auto& byte : text) {
    const auto value = static_cast<unsigned char>(byte);
    if (value >= 16 && value < 160) byte = static_cast<char>("aabbcd  "[value % 8]);
  }
  const std::string once = text;
  for (std::uint32_t i = 0; i < repeats; ++i) text += once;
  return text;
}

void check_words(const Words& words, const Reference& reference, fuzz::Input& input) {
  std::vector<std::string> texts;
  for (auto n = 1 + input.below(60); n > 0; --n) {
    auto text = any_text(input, input.below(4) == 0 ? 255 : 20);
    if (!text.empty()) texts.push_back(std::move(text));
  }
  std::vector<Words::Word> together;
  Ids expected;
  bool is_known = true;
  for (const auto& text : texts) {
    const auto ids = reference.encode(text);
    is_known = is_known && ids;
    if (ids) expected.insert(expected.end(), ids->begin(), ids->end());
    together.push_back({text});
  }
  Ids ids;
  try {
    words.encode(together, ids);
    fuzz::require(is_known, "a character without a token is told");
    Ids in_order;
    for (const auto& word : together) {
      const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(word.start);
      in_order.insert(in_order.end(), begin, begin + word.n_ids);
    }
    fuzz::require(in_order == expected, "many words at once become what they become alone");
  } catch (const UnknownCharacter&) {
    fuzz::require(!is_known, "only a character without a token is told");
  }
}

std::optional<Ids> expected_ids(const Reference& reference, const SplitChain& chain,
                                std::string_view text) {
  Ids expected;
  SplitChain::Progress progress;
  std::vector<std::size_t> ends(Splitter::kBatch);
  for (std::size_t start = 0; start < text.size();) {
    const auto n = chain.cut(text, start, true, progress, ends);
    for (std::size_t i = 0; i < n; ++i) {
      const auto ids = reference.encode(text.substr(start, ends[i] - start));
      if (!ids) return std::nullopt;
      expected.insert(expected.end(), ids->begin(), ids->end());
      start = ends[i];
    }
  }
  return expected;
}

/// Whole texts: cut, cached, joined; the second time from the cache.
void check_texts(Words words, const Reference& reference, fuzz::Input& input) {
  const SplitChain chain(input.flag() ? Splitter(fuzz::pattern_tables(input)) : Splitter());
  const Encoder encoder(Normalizer(), {}, chain, std::move(words), kCacheBytes);
  const Cutter cutter;
  std::optional<Encoder::Run> run;
  while (!input.empty()) {
    const auto text = any_text(input, 255);
    const auto expected = expected_ids(reference, chain, text);
    for (int round = 0; round < 2; ++round) {
      if (!run) run.emplace(encoder);
      run->ids.clear();
      try {
        run->encode(text, cutter);
        fuzz::require(expected.has_value(), "a character without a token is told");
        fuzz::require(std::ranges::equal(run->ids.ids(), *expected),
                      "texts become what their words do");
      } catch (const UnknownCharacter&) {
        fuzz::require(!expected, "only a character without a token is told");
        run.reset();  // it still holds words of that text
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const Vocabulary vocabulary = any_vocabulary(input);
  const Reference reference(vocabulary);
  Words words = words_of(vocabulary);
  check_words(words, reference, input);
  check_texts(std::move(words), reference, input);
  return 0;
}
