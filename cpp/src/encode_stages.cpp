// encode_stages.cpp: phrases by way of their words.
//
// Phrases are many and long, their words are few: what the merges within words make of each is kept,
// and only what comes out is joined further (words_stages.cpp says why that is the same).
#include <array>

#include "bytepair/encode.hpp"

namespace bytepair {

/// Joins words and puts their ids into `missed_ids_`.
void Encoder::Run::join(std::span<Words::Word> words) {
  if (encoder_.first_stage_ == nullptr) return encoder_.words_.encode(words, missed_ids_);
  std::vector<Words::Word> others;
  std::vector<Words::Word> phrases;
  for (const auto& word : words) (is_in_stages(word) ? phrases : others).push_back(word);
  encoder_.words_.encode(others, missed_ids_);
  join_in_stages(phrases);
  auto other = others.begin();
  auto phrase = phrases.begin();
  for (auto& word : words) word = is_in_stages(word) ? *phrase++ : *other++;
}

bool Encoder::Run::is_in_stages(const Words::Word& word) const noexcept {
  if (word.text.size() <= WordKey::kShort) return false;
  return !word.is_whole || encoder_.words_.whole().find(word.text) == nullptr;
}

void Encoder::Run::join_in_stages(std::span<Words::Word> words) {
  if (words.empty()) return;
  if (first_stage_ == nullptr) {
    first_stage_ = std::make_unique<Run>(*encoder_.first_stage_, expected_bytes_);
  }
  phrases_.clear();
  for (const auto& word : words) phrases_.append(word.text);
  phrases_.append(WordKey::kShort + 1, '\0');  // so that a short word can be read as a whole
  first_stage_->encode_phrases(phrases_, words);
  encoder_.words_.finish(first_stage_->ids.ids(), words, missed_ids_);
}

/// Phrases that stand one after the other in `text`, and something behind them.
void Encoder::Run::encode_phrases(std::string_view text, std::span<const Words::Word> phrases) {
  begin();
  ids.clear();
  std::array<std::size_t, kPending> ends;
  std::size_t start = 0;
  for (const auto& phrase : phrases) {
    const std::size_t end = start + phrase.text.size();
    const auto n = encoder_.words_.borders().cut(text.substr(0, end), start, ends);
    add_pieces(text, start, end, ends, n);
    start = end;
  }
  flush();
  join_missed();
}

}  // namespace bytepair
