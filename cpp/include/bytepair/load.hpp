// bytepair/load.hpp: the tokens and merges of a tokenizer.json, in one pass. No Python, no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

  /// Where the two values stand in the file.
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
    const std::size_t start = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(data_).substr(start, ends_[i] - start);
  }

  /// The place of an id in `ids`. O(log n).
  [[nodiscard]] std::optional<std::size_t> place_of(std::uint32_t id) const noexcept;

  /// The id of a token. O(its size).
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view spelling) const noexcept;

 private:
  struct Slot {  // all that a look-up needs but the bytes themselves
    std::uint32_t tag = 0;  // of the hash, so that few wrong tokens are compared
    std::uint32_t id = 0;
    std::uint32_t start = 0;  // in data_
    std::uint32_t size = 0;   // 0: free
  };
  class Reader;

  ModelTables();
  [[nodiscard]] std::uint64_t hash(std::string_view spelling) const noexcept;
  [[nodiscard]] const Slot& slot(std::string_view spelling, std::uint64_t hash) const noexcept;
  bool index();
  bool sort_by_id();
  [[nodiscard]] bool merges_are_distinct() const;

  std::string data_;                 // all spellings, one after the other
  std::vector<std::uint32_t> ends_;  // of each in data_
  std::vector<Slot> slots_;          // a power of two
  std::uint64_t seed_;               // keeps a file from being built to collide
};

/// Appends the bytes that the characters of a byte-level spelling stand for (GPT-2's alphabet: see
/// bytepair.model.BYTE_TO_CHAR). False: one of them stands for none.
bool append_spelt_bytes(std::string_view spelling, std::string& bytes);

}  // namespace bytepair
