// bytepair/load.hpp: the tokens and merges of a tokenizer.json, in one pass. No Python, no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bytepair/memory.hpp"

namespace bytepair {

/// Where something stands in a file.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The two large members of the model in a Hugging Face tokenizer.json. Read-only after `read`:
/// safe to share between threads.
class ModelTables {
 public:
  /// Reads `model.vocab` and `model.merges`. Nothing unless both are there and plainly sound:
  /// strings are UTF-8; tokens are distinct and not empty, ids distinct and below 2^31; merges are
  /// written alike ("a b" or ["a", "b"]), none twice, and their parts and results are tokens; there
  /// is no continuing_subword_prefix. Whoever gets nothing asks a JSON library, which can say what
  /// is wrong. The rest of the file is passed over, not checked. O(json.size()).
  static std::optional<ModelTables> read(std::string_view json);

  /// The same of tokens, each with its id, and of merges ("a b") that come from elsewhere.
  static std::optional<ModelTables> of(std::span<const std::string_view> tokens,
                                       std::span<const std::uint32_t> token_ids,
                                       std::span<const std::string_view> lines);

  /// Where the two values stand in the file that was read.
  Range vocab;
  Range merges;

  /// Ids, ascending.
  std::vector<std::uint32_t> ids;

  /// The merges as ids, in order; the three have one length.
  std::vector<std::uint32_t> left;
  std::vector<std::uint32_t> right;
  std::vector<std::uint32_t> joined;

  /// The token `ids[i]` as the file spells it; lives as long as this.
  [[nodiscard]] std::string_view spelling(std::size_t i) const noexcept {
    return {data_.data() + starts_[i], starts_[i + 1] - starts_[i]};
  }

  /// Of all spellings together.
  [[nodiscard]] std::size_t n_bytes() const noexcept { return starts_.back() - starts_.front(); }

  /// The place of an id in `ids`. O(log n).
  [[nodiscard]] std::optional<std::size_t> place_of(std::uint32_t id) const noexcept;

  /// The id of a token. O(its size).
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view spelling) const noexcept;

 private:
  static constexpr std::size_t kKept = 8;  // bytes that a look-up needs not go elsewhere for
  struct Key {                             // of a spelling: its bytes if they are few, or a hash
    std::uint64_t bytes = 0;
    std::uint32_t size = 0;
  };
  struct Slot {
    std::uint64_t bytes = 0;
    std::uint32_t size = 0;
    std::uint32_t number = 0;  // of the token, from 1; 0: free
  };
  class Reader;

  ModelTables();
  /// `readable`: the end of the memory in which the spelling lies.
  [[nodiscard]] Key key_of(std::string_view spelling, const char* readable) const noexcept;
  [[nodiscard]] std::size_t first_place(const Key& key) const noexcept;
  [[nodiscard]] std::size_t slot_of(std::string_view spelling, const Key& key) const noexcept;
  [[nodiscard]] std::uint32_t number_of(std::string_view spelling, const Key& key) const noexcept;
  [[nodiscard]] std::uint32_t id_of(std::uint32_t number) const noexcept {
    return has_all_ids_ ? number - 1 : ids[number - 1];
  }
  void reserve(std::size_t n);
  void add(std::string_view token, std::uint32_t id);
  bool add_all(std::span<const std::string_view> tokens, std::span<const std::uint32_t> token_ids);
  bool end();
  bool sort_by_id();
  bool index();
  [[nodiscard]] bool merges_are_distinct() const;

  static constexpr std::size_t kPadding = 16;  // read in vain where a text is short

  std::string data_;                   // all spellings, one after the other, between zeros
  std::vector<std::uint32_t> starts_;  // of each in data_, and the end of the last
  bool has_all_ids_ = false;           // from 0 on
  PageArray<Slot> slots_;              // a power of two
  std::uint64_t seed_;                 // keeps a file from being built to collide
};

}  // namespace bytepair
