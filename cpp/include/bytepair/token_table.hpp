// bytepair/token_table.hpp: bytes of a whole token -> its id. No Python, no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bytepair/hash.hpp"
#include "bytepair/memory.hpp"

namespace bytepair {

using TokenId = std::uint32_t;

/// Finds tokens by their bytes. Read-only once all are added: safe to share between threads.
class TokenTable {
 public:
  TokenTable() = default;
  /// `n_tokens`: the most that will be added; `n_bytes`: about how many bytes they have together.
  TokenTable(std::size_t n_tokens, std::size_t n_bytes);

  /// Of tokens with the same bytes the last one counts. Throws std::length_error where all together
  /// have more than 4 GB.
  void add(std::string_view bytes, TokenId id) { add(bytes, id, hash_bytes(bytes)); }
  /// The same with the hash of the bytes (`hash_bytes`), which `prefetch` takes before.
  void add(std::string_view bytes, TokenId id, std::uint64_t hash);

  /// The id, or nullptr. One look into memory for bytes that are no token.
  [[nodiscard]] const TokenId* find(std::string_view bytes) const noexcept {
    return find(bytes, hash(bytes));
  }

  /// The same in steps, so that others can be taken while the memory answers.
  [[nodiscard]] std::uint64_t hash(std::string_view bytes) const noexcept {
    return bytes.size() > longest_ ? 0 : hash_bytes(bytes);
  }
  void prefetch(std::uint64_t hash) const noexcept {
    if (slots_.size() > 0) __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }
  [[nodiscard]] const TokenId* find(std::string_view bytes, std::uint64_t hash) const noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return tokens_.size(); }
  [[nodiscard]] bool empty() const noexcept { return tokens_.empty(); }

  /// Of the tokens in some order, `i` from 0 on.
  [[nodiscard]] std::string_view bytes(std::size_t i) const noexcept {
    return std::string_view(bytes_).substr(tokens_[i].start, tokens_[i].size);
  }
  [[nodiscard]] TokenId id(std::size_t i) const noexcept { return tokens_[i].id; }

 private:
  struct Slot {
    std::uint32_t tag = 0;     // bits of the hash that the place does not tell
    std::uint32_t number = 0;  // of the token, from 1; 0: free
  };
  struct Token {
    std::uint32_t start;
    std::uint32_t size;
    TokenId id;
  };
  [[nodiscard]] std::size_t place(std::string_view bytes, std::uint64_t hash) const noexcept;

  std::size_t longest_ = 0;
  std::string bytes_;
  std::vector<Token> tokens_;
  PageArray<Slot> slots_;  // a power of two, at most two thirds full
};

}  // namespace bytepair
