// bytepair/encode.hpp: text -> token ids. No Python, no I/O, no locale.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bytepair/cache.hpp"
#include "bytepair/memory.hpp"
#include "bytepair/normalize.hpp"
#include "bytepair/special.hpp"
#include "bytepair/split.hpp"
#include "bytepair/words.hpp"

namespace bytepair {

/// A token that must not be in a text is there.
struct ForbiddenToken : std::runtime_error {
  ForbiddenToken(std::size_t position, std::string_view token)
      : std::runtime_error("a forbidden token"), at(position), content(token) {}
  std::size_t at;
  std::string content;
};

/// Ids one after the other, in memory that is not touched before it is written.
class IdBuffer {
 public:
  IdBuffer() = default;
  /// Room for about `n` ids, from a pool that gets it back.
  IdBuffer(std::shared_ptr<PagePool> pool, std::size_t n);
  ~IdBuffer() { release(); }
  IdBuffer(IdBuffer&& other) noexcept { swap(other); }
  IdBuffer& operator=(IdBuffer&& other) noexcept {
    IdBuffer taken(std::move(other));
    swap(taken);
    return *this;
  }
  IdBuffer(const IdBuffer&) = delete;
  IdBuffer& operator=(const IdBuffer&) = delete;

  [[nodiscard]] TokenId* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::span<const TokenId> ids() const noexcept { return {data_, size_}; }
  void clear() noexcept { size_ = 0; }
  void push_back(TokenId id) { *room(1) = id, ++size_; }

  /// Where the next `n` ids may be written; `grow` says how many were.
  TokenId* room(std::size_t n) {
    if (capacity_ - size_ < n) reserve(n);
    return data_ + size_;
  }
  void grow(std::size_t n) noexcept { size_ += n; }

 private:
  void reserve(std::size_t n);
  void release() noexcept;
  void swap(IdBuffer& other) noexcept;

  std::unique_ptr<TokenId[]> heap_;
  std::shared_ptr<PagePool> pool_;  // if there is one, `pages_` is in use instead
  Pages pages_;
  TokenId* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Everything that turns texts into ids. Safe to share between threads.
/// Twin: bytepair.engines.python.Encoder (tests/parity/test_encode.py).
class Encoder {
 public:
  /// What a pre-tokeniser does to a stretch before it cuts: spaces are replaced, and something is
  /// put before a stretch that does not begin with it.
  struct Edit {
    std::string space = " ";
    std::string prefix;
    bool only_first = false;  // the prefix: only where the text begins
  };

  Encoder(Normalizer normalizer, Edit edit, SplitChain chain, Words words,
          std::size_t cache_bytes);

  class Run;

  [[nodiscard]] const Words& words() const noexcept { return words_; }

  /// Memory of results that are no longer in use.
  [[nodiscard]] const std::shared_ptr<PagePool>& pool() const noexcept { return pool_; }

  /// Most ids that texts of so many bytes become, unless a normaliser makes them longer.
  [[nodiscard]] std::size_t most_ids(std::size_t n_bytes) const noexcept;

  /// A place behind `from` where `text` may be divided: the ids of both parts, encoded as texts of
  /// their own, are those of the whole. `kNone` if none is found. O(text.size() - from).
  [[nodiscard]] std::size_t border(std::string_view text, std::size_t from,
                                   const Cutter& cutter) const;
  static constexpr std::size_t kNone = SplitChain::kNone;

 private:
  [[nodiscard]] bool divides(std::string_view text, std::size_t at, const Cutter& cutter) const;
  /// True if words lie in the text that was given, and none of them can fail: they may wait.
  [[nodiscard]] bool words_may_wait() const noexcept {
    return normalizer_.empty() && !edits_ && !words_.may_fail();
  }

  Normalizer normalizer_;
  Edit edit_;
  bool edits_;
  SplitChain chain_;
  Words words_;
  mutable WordCache cache_;
  // Of words within phrases, if there are such: it makes symbols for `words_` to go on with.
  std::unique_ptr<Encoder> first_stage_;
  std::shared_ptr<PagePool> pool_ = std::make_shared<PagePool>();
};

/// Encodes texts one after the other. Not for two threads at once: each has its own.
class Encoder::Run {
 public:
  /// `expected_bytes`: of the texts to come, as far as known. Without `keeps_ids` they are only
  /// counted.
  explicit Run(const Encoder& encoder, std::size_t expected_bytes = 0, bool keeps_ids = true);

  /// Encodes one text: cut at the added tokens, the stretches between them cut into pre-tokens,
  /// those joined. O(n log n) for any input. Throws ForbiddenToken, UnknownCharacter; the ids of
  /// the text so far are then there.
  void encode(std::string_view text, const Cutter& cutter);

  /// The same for texts one after the other; those that are cut as they are are joined together,
  /// which costs less. `text_ends` takes how many ids there are behind each of them; if one cannot be
  /// encoded, it has as many numbers as there are texts before.
  void encode(std::span<const std::string_view> texts, const Cutter& cutter);
  std::vector<std::size_t> text_ends;

  /// Sees the parts of a text in order, as they are encoded; `text` is a part of the given text
  /// where nothing has changed it.
  class Observer {
   public:
    Observer() = default;
    virtual ~Observer() = default;
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    virtual void pre_token(std::string_view text) = 0;
    virtual void added_token(std::string_view text, TokenId id) = 0;
  };
  /// The same, but shows the parts instead of encoding them.
  void show(std::string_view text, const Cutter& cutter, Observer& observer);

  /// Encodes the beginning of an unfinished stretch between the tokens that are looked for in the
  /// text as it is, as far as no later text can change it, and returns how many bytes that is. The
  /// rest comes again, with more behind it. `is_first`: the text begins here. `cutter`: of its
  /// tokens those count that are looked for in normalised text.
  std::size_t encode_part(std::string_view text, bool is_last, bool is_first,
                          const Cutter& cutter = Cutter());

  /// Called now and then within long texts; may throw to give up.
  std::function<void()> pause;

  /// The ids of all texts.
  IdBuffer ids;
  /// Number of all ids, kept or not.
  [[nodiscard]] std::size_t n_ids() const noexcept { return n_counted_ + ids.size(); }

 private:
  /// A word that is not known.
  struct Missed {
    WordKey key;
    std::string_view text;  // of a long word; it must stay until that is joined
    std::size_t n_before;   // ids before it, without those of other words that are not known
    std::uint32_t place;    // where it would stand

    [[nodiscard]] std::string_view word() const noexcept {
      return key.is_long() ? text : key.short_word();
    }
  };
  static constexpr std::size_t kPending = 256;

  void begin() noexcept;
  void encode_text(std::string_view text, const Cutter& cutter);
  void encode_stretch(std::string_view text, const Cutter& cutter, bool is_first);
  void encode_inner(std::string_view text, bool is_first);
  std::size_t encode_pre_tokens(std::string_view text, bool is_last = true);
  void add_token(std::string_view text, TokenId id);
  void add_pre_tokens(std::string_view text, std::size_t start, std::span<const std::size_t> ends);
  void add_pieces(std::string_view text, std::size_t start, std::size_t end,
                  std::span<std::size_t> ends, std::size_t n_ends);
  template <class AddOdd>
  void add_words(std::string_view text, std::size_t start, std::span<const std::size_t> ends,
                 std::uint64_t mark, const AddOdd& add_odd);
  void show_pre_tokens(std::string_view text, std::size_t start,
                       std::span<const std::size_t> ends);
  [[nodiscard]] std::string_view word(std::size_t i) const noexcept {
    return keys_[i].is_long() ? long_words_[i] : keys_[i].short_word();
  }
  void add_odd(std::string_view text, std::size_t start, std::size_t end);
  void add_alone(std::string_view word);
  void add_word(const WordKey& key, std::string_view word);
  void flush();
  void look_up(TokenId* out);
  std::size_t look_up(std::size_t i, TokenId* out);
  void join_missed();
  void join(std::span<Words::Word> words);
  [[nodiscard]] bool is_in_stages(const Words::Word& word) const noexcept;
  void join_in_stages(std::span<Words::Word> words);
  void encode_phrases(std::string_view text, std::span<const Words::Word> phrases);
  void find_distinct();
  void put_missed();

  const Encoder& encoder_;
  WordCache::View view_;
  bool keeps_ids_;
  Observer* observer_ = nullptr;
  std::size_t n_counted_ = 0;
  std::size_t n_pending_ = 0;
  std::size_t odd_bytes_ = 0;  // of the long words among those that wait
  // Of each word that waits to be looked up together with others:
  std::array<WordKey, kPending> keys_;
  std::array<std::uint32_t, kPending> places_;
  std::array<std::string_view, kPending> long_words_;  // only of those that are long
  // Words that are not known wait for others to be joined with. Then:
  std::vector<Missed> missed_;
  std::vector<Words::Word> distinct_;  // those that differ
  std::vector<std::uint16_t> numbers_;  // which of them each is
  std::vector<TokenId> missed_ids_;
  /// A text that ended behind so many words that are not known.
  struct OpenEnd {
    std::size_t text;
    std::size_t n_missed;
  };
  std::vector<OpenEnd> open_ends_;
  Normalizer::Buffers normalized_;
  std::string edited_;
  std::size_t expected_bytes_;
  std::unique_ptr<Run> first_stage_;  // once it is needed
  std::string phrases_;
};

}  // namespace bytepair
