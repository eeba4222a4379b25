// words.cpp: puts the parts of a vocabulary together, and words through them.
#include "bytepair/words.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <string>
#include <utility>

namespace bytepair {
namespace {

// Bytes whose symbols, and an end mark, fit a lane.
constexpr std::size_t kShort = 15;
constexpr std::size_t kMedium = 63;
constexpr std::size_t kAtOnce = 512;   // words of one size
constexpr std::size_t kHashed = 128;   // words that are looked up while the memory for them comes

std::string_view token_at(const Tokens& tokens, std::size_t i) {
  return tokens.bytes.substr(tokens.offsets[i], tokens.offsets[i + 1] - tokens.offsets[i]);
}

/// "<0x41>" for the byte "A".
std::string spelt_byte(std::string_view byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto value = static_cast<unsigned char>(byte.empty() ? 0 : byte[0]);
  return {'<', '0', 'x', kDigits[value >> 4], kDigits[value & 15], '>'};
}

const Tokens& checked(const Tokens& tokens) {
  const auto n = tokens.symbols.size();
  const bool fits = tokens.kinds.size() == n && tokens.offsets.size() == n + 1 &&
                    std::ranges::is_sorted(tokens.offsets) &&
                    tokens.offsets.back() <= tokens.bytes.size();
  if (!fits) throw std::invalid_argument("tokens, kinds and offsets do not fit together");
  return tokens;
}

}  // namespace

Words::Words(const Tokens& tokens, const MergeColumns& merges, FirstSymbols::Rules rules,
             bool whole_words)
    : ids_(checked(tokens).ids), first_(std::move(rules)), table_(table_of(tokens, merges)) {
  add_first(tokens);
  find_borders(tokens, merges);
  rank_byte_pairs();
  if (whole_words) add_whole(tokens);
  find_first_stage(tokens, merges);
}

Words::Table Words::table_of(const Tokens& tokens, const MergeColumns& merges) {
  Symbol largest = 0;
  for (const auto& column : {tokens.symbols, merges.left, merges.right, merges.joined}) {
    for (const Symbol symbol : column) largest = std::max(largest, symbol);
  }
  if (!tokens.ids.empty() && largest >= tokens.ids.size()) {
    throw std::invalid_argument("a symbol without an id");
  }
  if (largest < NarrowSlot::kNoSymbol) return PairTable<NarrowSlot>(merges);
  return PairTable<WideSlot>(merges);
}

void Words::add_first(const Tokens& tokens) {
  // With an end mark that is a symbol, tokens that end a word are made by merging with it.
  const unsigned merged = first_.rules().end ? Tokens::kEndsWord : 0;
  const unsigned left_out = merged | (first_.rules().by_bytes ? 0 : Tokens::kByteFallback);
  for (std::size_t i = 0; i < tokens.symbols.size(); ++i) {
    const unsigned kind = tokens.kinds[i];
    const auto bytes = token_at(tokens, i);
    if (kind & left_out || bytes.size() > 4 || !first_.is_part(bytes)) continue;
    first_.add(bytes, kind & Tokens::kContinuesWord, kind & Tokens::kEndsWord, tokens.symbols[i]);
  }
}

void Words::add_whole(const Tokens& tokens) {
  const std::size_t n = tokens.symbols.size();
  whole_ = TokenTable(n + 256, tokens.bytes.size());
  // A byte that stands in for unknown characters is found by its spelling, not by itself: a text of
  // this byte alone gets an end mark. Of tokens with the same bytes the last one counts, and
  // anything rather than such a spelling.
  unsigned left_out = Tokens::kContinuesWord | Tokens::kEndsWord;
  if (!first_.rules().by_bytes) {
    left_out |= Tokens::kByteFallback;
    for (std::size_t i = 0; i < n; ++i) {
      if (!(tokens.kinds[i] & Tokens::kByteFallback)) continue;
      whole_.add(spelt_byte(token_at(tokens, i)), id_of(tokens.symbols[i]));
    }
  }
  add_contents(tokens, left_out);
  if (borders_.empty()) return;
  cut_whole_ = TokenTable(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto content = token_at(tokens, i);
    if (borders_.is_cut(content)) cut_whole_.add(content, id_of(tokens.symbols[i]));
  }
}

/// Adds the tokens of no such kind, while the memory for the next ones is on its way.
void Words::add_contents(const Tokens& tokens, unsigned left_out) {
  constexpr std::size_t kAhead = 16;
  std::array<std::uint64_t, kAhead> hashes{};
  const std::size_t n = tokens.symbols.size();
  for (std::size_t next = 0; next < n + kAhead; ++next) {
    std::uint64_t& hash = hashes[next % kAhead];
    if (next >= kAhead && !(tokens.kinds[next - kAhead] & left_out)) {
      const std::size_t i = next - kAhead;
      whole_.add(token_at(tokens, i), id_of(tokens.symbols[i]), hash);
    }
    if (next < n) {
      hash = hash_bytes(token_at(tokens, next));
      whole_.prefetch(hash);
    }
  }
}

void Words::find_borders(const Tokens& tokens, const MergeColumns& merges) {
  const auto& rules = first_.rules();
  const bool fuses = rules.unknown && first_.fuses();
  if (rules.marks_begin || rules.marks_end || rules.end || fuses) return;
  // What stands for unknown text may be any text.
  const auto holds_unknown = [&](std::span<const Symbol> column) {
    return rules.unknown && std::ranges::find(column, *rules.unknown) != column.end();
  };
  if (holds_unknown(merges.left) || holds_unknown(merges.right)) return;
  std::vector<Borders::First> first;
  for (std::size_t i = 0; i < tokens.symbols.size(); ++i) {
    const auto bytes = token_at(tokens, i);
    const bool is_fallback = tokens.kinds[i] & Tokens::kByteFallback;
    if (bytes.size() <= 4 && (is_fallback || first_.is_part(bytes))) {
      first.push_back({tokens.symbols[i], bytes});
    }
  }
  borders_ = Borders(first, merges);
}

void Words::rank_byte_pairs() {
  if (!first_.is_plain()) return;
  byte_pair_ranks_.resize(std::size_t{256} * 256);
  std::visit(
      [&](const auto& pairs) {
        const auto& symbols = first_.of_bytes();
        std::array<std::uint32_t, 256> places;
        for (std::size_t left = 0; left < 256; ++left) {
          for (std::size_t right = 0; right < 256; ++right) {
            places[right] = pairs.place(symbols[left], symbols[right]);
            pairs.prefetch(places[right]);
          }
          for (std::size_t right = 0; right < 256; ++right) {
            const auto order = pairs.order_at(places[right], symbols[left], symbols[right]);
            byte_pair_ranks_[left * 256 + right] = order << Lane<16>::kPlaceBits;
          }
        }
      },
      table_);
}

void Words::encode(std::span<Word> words, std::vector<TokenId>& ids) const {
  check(words);
  std::visit([&](const auto& pairs) { encode(pairs, words, ids); }, table_);
}

/// Throws UnknownCharacter for the first one in the order of the words, which is not that of lanes.
void Words::check(std::span<const Word> words) const {
  if (!may_fail()) return;
  std::vector<Symbol> symbols;
  for (const Word& word : words) {
    symbols.resize(word.text.size() + 1);
    const bool is_token = word.is_whole && whole_.find(word.text) != nullptr;
    if (!is_token) first_.write(word.text, symbols.data());
  }
}

/// Words of one size, each in a lane until it is joined.
template <class Fill, std::size_t N>
class Words::Joined final : public LaneWords<N> {
 public:
  /// `numbers`: which of all words. `fill` puts a word into a lane.
  Joined(const Words& vocabulary, const Fill& fill, std::span<Word> words,
         std::span<const std::uint32_t> numbers, std::vector<TokenId>& ids)
      : vocabulary_(vocabulary), fill_(fill), words_(words), numbers_(numbers), ids_(ids) {}

  Lane<N>* next() override {
    if (next_ == numbers_.size()) return nullptr;
    Lane<N>* lane = free_ != nullptr ? std::exchange(free_, nullptr) : &lanes_[next_];
    lane->word = numbers_[next_++];
    fill_(words_[lane->word], *lane);
    return lane;
  }

  void take(Lane<N>& lane) override {
    free_ = &lane;
    Word& word = words_[lane.word];
    word.start = ids_.size();
    word.n_ids = static_cast<std::uint32_t>(std::popcount(lane.alive));
    for (auto alive = lane.alive; alive != 0; alive &= alive - 1) {
      const auto place = static_cast<std::size_t>(std::countr_zero(alive));
      ids_.push_back(vocabulary_.id_of(lane.symbols[place]));
    }
  }

 private:
  const Words& vocabulary_;
  const Fill& fill_;
  std::span<Word> words_;
  std::span<const std::uint32_t> numbers_;
  std::vector<TokenId>& ids_;
  std::size_t next_ = 0;
  std::array<Lane<N>, kLanes<N>> lanes_;
  Lane<N>* free_ = nullptr;  // the last one taken: another word is wanted right after it
};

template <std::size_t N, class Pairs, class Fill>
void Words::join(const Pairs& pairs, std::span<Word> words, std::span<const std::uint32_t> numbers,
                 const Fill& fill, std::vector<TokenId>& ids) const {
  Joined<Fill, N> joined(*this, fill, words, numbers, ids);
  join_lanes(pairs, static_cast<LaneWords<N>&>(joined));
}

template <class Pairs>
void Words::encode(const Pairs& pairs, std::span<Word> words, std::vector<TokenId>& ids) const {
  std::array<std::uint32_t, kAtOnce> short_words;
  std::array<std::uint32_t, kAtOnce> medium_words;
  std::size_t n_short = 0;
  std::size_t n_medium = 0;
  const auto put = [&](const Word& word, auto& lane) { fill(pairs, word.text, lane); };
  const auto join_all = [&] {
    join<16>(pairs, words, std::span(short_words.data(), std::exchange(n_short, 0)), put, ids);
    join<64>(pairs, words, std::span(medium_words.data(), std::exchange(n_medium, 0)), put, ids);
  };
  std::array<std::uint64_t, kHashed> hashes;
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    if (i % kHashed == 0) {
      const auto next = words.subspan(i, std::min(kHashed, words.size() - i));
      for (std::size_t k = 0; k < next.size(); ++k) {
        if (!next[k].is_whole) continue;
        hashes[k] = whole_.hash(next[k].text);
        whole_.prefetch(hashes[k]);
      }
    }
    Word& word = words[i];
    const auto* id = word.is_whole ? whole_.find(word.text, hashes[i % kHashed]) : nullptr;
    if (id != nullptr) {
      word.start = ids.size();
      word.n_ids = 1;
      ids.push_back(*id);
    } else if (word.text.size() <= kShort) {
      short_words[n_short++] = i;
    } else if (word.text.size() <= kMedium) {
      medium_words[n_medium++] = i;
    } else {
      word.start = ids.size();
      encode_long(pairs, word.text, ids);
      word.n_ids = static_cast<std::uint32_t>(ids.size() - word.start);
    }
    if (n_short == kAtOnce || n_medium == kAtOnce) join_all();
  }
  join_all();
}

void Words::finish(std::span<const Symbol> symbols, std::span<Word> words,
                   std::vector<TokenId>& ids) const {
  std::visit([&](const auto& pairs) { finish(pairs, symbols, words, ids); }, table_);
}

template <class Pairs>
void Words::finish(const Pairs& pairs, std::span<const Symbol> symbols, std::span<Word> words,
                   std::vector<TokenId>& ids) const {
  std::vector<std::uint32_t> short_words;
  std::vector<std::uint32_t> medium_words;
  std::size_t n_done = 0;
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    Word& word = words[i];
    word.start = n_done;
    for (std::size_t size = 0; size < word.text.size(); ++n_done) {
      size += stage_sizes_[symbols[n_done]];
    }
    word.n_ids = static_cast<std::uint32_t>(n_done - word.start);
    if (word.n_ids <= kShort) {
      short_words.push_back(i);
    } else if (word.n_ids <= kMedium) {
      medium_words.push_back(i);
    } else {
      const auto parts = symbols.subspan(word.start, word.n_ids);
      const auto tokens = join_long(pairs, SymbolWord<Pairs>{pairs, parts}).tokens;
      word.start = ids.size();
      word.n_ids = static_cast<std::uint32_t>(tokens.size());
      for (const Symbol token : tokens) ids.push_back(id_of(token));
    }
  }
  const auto put = [&]<std::size_t N>(const Word& word, Lane<N>& lane) {
    std::ranges::fill(lane.ranks, Lane<N>::kNoRank);
    std::ranges::copy(symbols.subspan(word.start, word.n_ids), lane.symbols);
    for (std::size_t i = 0; i + 1 < word.n_ids; ++i) {
      lane.ranks[i] = pairs.order(lane.symbols[i], lane.symbols[i + 1]) << Lane<N>::kPlaceBits;
    }
    lane.symbols[N] = Pairs::kNoSymbol;
    lane.alive = ~std::uint64_t{0} >> (64 - word.n_ids);
  };
  join<16>(pairs, words, short_words, put, ids);
  join<64>(pairs, words, medium_words, put, ids);
}

template <class Pairs, std::size_t N>
void Words::fill(const Pairs& pairs, std::string_view text, Lane<N>& lane) const {
  std::size_t n = text.size();
  std::ranges::fill(lane.ranks, Lane<N>::kNoRank);
  if (!byte_pair_ranks_.empty()) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    for (std::size_t i = 0; i < n; ++i) lane.symbols[i] = first_.of_bytes()[bytes[i]];
    for (std::size_t i = 0; i + 1 < n; ++i) {
      lane.ranks[i] = byte_pair_ranks_[std::size_t{bytes[i]} * 256 + bytes[i + 1]];
    }
  } else {
    n = first_.write(text, lane.symbols);
    for (std::size_t i = 0; i + 1 < n; ++i) {
      lane.ranks[i] = pairs.order(lane.symbols[i], lane.symbols[i + 1]) << Lane<N>::kPlaceBits;
    }
  }
  lane.symbols[N] = Pairs::kNoSymbol;
  lane.alive = ~std::uint64_t{0} >> (64 - n);
}

template <class Pairs>
void Words::encode_long(const Pairs& pairs, std::string_view text,
                        std::vector<TokenId>& ids) const {
  const auto add = [&](const Chain& chain) {
    const std::size_t n = ids.size();
    ids.resize(n + chain.tokens.size());
    for (std::size_t i = 0; i < chain.tokens.size(); ++i) ids[n + i] = id_of(chain.tokens[i]);
  };
  if (first_.is_plain()) {
    return add(join_long(pairs, ByteWord{text, first_.of_bytes(), byte_pair_ranks_.data()}));
  }
  std::vector<Symbol> symbols(text.size() + 1);
  symbols.resize(first_.write(text, symbols.data()));
  add(join_long(pairs, SymbolWord<Pairs>{pairs, symbols}));
}

Words::Placed Words::encode_placed(std::string_view text, Chance* leaves_out) const {
  const TokenId* whole = leaves_out == nullptr ? whole_.find(text) : nullptr;
  if (whole != nullptr) return {{*whole}, {0}};
  std::vector<Symbol> symbols(text.size() + 1);
  std::vector<std::size_t> sizes;
  symbols.resize(first_.write(text, symbols.data(), &sizes));
  const Chain chain = std::visit(
      [&]<class Pairs>(const Pairs& pairs) {
        const std::span<const Symbol> parts(symbols);
        return leaves_out == nullptr ? join_long(pairs, SymbolWord<Pairs>{pairs, parts})
                                     : join_by_chance(pairs, parts, *leaves_out);
      },
      table_);
  Placed placed;
  for (const Symbol token : chain.tokens) placed.ids.push_back(id_of(token));
  std::size_t place = 0;
  for (std::size_t i = 0; i < sizes.size(); place += sizes[i++]) {
    if (chain.starts[i / 64] >> (i % 64) & 1) placed.starts.push_back(place);
  }
  return placed;
}

}  // namespace bytepair
