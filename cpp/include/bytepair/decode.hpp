// bytepair/decode.hpp: token ids -> the bytes they stand for. No Python, no I/O.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "bytepair/memory.hpp"

namespace bytepair {

/// Plain values that grow at their end. Unlike a vector's, the room for more is not zeroed first.
template <class T>
requires std::is_trivially_copyable_v<T>
class Buffer {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const T* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::span<const T> values() const noexcept { return {data_.get(), size_}; }

  /// Where the next values go; `n` of them may be written. Throws std::bad_alloc.
  [[nodiscard]] T* room(std::size_t n) {
    if (capacity_ - size_ < n) grow(n);
    return data_.get() + size_;
  }
  /// The values up to `end`, which was reached from `room()`, belong to the buffer now.
  void end_at(const T* end) noexcept { size_ = static_cast<std::size_t>(end - data_.get()); }

  void clear() noexcept { size_ = 0; }

 private:
  struct Free {
    void operator()(T* memory) const noexcept { std::free(memory); }
  };

  void grow(std::size_t n) {
    if (n > PTRDIFF_MAX / sizeof(T) / 4 - size_) throw std::bad_alloc();
    const std::size_t wanted = std::max(size_ + n, capacity_ * 2);
    auto* moved = static_cast<T*>(std::realloc(data_.get(), wanted * sizeof(T)));
    if (moved == nullptr) throw std::bad_alloc();
    (void)data_.release();  // realloc has freed it
    data_.reset(moved);
    capacity_ = wanted;
  }

  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

using ByteBuffer = Buffer<char>;

/// Where in a text a token stands, as far as that changes what it decodes to.
enum class Place : std::uint8_t { kFirst = 1, kLast = 2, kOnly = 3 };

/// What a token decodes to at a place, if it differs from what it decodes to elsewhere.
struct Edge {
  std::uint32_t id;
  Place place;
  std::string_view bytes;
};

/// From a text's beginning at most `start` times `content` is taken, from its end `stop` times.
struct StripRule {
  std::string content;
  std::size_t start = 0;
  std::size_t stop = 0;
};

/// What a decoder is made of; only read while it is made.
struct DecoderTables {
  std::span<const std::uint32_t> ids;          // they may have gaps
  std::span<const std::string_view> contents;  // of each id
  std::span<const std::uint32_t> special;      // those of the ids that a call may leave out
  std::span<const Edge> edges;
  std::span<const StripRule> strips;  // applied to the joined bytes, in order
};

struct DecodeOptions {
  bool skip_unknown = false;  // ids without bytes are left out
  bool skip_special = false;  // special ids are left out
};

/// Where the bytes of a text are in a buffer, and the position of the first id that is unknown.
struct DecodedText {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::optional<std::size_t> unknown;
};

/// Bytes by id. Built once, then read-only: safe to share between threads.
class Decoder {
 public:
  using Ids = std::span<const std::uint32_t>;

  /// Throws std::invalid_argument if the lengths differ. O(n) memory whatever the ids are.
  explicit Decoder(const DecoderTables& tables);

  /// Appends the bytes of one text. Unless unknown ids are skipped it stops at the first, and what
  /// was appended means nothing. O(ids + bytes).
  [[nodiscard]] DecodedText decode(Ids ids, DecodeOptions options, ByteBuffer& bytes) const;

  /// The same, with the end of each id's bytes in `bytes`, before anything is stripped.
  [[nodiscard]] DecodedText decode(Ids ids, DecodeOptions options, ByteBuffer& bytes,
                                   std::vector<std::size_t>& ends) const;

  /// The bytes of one id, wherever it stands; they live as long as the decoder.
  [[nodiscard]] std::optional<std::string_view> find(std::uint32_t id) const noexcept;

  /// True for an id that a call may leave out.
  [[nodiscard]] bool is_special(std::uint32_t id) const noexcept;

  /// The largest id, or -1 if there is none.
  [[nodiscard]] std::int64_t max_id() const noexcept { return max_id_; }

 private:
  // Nearly every token is short, and copied as one block of 16 bytes without a look at its length.
  static constexpr std::size_t kBlock = 16;
  static constexpr std::size_t kShort = kBlock - 1;
  static constexpr std::uint8_t kElsewhere = 0xFF;  // long, special, or no token at all
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
  struct alignas(kBlock) Record {
    char bytes[kShort] = {};
    std::uint8_t size = kElsewhere;
  };
  struct Slice {
    std::size_t start;
    std::size_t size;
  };
  struct Other {
    Slice bytes;
    bool is_special;
  };

  void add(std::uint32_t id, std::string_view bytes, bool is_special);
  [[nodiscard]] Slice keep(std::string_view bytes);
  [[nodiscard]] std::string_view view(Slice slice) const noexcept;
  [[nodiscard]] const Record& record(std::uint32_t id) const noexcept;
  [[nodiscard]] const Other* find_other(std::uint32_t id) const noexcept;
  [[nodiscard]] bool is_kept(std::uint32_t id, DecodeOptions options) const noexcept;

  /// Each `append` returns the position in `ids` of the first that is unknown.
  std::optional<std::size_t> append(Ids ids, DecodeOptions options, ByteBuffer& bytes) const;
  std::optional<std::size_t> append_with_edges(Ids ids, DecodeOptions options,
                                               ByteBuffer& bytes) const;
  void append_at(std::uint32_t id, Place place, ByteBuffer& bytes) const;
  void strip(const ByteBuffer& bytes, DecodedText& text) const noexcept;

  PageArray<Record> records_;  // by id; the last stands for all ids beyond
  std::vector<Other> others_;
  std::unordered_map<std::uint32_t, std::uint32_t> sparse_;  // ids beyond the records -> others_
  std::unordered_map<std::uint64_t, Slice> edges_;           // by id and place
  std::vector<StripRule> strips_;
  std::string data_;
  std::int64_t max_id_ = -1;
};

/// For each stretch of `text` (they end at `ends`, lie end to end and may reach beyond the text at
/// both sides) the number of the character in which it begins. `begin` and `end` are the text's
/// place in `bytes`. As in tiktoken: a stretch that begins within a character begins there.
[[nodiscard]] std::vector<std::int64_t> char_starts(const ByteBuffer& bytes,
                                                    const DecodedText& text,
                                                    std::span<const std::size_t> ends);

}  // namespace bytepair
