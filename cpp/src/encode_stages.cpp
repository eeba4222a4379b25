// encode_stages.cpp: phrases by way of their words.
//
// Phrases are many and long, their words are few: what the merges within words make of each is kept,
// and only what comes out is joined further (words_stages.cpp says why that is the same).
#include <algorithm>

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
  std::vector<std::string_view> texts;
  for (const auto& word : words) texts.push_back(word.text);
  first_stage_->ids.clear();
  first_stage_->encode(texts, Cutter());
  std::size_t start = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t end = first_stage_->text_ends[i];
    words[i].start = start;
    words[i].n_ids = static_cast<std::uint32_t>(end - start);
    start = end;
  }
  encoder_.words_.finish(first_stage_->ids.ids(), words, missed_ids_);
}

}  // namespace bytepair
