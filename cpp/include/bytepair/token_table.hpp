// bytepair/token_table.hpp: bytes of a whole token -> its id. No Python, no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bytepair/hash.hpp"

namespace bytepair {

using TokenId = std::uint32_t;

/// Finds tokens by their bytes. Read-only once all are added: safe to share between threads.
class TokenTable {
 public:
  /// Of tokens with the same bytes the last one counts. Throws std::length_error where all together
  /// have more than 4 GB.
  void add(std::string_view bytes, TokenId id);

  /// The id, or nullptr. One look into memory for bytes that are no token.
  [[nodiscard]] const TokenId* find(std::string_view bytes) const noexcept {
    if (tokens_.empty() || bytes.size() > longest_) return nullptr;
    const Slot& slot = slots_[place(bytes, hash_bytes(bytes))];
    return slot.number == 0 ? nullptr : &tokens_[slot.number - 1].id;
  }

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
  void grow();

  std::size_t longest_ = 0;
  std::string bytes_;
  std::vector<Token> tokens_;
  std::vector<Slot> slots_;  // a power of two, at most half full
};

}  // namespace bytepair
