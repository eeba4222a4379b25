// token_table.cpp: open addressing over tags; the bytes are compared where a tag fits.
#include "bytepair/token_table.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace bytepair {
namespace {

constexpr std::size_t kMostBytes = 0xFFFF'FFFF;

}  // namespace

TokenTable::TokenTable(std::size_t n_tokens, std::size_t n_bytes)
    : slots_(std::bit_ceil(n_tokens + n_tokens / 2 + 1)) {
  bytes_.reserve(n_bytes);
  tokens_.reserve(n_tokens);
}

void TokenTable::add(std::string_view bytes, TokenId id, std::uint64_t hash) {
  Slot& slot = slots_[place(bytes, hash)];
  if (slot.number > 0) {
    tokens_[slot.number - 1].id = id;
    return;
  }
  if (bytes_.size() + bytes.size() > kMostBytes) throw std::length_error("too many bytes");
  tokens_.push_back({static_cast<std::uint32_t>(bytes_.size()),
                     static_cast<std::uint32_t>(bytes.size()), id});
  bytes_ += bytes;
  longest_ = std::max(longest_, bytes.size());
  slot = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::uint32_t>(tokens_.size())};
}

const TokenId* TokenTable::find(std::string_view bytes, std::uint64_t hash) const noexcept {
  if (tokens_.empty() || bytes.size() > longest_) return nullptr;
  const Slot& slot = slots_[place(bytes, hash)];
  return slot.number == 0 ? nullptr : &tokens_[slot.number - 1].id;
}

/// Where the token is, or the free slot where it would be.
std::size_t TokenTable::place(std::string_view bytes, std::uint64_t hash) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.number == 0) return at;
    if (slot.tag != tag) continue;
    const Token& token = tokens_[slot.number - 1];
    if (std::string_view(bytes_).substr(token.start, token.size) == bytes) return at;
  }
}

}  // namespace bytepair
