// encode.cpp: cut text into words, look them up together, join those that are not known.
#include "bytepair/encode.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "bytepair/utf8.hpp"

namespace bytepair {
namespace {

constexpr std::size_t kLongAscii = 64;              // bytes from which ASCII is cut at borders
constexpr std::size_t kHuge = std::size_t{1} << 16;  // bytes of a word that is not worth keeping
constexpr std::size_t kMissedAtOnce = 512;
constexpr std::size_t kBetweenPauses = std::size_t{1} << 20;  // bytes

/// True if one of 16 bytes is not ASCII.
bool has_other_than_ascii(const char* data) {
  std::uint64_t bytes[2];
  std::memcpy(bytes, data, 16);
  return ((bytes[0] | bytes[1]) & 0x8080'8080'8080'8080u) != 0;
}

}  // namespace

IdBuffer::IdBuffer(std::shared_ptr<PagePool> pool, std::size_t n) : pool_(std::move(pool)) {
  reserve(n);
}

void IdBuffer::reserve(std::size_t n) {
  const std::size_t capacity = std::max(size_ + n, capacity_ * 2);
  IdBuffer larger;
  if (pool_) {
    larger.pages_ = pool_->take(capacity * sizeof(TokenId));
    larger.data_ = static_cast<TokenId*>(larger.pages_.data());
    larger.capacity_ = larger.pages_.size() / sizeof(TokenId);
    larger.pool_ = pool_;
  } else {
    larger.heap_ = std::make_unique_for_overwrite<TokenId[]>(capacity);
    larger.data_ = larger.heap_.get();
    larger.capacity_ = capacity;
  }
  std::copy_n(data_, size_, larger.data_);
  larger.size_ = size_;
  swap(larger);
}

void IdBuffer::release() noexcept {
  if (pool_ && pages_.size() > 0) pool_->give_back(std::move(pages_));
}

void IdBuffer::swap(IdBuffer& other) noexcept {
  std::swap(heap_, other.heap_);
  std::swap(pool_, other.pool_);
  std::swap(pages_, other.pages_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
}

Encoder::Encoder(Normalizer normalizer, Edit edit, SplitChain chain, Words words,
                 std::size_t cache_bytes)
    : normalizer_(std::move(normalizer)),
      edit_(std::move(edit)),
      edits_(edit_.space != " " || !edit_.prefix.empty()),
      chain_(std::move(chain)),
      words_(std::move(words)),
      cache_(cache_bytes) {
  auto stage = words_.take_first_stage();
  if (stage == nullptr) return;
  first_stage_ = std::make_unique<Encoder>(Normalizer(), Edit(), SplitChain(), std::move(*stage),
                                           cache_bytes);
}

std::size_t Encoder::most_ids(std::size_t n_bytes) const noexcept {
  const bool has_end_mark = words_.has_end_mark();  // behind each pre-token, of a byte or more
  return has_end_mark ? n_bytes * 2 : n_bytes;
}

std::size_t Encoder::border(std::string_view text, std::size_t from, const Cutter& cutter) const {
  if (edits_) return kNone;
  while (from < text.size()) {
    const std::size_t at = chain_.certain_border(text, from, text.size());
    if (at == kNone || divides(text, at, cutter)) return at;
    from = at + cutter.reach();  // looked at once: no text costs more than to read it twice
  }
  return kNone;
}

bool Encoder::divides(std::string_view text, std::size_t at, const Cutter& cutter) const {
  if (!normalizer_.empty()) {
    const std::size_t reach = cutter.normalized.empty() ? 0 : cutter.reach();
    const auto* begin = reinterpret_cast<const unsigned char*>(text.data());
    // A token that is looked for in the normalised text must not hide behind other characters.
    const auto around = text.substr(at - std::min(at, reach), 2 * reach);
    if (!std::ranges::all_of(around, [](char byte) { return (byte & 0x80) == 0; })) return false;
    std::size_t before = at - 1;
    while (before > 0 && (begin[before] & 0xC0) == 0x80) --before;
    const auto* end = begin + text.size();
    if (!normalizer_.divides(read_utf8(begin + before, begin + at).code,
                             read_utf8(begin + at, end).code)) {
      return false;
    }
  }
  return cutter.divides(text, at);
}

Encoder::Run::Run(const Encoder& encoder, std::size_t expected_bytes, bool keeps_ids)
    : encoder_(encoder),
      view_(encoder.cache_, expected_bytes),
      keeps_ids_(keeps_ids),
      expected_bytes_(expected_bytes) {
  if (expected_bytes > 0) view_.begin_with(encoder.words_.whole());
}

/// An error may have left some of the text before.
void Encoder::Run::begin() noexcept {
  n_pending_ = odd_bytes_ = 0;
  missed_.clear();
  open_ends_.clear();
}

void Encoder::Run::encode(std::string_view text, const Cutter& cutter) {
  begin();
  encode_text(text, cutter);
  join_missed();
}

void Encoder::Run::encode(std::span<const std::string_view> texts, const Cutter& cutter) {
  begin();
  text_ends.clear();
  for (const auto text : texts) {
    encode_text(text, cutter);
    open_ends_.push_back({text_ends.size(), missed_.size()});
    text_ends.push_back(n_ids());
  }
  join_missed();
}

void Encoder::Run::encode_text(std::string_view text, const Cutter& cutter) {
  const auto forbidden = cutter.forbidden.find(text, 0, text.size());
  if (forbidden.size > 0) {
    throw ForbiddenToken(forbidden.start, text.substr(forbidden.start, forbidden.size));
  }
  std::size_t start = 0;
  AddedTokens::Cursor cursor;
  // White space that one token takes may hold the next one.
  for (AddedTokens::Found found; cutter.original.next(text, cursor, found); start = found.end) {
    if (start < found.start) {
      encode_stretch(text.substr(start, found.start - start), cutter, start == 0);
    }
    add_token(text.substr(found.start, found.end - found.start), found.id);
  }
  encode_stretch(text.substr(start), cutter, start == 0);
}

void Encoder::Run::show(std::string_view text, const Cutter& cutter, Observer& observer) {
  observer_ = &observer;
  encode_text(text, cutter);
  observer_ = nullptr;
}

std::size_t Encoder::Run::encode_part(std::string_view text, bool is_last, bool is_first,
                                      const Cutter& cutter) {
  begin();
  std::size_t n_done = text.size();
  if (is_last) {
    encode_stretch(text, cutter, is_first);
  } else {
    // What is changed before it is cut may depend on what comes.
    const bool changes = !encoder_.normalizer_.empty() || encoder_.edits_;
    n_done = changes ? 0 : encode_pre_tokens(text, false);
  }
  join_missed();
  return n_done;
}

/// A stretch between the tokens that are looked for in the text as it is.
void Encoder::Run::encode_stretch(std::string_view text, const Cutter& cutter, bool is_first) {
  if (!encoder_.normalizer_.empty()) text = encoder_.normalizer_.apply(text, normalized_);
  std::size_t start = 0;
  AddedTokens::Cursor cursor;
  for (AddedTokens::Found found; cutter.normalized.next(text, cursor, found); start = found.end) {
    if (start < found.start) {
      encode_inner(text.substr(start, found.start - start), is_first && start == 0);
    }
    add_token(text.substr(found.start, found.end - found.start), found.id);
  }
  encode_inner(text.substr(start), is_first && start == 0);
}

/// A stretch without added tokens.
void Encoder::Run::encode_inner(std::string_view text, bool is_first) {
  const Edit& edit = encoder_.edit_;
  if (!encoder_.edits_ || text.empty()) {
    encode_pre_tokens(text);
    return;
  }
  edited_.clear();
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    edited_.append(text, start, end - start);
    if (end < text.size()) edited_ += edit.space;
    start = end + 1;
  }
  const bool takes_prefix = !edit.only_first || is_first;
  if (takes_prefix && !edited_.starts_with(edit.prefix)) edited_.insert(0, edit.prefix);
  encode_pre_tokens(edited_);
}

/// Returns how far the cuts are certain.
std::size_t Encoder::Run::encode_pre_tokens(std::string_view text, bool is_last) {
  std::array<std::size_t, Splitter::kBatch> ends;
  SplitChain::Progress progress;
  std::size_t start = 0;
  for (std::size_t question = kBetweenPauses; start < text.size();) {
    const std::size_t n = encoder_.chain_.cut(text, start, is_last, progress, ends);
    if (n == 0) break;
    const auto some = std::span(ends).first(n);
    if (observer_ == nullptr) {
      add_pre_tokens(text, start, some);
    } else {
      show_pre_tokens(text, start, some);
    }
    start = some.back() & ~SplitChain::kRemoved;
    if (start >= question && pause) {
      pause();
      question = start + kBetweenPauses;
    }
  }
  flush();
  if (!encoder_.words_may_wait()) join_missed();
  return start;
}

void Encoder::Run::add_token(std::string_view text, TokenId id) {
  if (observer_ != nullptr) {
    observer_->added_token(text, id);
  } else if (keeps_ids_) {
    ids.push_back(id);
  } else {
    ++n_counted_;
  }
}

/// Words of `text` from `start` on. Nearly all of them are short, and taken many at once.
template <class AddOdd>
void Encoder::Run::add_words(std::string_view text, std::size_t start,
                             std::span<const std::size_t> ends, std::uint64_t mark,
                             const AddOdd& add_odd) {
  // Of the last words in a text 16 bytes cannot be read.
  std::size_t n_readable = ends.size();
  const auto starts_late = [&](std::size_t i) {
    return (i == 0 ? start : ends[i - 1] & ~SplitChain::kRemoved) + 16 > text.size();
  };
  while (n_readable > 0 && starts_late(n_readable - 1)) --n_readable;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    while (i < n_readable) {
      const std::size_t n = lookup_kernel().prepare(
          text.data(), start, &ends[i], std::min(n_readable - i, kPending - n_pending_), mark,
          view_.entries(), &keys_[n_pending_], &places_[n_pending_]);
      n_pending_ += n;
      i += n;
      if (n > 0) start = ends[i - 1];
      if (n_pending_ < kPending) break;
      flush();
    }
    if (i == ends.size()) break;
    const std::size_t end = ends[i] & ~SplitChain::kRemoved;
    if (ends[i] == end) add_odd(start, end);
    start = end;
  }
}

void Encoder::Run::add_pre_tokens(std::string_view text, std::size_t start,
                                  std::span<const std::size_t> ends) {
  const auto add = [&](std::size_t from, std::size_t to) { add_odd(text, from, to); };
  add_words(text, start, ends, 0, add);
}

/// A pre-token of `text` in pieces, given where the first of them end.
void Encoder::Run::add_pieces(std::string_view text, std::size_t start, std::size_t end,
                              std::span<std::size_t> ends, std::size_t n_ends) {
  const auto add = [&](std::size_t from, std::size_t to) {
    const auto piece = text.substr(from, to - from);
    add_word(WordKey::of(piece).of_piece(), piece);
  };
  while (true) {
    add_words(text, start, ends.first(n_ends), WordKey::kPiece, add);
    start = ends[n_ends - 1];
    if (start == end) break;
    n_ends = encoder_.words_.borders().cut(text.substr(0, end), start, ends);
  }
}

void Encoder::Run::show_pre_tokens(std::string_view text, std::size_t start,
                                   std::span<const std::size_t> ends) {
  for (const std::size_t marked : ends) {
    const std::size_t end = marked & ~SplitChain::kRemoved;
    if (marked == end) observer_->pre_token(text.substr(start, end - start));
    start = end;
  }
}

/// A pre-token of `text` that is long, or that stands at its end. Where that is possible and likely
/// to be worth it, it is cut into pieces.
void Encoder::Run::add_odd(std::string_view text, std::size_t start, std::size_t end) {
  const Words& words = encoder_.words_;
  const auto word = text.substr(start, end - start);
  const bool is_long = word.size() > WordKey::kShort;
  if (is_long && (word.size() > kLongAscii || has_other_than_ascii(word.data()))) {
    std::array<std::size_t, kPending> ends;
    const std::size_t n = words.borders().cut(text.substr(0, end), start, ends);
    const bool are_long = (ends[n - 1] - start) / n > WordKey::kShort;  // and seldom seen again
    const bool is_cut = ends[0] < end && !(are_long && word.size() >= kHuge);
    if (is_cut && !words.is_whole(word)) return add_pieces(text, start, end, ends, n);
  }
  if (word.size() < kHuge) return add_word(WordKey::of(word), word);
  add_alone(word);
}

/// A pre-token that is too large to wait with others.
void Encoder::Run::add_alone(std::string_view text) {
  flush();
  missed_ids_.clear();
  Words::Word word{text};
  join({&word, 1});
  if (keeps_ids_) {
    std::ranges::copy(missed_ids_, ids.room(missed_ids_.size()));
    ids.grow(missed_ids_.size());
  } else {
    n_counted_ += missed_ids_.size();
  }
}

void Encoder::Run::add_word(const WordKey& key, std::string_view word) {
  const auto place = view_.place(key);
  view_.prefetch(place);
  keys_[n_pending_] = key;
  places_[n_pending_] = place;
  if (key.is_long()) {
    long_words_[n_pending_] = word;
    odd_bytes_ += word.size();
  }
  if (++n_pending_ == kPending) flush();
}

/// Looks up all words that wait.
void Encoder::Run::flush() {
  look_up(keeps_ids_ ? ids.room(odd_bytes_ + n_pending_ * (WordKey::kShort + 1) + 4) : nullptr);
  n_pending_ = 0;
  odd_bytes_ = 0;
  if (missed_.size() >= kMissedAtOnce) join_missed();
}

void Encoder::Run::look_up(TokenId* out) {
  const std::size_t n_before = n_ids();
  std::size_t n_found = 0;
  for (std::size_t i = 0; i < n_pending_; ++i) {
    const auto& kernel = lookup_kernel();
    const auto& entries = view_.entries();
    const std::size_t n_left = n_pending_ - i;
    std::size_t n_ids = 0;
    i += keeps_ids_
             ? kernel.find(entries, &keys_[i], &places_[i], n_left, out + n_found, n_ids)
             : kernel.count(entries, &keys_[i], &places_[i], n_left, n_ids);
    n_found += n_ids;
    if (i == n_pending_) break;
    n_ids = look_up(i, keeps_ids_ ? out + n_found : nullptr);
    if (n_ids == 0) missed_.push_back({keys_[i], long_words_[i], n_before + n_found, places_[i]});
    n_found += n_ids;
  }
  if (keeps_ids_) {
    ids.grow(n_found);
  } else {
    n_counted_ += n_found;
  }
}

/// A word that does not stand where most do; 0 if it is not known.
std::size_t Encoder::Run::look_up(std::size_t i, TokenId* out) {
  if (view_.is_free(places_[i])) return 0;
  std::array<TokenId, 4> storage;
  const auto known = view_.find(keys_[i], word(i), storage);
  if (out != nullptr) std::ranges::copy(known, out);
  return known.size();
}

/// Joins the words that are not known and puts their ids between those that were found.
void Encoder::Run::join_missed() {
  if (!missed_.empty()) {
    find_distinct();
    missed_ids_.clear();
    join(distinct_);
    put_missed();
    missed_.clear();
    view_.settle();
  }
  open_ends_.clear();
}

/// The same word may have been missed several times.
void Encoder::Run::find_distinct() {
  constexpr std::uint16_t kFree = 0xFFFF;
  // Numbers of distinct words, by place, in a small table with open addressing.
  std::array<std::uint16_t, 4 * kMissedAtOnce> table;
  static_assert(kMissedAtOnce + kPending < table.size() / 2);
  const std::size_t mask = std::min(std::bit_ceil(missed_.size() * 2), table.size()) - 1;
  std::fill_n(table.data(), mask + 1, kFree);
  distinct_.clear();
  numbers_.clear();
  for (const Missed& missed : missed_) {
    const auto word = missed.word();
    const bool is_known_not_to_be = view_.holds_tokens();
    const bool is_whole = !missed.key.is_piece() && !is_known_not_to_be;
    const auto differs = [&](const Words::Word& other) {
      return other.text != word || other.is_whole != is_whole;
    };
    std::size_t at = missed.place & mask;
    while (table[at] != kFree && differs(distinct_[table[at]])) at = (at + 1) & mask;
    if (table[at] == kFree) {
      table[at] = static_cast<std::uint16_t>(distinct_.size());
      distinct_.push_back({word, is_whole});
    }
    numbers_.push_back(table[at]);
  }
}

/// Puts the ids of the words that were joined where they belong, in the cache as well.
void Encoder::Run::put_missed() {
  std::size_t n_known = 0;
  std::size_t n_more = 0;
  auto open = open_ends_.begin();
  for (std::size_t m = 0; m < missed_.size(); ++m) {
    for (; open != open_ends_.end() && open->n_missed == m; ++open) text_ends[open->text] += n_more;
    const auto& word = distinct_[numbers_[m]];
    n_more += word.n_ids;
    if (numbers_[m] < n_known) continue;
    ++n_known;
    view_.add(missed_[m].place, missed_[m].key, word.text,
              std::span(missed_ids_).subspan(word.start, word.n_ids));
  }
  for (; open != open_ends_.end(); ++open) text_ends[open->text] += n_more;
  if (!keeps_ids_) {
    n_counted_ += n_more;
    return;
  }
  ids.room(n_more);
  TokenId* const data = ids.data();
  // From the end: what lies behind a missed word moves to where it belongs.
  std::size_t end = ids.size();
  for (std::size_t m = missed_.size(), shift = n_more; m-- > 0;) {
    const auto& word = distinct_[numbers_[m]];
    const std::size_t place = missed_[m].n_before;
    std::memmove(data + place + shift, data + place, (end - place) * sizeof(TokenId));
    shift -= word.n_ids;
    std::copy_n(missed_ids_.data() + word.start, word.n_ids, data + place + shift);
    end = place;
  }
  ids.grow(n_more);
}

}  // namespace bytepair
