// encode.cpp: cut text into words, look them up together, join those that are not known.
#include "bytepair/encode.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace bytepair {
namespace {

constexpr std::size_t kLongAscii = 64;              // bytes from which ASCII is cut at borders
constexpr std::size_t kHuge = std::size_t{1} << 16;  // bytes of a word that is not worth keeping
constexpr std::size_t kMissedAtOnce = 64;
constexpr std::size_t kBetweenPauses = std::size_t{1} << 20;  // bytes

/// True if one of 16 bytes is not ASCII.
bool has_other_than_ascii(const char* data) {
  std::uint64_t bytes[2];
  std::memcpy(bytes, data, 16);
  return ((bytes[0] | bytes[1]) & 0x8080'8080'8080'8080u) != 0;
}

}  // namespace

void IdBuffer::reserve(std::size_t n) {
  const std::size_t capacity = std::max(size_ + n, capacity_ * 2);
  auto ids = std::make_unique_for_overwrite<TokenId[]>(capacity);
  std::copy_n(ids_.get(), size_, ids.get());
  ids_ = std::move(ids);
  capacity_ = capacity;
}

Encoder::Encoder(Normalizer normalizer, Edit edit, SplitChain chain, Words words,
                 std::size_t cache_bytes)
    : normalizer_(std::move(normalizer)),
      edit_(std::move(edit)),
      edits_(edit_.space != " " || !edit_.prefix.empty()),
      chain_(std::move(chain)),
      words_(std::move(words)),
      cache_(cache_bytes) {}

std::size_t Encoder::most_ids(std::size_t n_bytes) const noexcept {
  return n_bytes * 2;  // with an end mark behind each pre-token, one for each byte and one more
}

Encoder::Run::Run(const Encoder& encoder, std::size_t expected_bytes, bool keeps_ids)
    : encoder_(encoder), view_(encoder.cache_, expected_bytes), keeps_ids_(keeps_ids) {}

void Encoder::Run::encode(std::string_view text, const Cutter& cutter) {
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
  encode(text, cutter);
  observer_ = nullptr;
}

std::size_t Encoder::Run::encode_part(std::string_view text, bool is_last, bool is_first) {
  if (is_last) {
    encode_stretch(text, Cutter(), is_first);
    return text.size();
  }
  // What is changed before it is cut may depend on what comes.
  if (!encoder_.normalizer_.empty() || encoder_.edits_) return 0;
  return encode_pre_tokens(text, false);
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

/// Pre-tokens of `text` from `start` on. Nearly all of them are short, and take the short way.
void Encoder::Run::add_pre_tokens(std::string_view text, std::size_t start,
                                  std::span<const std::size_t> ends) {
  const char* const data = text.data();
  const std::size_t last_readable = text.size() < 16 ? 0 : text.size() - 15;
  std::size_t n = n_pending_;
  for (const std::size_t marked : ends) {
    const std::size_t end = marked & ~SplitChain::kRemoved;
    const std::size_t size = end - start;
    if (size <= WordKey::kShort && start < last_readable && marked == end) [[likely]] {
      const auto key = WordKey::of_short(data + start, size);
      const auto place = view_.place(key);
      view_.prefetch(place);
      keys_[n] = key;
      places_[n] = place;
      if (++n == kPending) {
        n_pending_ = n;
        flush();
        n = 0;
      }
    } else if (marked == end) {
      n_pending_ = n;
      add_odd(text.substr(start, size));
      n = n_pending_;
    }
    start = end;
  }
  n_pending_ = n;
}

void Encoder::Run::show_pre_tokens(std::string_view text, std::size_t start,
                                   std::span<const std::size_t> ends) {
  for (const std::size_t marked : ends) {
    const std::size_t end = marked & ~SplitChain::kRemoved;
    if (marked == end) observer_->pre_token(text.substr(start, end - start));
    start = end;
  }
}

/// A pre-token that is long, or that stands at the end of its text. Where that is possible and
/// likely to be worth it, it is cut into pieces.
void Encoder::Run::add_odd(std::string_view text) {
  if (text.size() <= WordKey::kShort) return add_word(WordKey::of(text), text);
  const Borders& borders = encoder_.words_.borders();
  const bool may_cut =
      !borders.empty() && (text.size() > kLongAscii || has_other_than_ascii(text.data()));
  std::size_t end = may_cut ? borders.next(text, 0) : text.size();
  if (end < text.size() && encoder_.words_.whole(text) != nullptr) end = text.size();
  if (end < text.size()) {
    for (std::size_t start = 0; start < text.size(); start = end, end = borders.next(text, start)) {
      const auto piece = text.substr(start, end - start);
      add_word(WordKey::of(piece).of_piece(), piece);
    }
  } else if (text.size() < kHuge) {
    add_word(WordKey::of(text), text);
  } else {
    flush();
    missed_ids_.clear();
    Words::Word word{text};
    encoder_.words_.encode({&word, 1}, missed_ids_);
    if (keeps_ids_) {
      std::ranges::copy(missed_ids_, ids.room(missed_ids_.size()));
      ids.grow(missed_ids_.size());
    } else {
      n_counted_ += missed_ids_.size();
    }
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
  n_missed_ = 0;
  if (keeps_ids_) {
    look_up<true>(ids.room(odd_bytes_ + n_pending_ * (WordKey::kShort + 1) + 4));
  } else {
    std::array<TokenId, 4> unused;
    look_up<false>(unused.data());
  }
  n_pending_ = 0;
  odd_bytes_ = 0;
}

template <bool keeps_ids>
void Encoder::Run::look_up(TokenId* out) {
  std::size_t n_found = 0;
  const std::size_t n_pending = n_pending_;
  for (std::size_t i = 0; i < n_pending; ++i) {
    TokenId* const at = keeps_ids ? out + n_found : out;
    std::size_t n = view_.find_fast(keys_[i], places_[i], at);
    if (n == 0) [[unlikely]] {
      std::array<TokenId, 4> storage;
      const auto known = view_.find(keys_[i], word(i), storage);
      n = known.size();
      if (keeps_ids) std::ranges::copy(known, at);
      if (n == 0) {
        missed_[n_missed_++] = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(n_found)};
      }
    }
    n_found += n;
  }
  if (n_missed_ > 0) {
    add_missed(out, n_found);
  } else if (keeps_ids) {
    ids.grow(n_found);
  } else {
    n_counted_ += n_found;
  }
}

/// Joins the words that are not known and puts their ids between those that were found.
void Encoder::Run::add_missed(TokenId* out, std::size_t n_found) {
  struct Range {
    std::size_t start;
    std::size_t size;
  };
  std::array<Range, kPending> ranges;  // of each missed word in `missed_ids_`
  std::array<Words::Word, kMissedAtOnce> words;
  std::array<std::uint32_t, kMissedAtOnce> numbers;
  missed_ids_.clear();
  for (std::size_t first = 0; first < n_missed_; first += kMissedAtOnce) {
    std::size_t n_words = 0;
    for (std::size_t m = first; m < std::min(first + kMissedAtOnce, n_missed_); ++m) {
      const std::size_t number = missed_[m].word;
      // The same word may have been missed, and joined, before.
      std::array<TokenId, 4> storage;
      const auto known = view_.find(keys_[number], word(number), storage);
      ranges[m] = {missed_ids_.size(), known.size()};
      missed_ids_.insert(missed_ids_.end(), known.begin(), known.end());
      if (!known.empty()) continue;
      numbers[n_words] = static_cast<std::uint32_t>(m);
      words[n_words++] = {word(number), !keys_[number].is_piece()};
    }
    std::size_t start = missed_ids_.size();
    encoder_.words_.encode(std::span(words.data(), n_words), missed_ids_);
    for (std::size_t i = 0; i < n_words; ++i) {
      ranges[numbers[i]] = {start, words[i].n_ids};
      view_.add(keys_[missed_[numbers[i]].word], words[i].text,
                std::span(missed_ids_).subspan(start, words[i].n_ids));
      start += words[i].n_ids;
    }
  }
  std::size_t n_more = 0;
  for (std::size_t m = 0; m < n_missed_; ++m) n_more += ranges[m].size;
  if (keeps_ids_) {
    // From the end: what lies behind a missed word moves to where it belongs.
    std::size_t end = n_found;
    for (std::size_t m = n_missed_, shift = n_more; m-- > 0;) {
      const std::size_t place = missed_[m].n_before;
      std::memmove(out + place + shift, out + place, (end - place) * sizeof(TokenId));
      shift -= ranges[m].size;
      std::copy_n(missed_ids_.data() + ranges[m].start, ranges[m].size, out + place + shift);
      end = place;
    }
    ids.grow(n_found + n_more);
  } else {
    n_counted_ += n_found + n_more;
  }
  view_.settle();
}

}  // namespace bytepair
