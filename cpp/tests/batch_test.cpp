// batch_test.cpp: rows do not depend on threads; work can be given up; the first error counts.
#include "bytepair/batch.hpp"

#include <random>

#include "check.hpp"
#include "merges.hpp"
#include "tables.hpp"

using namespace merges;
using bytepair::count_batch;
using bytepair::Cutter;
using bytepair::DividedTexts;
using bytepair::encode_batch;
using bytepair::Encoder;
using bytepair::Normalizer;
using bytepair::RowError;
using bytepair::Rows;
using bytepair::SeparatedTexts;
using bytepair::SplitChain;
using bytepair::Splitter;
using bytepair::Texts;
using bytepair::TextSource;
using bytepair::UnknownCharacter;

namespace {

using Views = std::vector<std::string_view>;
using Offsets = std::vector<std::int64_t>;

const Cutter kNoTokens;

bool always() { return true; }

Encoder make(const Merges& merges, std::vector<Normalizer::Step> steps = {}) {
  return Encoder(Normalizer(std::move(steps)), {}, Splitter(tables::letters()), words_of(merges),
                 std::size_t{1} << 20);
}

Ids ids_of(const Rows& rows) { return {rows.ids.data(), rows.ids.data() + rows.ids.size()}; }

std::string repeated(std::string_view text, int n) {
  std::string all;
  for (int i = 0; i < n; ++i) all += text;
  return all;
}

/// Texts of a source, and how many shares they came in.
std::vector<std::string> texts_of(TextSource& source, std::size_t n_bytes) {
  std::vector<std::string> texts;
  TextSource::Share share;
  while (source.next(n_bytes, share)) {
    CHECK_EQ(share.first_row, texts.size());
    texts.insert(texts.end(), share.texts.begin(), share.texts.end());
  }
  return texts;
}

}  // namespace

TEST(a_batch_has_the_rows_of_its_texts_whatever_the_number_of_threads) {
  std::mt19937 random(7);
  const auto encoder = make(random_merges(random, false));
  for (const std::size_t n_texts : {0, 1, 2, 7, 50, 5000}) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < n_texts; ++i) {
      texts.push_back(random_letters(random, random() % 50) + tables::random_text(random, 3));
    }
    const Views views(texts.begin(), texts.end());
    Encoder::Run run(encoder);
    Offsets offsets = {0};
    for (const auto text : views) {
      run.encode(text, kNoTokens);
      offsets.push_back(static_cast<std::int64_t>(run.n_ids()));
    }
    const Ids ids(run.ids.ids().begin(), run.ids.ids().end());
    for (std::size_t n_threads = 1; n_threads <= 4; ++n_threads) {
      Texts source(views);
      const auto rows = encode_batch(encoder, source, kNoTokens, n_threads, always);
      CHECK(rows.complete);
      CHECK_EQ(rows.offsets, offsets);
      CHECK_EQ(ids_of(rows), ids);
      Texts again(views);
      CHECK_EQ(count_batch(encoder, again, kNoTokens, n_threads, always).offsets, offsets);
    }
  }
}

TEST(a_long_text_is_divided_and_put_together_again) {
  std::mt19937 random(8);
  const auto encoder = make(random_merges(random, false));
  const std::vector<std::string> texts = {"ab", random_letters(random, 400'000), "",
                                          tables::random_text(random, 200'000), "cd"};
  const Views views(texts.begin(), texts.end());
  Texts source(views);
  DividedTexts divided(source, encoder, kNoTokens);
  TextSource::Share share;
  std::vector<std::string> rows(texts.size());
  std::size_t n_shares = 0;
  for (; divided.next(10'000, share); ++n_shares) {
    CHECK_EQ(share.n_before, share.n_before > 0 ? rows[share.first_row].size() : 0);
    for (std::size_t i = 0; i < share.texts.size(); ++i) rows[share.first_row + i] += share.texts[i];
  }
  CHECK_EQ(rows, texts);
  CHECK(n_shares > 10);
  Texts alone(views);
  const auto expected = encode_batch(encoder, alone, kNoTokens, 1, always);
  for (std::size_t n_threads = 2; n_threads <= 4; ++n_threads) {
    Texts again(views);
    const auto found = encode_batch(encoder, again, kNoTokens, n_threads, always);
    CHECK_EQ(found.offsets, expected.offsets);
    CHECK_EQ(ids_of(found), ids_of(expected));
    Texts counted(views);
    CHECK_EQ(count_batch(encoder, counted, kNoTokens, n_threads, always).offsets, expected.offsets);
  }
}

TEST(a_forbidden_token_is_named_by_its_place_in_the_whole_text) {
  const auto encoder = make({});
  const Cutter cutter{{}, {}, bytepair::SpecialMatcher({"<x>"})};
  const std::string text = repeated("ab 12 ", 100'000) + "<x>" + repeated("ab 12 ", 100'000);
  const Views views = {"ab", text};
  for (std::size_t n_threads = 1; n_threads <= 3; ++n_threads) {
    Texts source(views);
    try {
      (void)encode_batch(encoder, source, cutter, n_threads, always);
      CHECK(false);
    } catch (const RowError& error) {
      CHECK_EQ(error.row, std::size_t{1});
      try {
        std::rethrow_exception(error.cause);
      } catch (const bytepair::ForbiddenToken& cause) {
        CHECK_EQ(cause.at, std::size_t{600'000});
      }
    }
  }
}

TEST(text_that_grows_by_normalisation_has_room) {
  const auto encoder = make({}, {Normalizer::Replace{"a", repeated("xy ", 50)}});
  const std::string text(20'000, 'a');
  const Views views(20, text);
  for (std::size_t n_threads = 1; n_threads <= 2; ++n_threads) {
    Texts source(views);
    const auto rows = encode_batch(encoder, source, kNoTokens, n_threads, always);
    CHECK_EQ(rows.ids.size(), std::size_t{20} * 20'000 * 150);
    const auto expected = bytes_of(repeated("xy ", 50));
    CHECK(std::equal(expected.begin(), expected.end(), rows.ids.data()));
    CHECK(std::equal(expected.begin(), expected.end(), rows.ids.data() + rows.ids.size() - 150));
  }
}

TEST(more_threads_than_there_can_be_are_not_too_many) {
  const Views views = {"ab", "", "c"};
  Texts source(views);
  const auto rows = encode_batch(make({}), source, kNoTokens, std::size_t{1} << 61, always);
  CHECK_EQ(ids_of(rows), (Ids{'a', 'b', 'c'}));
  CHECK_EQ(rows.offsets, (Offsets{0, 2, 2, 3}));
}

TEST(the_first_text_that_cannot_be_encoded_is_named) {
  TokenList tokens;
  tokens.add('a', "a");
  tokens.add(' ', " ");
  const Encoder encoder(Normalizer(), {}, Splitter(tables::letters()),
                        Words(tokens.view(), Columns({}).view(), {}, false), 1 << 20);
  std::vector<std::string> texts(3000, repeated("aa ", 20));
  texts[1700] = texts[1500] = texts[2900] = "ab";
  const Views views(texts.begin(), texts.end());
  for (std::size_t n_threads = 1; n_threads <= 3; ++n_threads) {
    Texts source(views);
    try {
      (void)encode_batch(encoder, source, kNoTokens, n_threads, always);
      CHECK(false);
    } catch (const RowError& error) {
      CHECK_EQ(error.row, std::size_t{1500});
      CHECK_THROWS(UnknownCharacter, std::rethrow_exception(error.cause));
    }
  }
}

TEST(work_is_given_up_when_asked) {
  const auto encoder = make({});
  const std::string text = repeated("abc 123 ", 200'000);
  const Views views(40, text);
  for (std::size_t n_threads = 1; n_threads <= 3; ++n_threads) {
    int n_questions = 0;
    Texts source(views);
    const auto rows = encode_batch(encoder, source, kNoTokens, n_threads, [&] { return ++n_questions < 2; });
    CHECK(!rows.complete);
    CHECK_EQ(n_questions, 2);
  }
}

TEST(a_single_long_text_can_be_given_up) {
  const std::string text = repeated("abc 123 ", 4'000'000);
  const Views views = {text};
  Texts source(views);
  CHECK(!encode_batch(make({}), source, kNoTokens, 1, [] { return false; }).complete);
}

TEST(short_work_asks_nothing) {
  const Views views = {"abc"};
  Texts source(views);
  CHECK(encode_batch(make({}), source, kNoTokens, 1, [] { return false; }).complete);
}

TEST(separated_texts_are_those_that_splitting_gives) {
  const std::string separator = "<|x|>";
  for (const std::size_t n_bytes : {1, 10, 1000}) {
    const Views documents = {"a<|x|>b<|x|>", "", "<|x|>", "c", "<|x|><|x|>d<|x||x|>"};
    SeparatedTexts source(documents, separator);
    CHECK_EQ(texts_of(source, n_bytes),
             (std::vector<std::string>{"a", "b", "", "", "c", "", "", "d<|x||x|>"}));
    SeparatedTexts whole(documents, "");
    CHECK_EQ(texts_of(whole, n_bytes).size(), documents.size());
  }
}

TEST(separators_do_not_overlap) {
  const Views documents = {"xaaay"};
  SeparatedTexts source(documents, "aa");
  CHECK_EQ(texts_of(source, 100), (std::vector<std::string>{"x", "ay"}));
}

int main() { return check::run_all(); }
