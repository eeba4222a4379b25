// bytepair/encode.hpp: text -> token ids. No Python, no I/O, no locale.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bytepair/pair_map.hpp"
#include "bytepair/split.hpp"

namespace bytepair {

using TokenId = std::uint32_t;

/// A character without a token, in a vocabulary without byte fallback; `what()` is its bytes in
/// hex.
struct UnknownCharacter : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Which neighbours join: parallel arrays. Several merges may share a rank, which is less than
/// 2^32 - 1; the leftmost of equal ranks is joined first.
struct MergeColumns {
  std::span<const TokenId> left;
  std::span<const TokenId> right;
  std::span<const TokenId> joined;
  std::span<const std::uint32_t> rank;
};

struct BytesHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view bytes) const noexcept {
    return std::hash<std::string_view>{}(bytes);
  }
};

using TokenByBytes = std::unordered_map<std::string, TokenId, BytesHash, std::equal_to<>>;

/// How the first symbols of a pre-token are found.
struct FirstSymbols {
  std::vector<TokenId> byte_ids;       // 256 ids, or none
  bool by_character = false;           // else by byte
  TokenByBytes characters;             // UTF-8 of one character -> id
  std::optional<TokenId> end_of_word;  // appended to each pre-token
};

/// Encodes documents. Read-only after construction: safe to share between threads.
/// Twin: bytepair.engines.python.Encoder (tests/parity/test_encode.py).
class Encoder {
 public:
  /// Called now and then during long work, on the calling thread; returns false to give up.
  using KeepGoing = std::function<bool()>;

  /// Throws std::invalid_argument if the parts do not fit together.
  Encoder(Splitter splitter, FirstSymbols first, const MergeColumns& merges,
          TokenByBytes whole);

  /// Appends the ids of one document to `ids`. O(n log n) for any input. Throws UnknownCharacter.
  /// Returns false if `keep_going` said to give up.
  bool encode(std::string_view text, std::vector<TokenId>& ids, const KeepGoing& keep_going) const;

  /// Appends the ids of a document that is cut already: pre-token i ends at `ends[i]`. Throws
  /// std::invalid_argument if the ends do not ascend within the text.
  void encode_cut(std::string_view text, std::span<const std::size_t> ends,
                  std::vector<TokenId>& ids) const;

  /// The ids of many documents, one row each; row i is ids[offsets[i] .. offsets[i + 1]).
  struct Rows {
    std::vector<TokenId> ids;
    std::vector<std::int64_t> offsets;
    bool complete = true;  // false: gave up
  };

  /// Encodes on `n_threads` >= 1 threads (this one included); the result does not depend on them.
  [[nodiscard]] Rows encode_batch(std::span<const std::string_view> documents,
                                  std::size_t n_threads, const KeepGoing& keep_going) const;

 private:
  struct Joined {
    std::uint32_t rank;
    TokenId id;
  };
  static constexpr std::uint32_t kNoRank = 0xFFFF'FFFF;

  void encode_word(std::string_view word, std::vector<TokenId>& ids) const;
  void add_symbols(std::string_view word, std::vector<TokenId>& symbols) const;
  void add_unknown(std::string_view character, std::vector<TokenId>& symbols) const;
  void join_few(std::vector<TokenId>& ids, std::size_t start) const;
  void join_many(std::vector<TokenId>& ids, std::size_t start) const;
  [[nodiscard]] std::uint32_t rank(TokenId left, TokenId right) const noexcept;

  Splitter splitter_;
  FirstSymbols first_;
  PairMap<Joined> merges_;
  TokenByBytes whole_;  // pre-tokens that need no merging
};

}  // namespace bytepair
