// bytepair/words.hpp: one pre-token -> token ids, without any memory of pre-tokens seen. No Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bytepair/borders.hpp"
#include "bytepair/join.hpp"
#include "bytepair/symbols.hpp"
#include "bytepair/token_table.hpp"

namespace bytepair {

/// A vocabulary: its ordinary tokens, numbered as symbols. Only read during construction of Words.
struct Tokens {
  enum Kind : std::uint8_t { kContinuesWord = 1, kEndsWord = 2, kByteFallback = 4 };

  std::span<const Symbol> symbols;
  std::span<const std::uint8_t> kinds;     // of each token, sums of `Kind`
  std::string_view bytes;                  // of all tokens, one after the other
  std::span<const std::uint64_t> offsets;  // token i is bytes[offsets[i] .. offsets[i + 1])
  std::vector<TokenId> ids;                // by symbol; empty if symbols are ids
};

/// All that turns pre-tokens into ids. Read-only after construction: safe to share between threads.
class Words {
 public:
  /// `whole_words`: a pre-token that is a token becomes that token without merging.
  /// Throws std::invalid_argument if the parts do not fit together, std::length_error if there are
  /// too many symbols or ranks. O(bytes of all tokens + merges).
  Words(const Tokens& tokens, const MergeColumns& merges, FirstSymbols::Rules rules,
        bool whole_words);

  /// A pre-token, or a piece of one that was cut at borders.
  struct Word {
    std::string_view text;  // not empty
    bool is_whole = true;
    std::uint32_t n_ids = 0;
    std::size_t start = 0;  // where its ids are
  };

  /// What comes before all merges that join something behind which a space follows with that space:
  /// in a vocabulary with superwords the merges within words, which are most. It makes symbols, not
  /// ids, and looks nothing up; its borders are where words begin. To be taken once; nullptr where
  /// it would be of no use.
  [[nodiscard]] std::unique_ptr<Words> take_first_stage() noexcept {
    return std::move(first_stage_);
  }

  /// Goes on with words of which the first stage has made these symbols, one word after the other:
  /// appends their ids and sets where these are.
  void finish(std::span<const Symbol> symbols, std::span<Word> words,
              std::vector<TokenId>& ids) const;

  /// Appends the ids of all words, in any order, and sets where they are; many at once cost less. A
  /// word of n bytes becomes at most n + 1 ids. O(n log n). Throws UnknownCharacter for the first
  /// one.
  void encode(std::span<Word> words, std::vector<TokenId>& ids) const;

  /// False if no word throws UnknownCharacter.
  [[nodiscard]] bool may_fail() const noexcept { return first_.may_fail(); }

  /// The ids of one pre-token, each with the byte of it at which the token begins.
  struct Placed {
    std::vector<TokenId> ids;
    std::vector<std::size_t> starts;
  };
  /// With `leaves_out`, possible merges are left out by chance, and whole tokens are not looked up.
  /// Throws UnknownCharacter.
  [[nodiscard]] Placed encode_placed(std::string_view text, Chance* leaves_out = nullptr) const;

  /// Where pre-tokens may be cut into pieces.
  [[nodiscard]] const Borders& borders() const noexcept { return borders_; }

  /// Tokens that are looked up by all of their bytes before anything is merged; empty if none are.
  [[nodiscard]] const TokenTable& whole() const noexcept { return whole_; }

  /// True if a symbol follows each pre-token.
  [[nodiscard]] bool has_end_mark() const noexcept { return first_.rules().end.has_value(); }

  /// True for a pre-token that is not to be merged although there are borders in it.
  [[nodiscard]] bool is_whole(std::string_view text) const noexcept {
    return cut_whole_.find(text) != nullptr;
  }

 private:
  using Table = std::variant<PairTable<NarrowSlot>, PairTable<WideSlot>>;

  static Table table_of(const Tokens& tokens, const MergeColumns& merges);
  void find_first_stage(const Tokens& tokens, const MergeColumns& merges);
  void add_first(const Tokens& tokens);
  void add_whole(const Tokens& tokens);
  void add_contents(const Tokens& tokens, unsigned left_out);
  void find_borders(const Tokens& tokens, const MergeColumns& merges);
  void rank_byte_pairs();

  template <class Fill, std::size_t N>
  class Joined;  // words in lanes

  void check(std::span<const Word> words) const;

  template <class Pairs>
  void encode(const Pairs& pairs, std::span<Word> words, std::vector<TokenId>& ids) const;
  template <std::size_t N, class Pairs, class Fill>
  void join(const Pairs& pairs, std::span<Word> words, std::span<const std::uint32_t> numbers,
            const Fill& fill, std::vector<TokenId>& ids) const;
  template <class Pairs>
  void finish(const Pairs& pairs, std::span<const Symbol> symbols, std::span<Word> words,
              std::vector<TokenId>& ids) const;
  template <class Pairs, std::size_t N>
  void fill(const Pairs& pairs, std::string_view text, Lane<N>& lane) const;
  template <class Pairs>
  void encode_long(const Pairs& pairs, std::string_view text, std::vector<TokenId>& ids) const;
  [[nodiscard]] TokenId id_of(Symbol symbol) const noexcept {
    return ids_.empty() ? symbol : ids_[symbol];
  }

  std::vector<TokenId> ids_;
  FirstSymbols first_;
  Table table_;
  std::vector<std::uint32_t> byte_pair_ranks_;  // by two bytes, where the parts are plain bytes
  Borders borders_;
  TokenTable whole_;
  TokenTable cut_whole_;  // those with borders in them
  std::unique_ptr<Words> first_stage_;
  std::vector<std::uint32_t> stage_sizes_;  // bytes of each symbol that the first stage makes
};

}  // namespace bytepair
