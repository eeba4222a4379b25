// normalize_test.cpp: only what may change is handed to the function that knows the normal forms.
#include "bytepair/normalize.hpp"

#include <array>
#include <stdexcept>

#include "check.hpp"

using bytepair::Normalizer;
using bytepair::QuickCheck;

namespace {

constexpr std::uint32_t kAcute = 0x301;     // class 230
constexpr std::uint32_t kDotBelow = 0x323;  // class 220
constexpr std::uint32_t kAngstrom = 0x212B;

/// The acute may join what is before it; the ring letter always changes; the dot only moves.
QuickCheck small_check() {
  const std::array<std::uint32_t, 3> codes{kAcute, kDotBelow, kAngstrom};
  const std::array<std::uint8_t, 3> values{230, 220, QuickCheck::kMayChange};
  return {codes, values};
}

using Place = std::pair<std::size_t, std::size_t>;

Place next(std::string_view text, std::size_t from = 0) {
  const auto window = small_check().next(text, from);
  return {window.start, window.end};
}

std::string apply(std::vector<Normalizer::Step> steps, std::string_view text) {
  Normalizer::Buffers buffers;
  return std::string(Normalizer(std::move(steps)).apply(text, buffers));
}

std::string call_in_brackets(std::string_view text, std::size_t) {
  return std::string(1, '[').append(text).append(1, ']');
}

std::string in_brackets(std::string_view text) {
  return std::string(1, '[').append(text).append(1, ']');
}

}  // namespace

TEST(text_in_order_has_no_window) {
  CHECK_EQ(next(""), (Place{0, 0}));
  CHECK_EQ(next("a long line of ASCII"), (Place{20, 20}));
  CHECK_EQ(next("xa\u0323\u0301y"), (Place{7, 7}));
}

TEST(a_window_goes_from_the_letter_before_to_the_letter_behind) {
  CHECK_EQ(next("xa\u0301\u0323yz"), (Place{1, 6}));
  CHECK_EQ(next("\u00e9\u0301\u0323\u00e9"), (Place{0, 6}));
  CHECK_EQ(next("12345678\u212b9"), (Place{7, 11}));
  CHECK_EQ(next("\u0301\u0323"), (Place{0, 4}));
}

TEST(the_search_goes_on_behind_a_window) {
  const std::string text = "a\u212bb\u212b";
  const auto first = next(text);
  CHECK_EQ(first, (Place{0, 4}));
  CHECK_EQ(next(text, first.second), (Place{4, 8}));
  CHECK_EQ(next(text, 8), (Place{8, 8}));
}

TEST(broken_text_is_no_mark) {
  CHECK_EQ(next("a\xcc"), (Place{2, 2}));
  CHECK_EQ(next("\xcc\xcc\x81\xcc\xa3"), (Place{0, 5}));
  CHECK_EQ(next("\xff\xfe\xed\xa0\x80"), (Place{5, 5}));
}

TEST(steps_run_in_order_and_only_windows_reach_the_function) {
  const Normalizer::Form form{small_check(), in_brackets};
  CHECK_EQ(apply({}, "a b"), "a b");
  CHECK_EQ(apply({Normalizer::Prepend{"_"}, Normalizer::Replace{" ", "_"}}, "a  b"), "_a__b");
  CHECK_EQ(apply({Normalizer::Prepend{"_"}}, ""), "");
  CHECK_EQ(apply({Normalizer::Replace{"aa", "a"}}, "aaa aa"), "aa a");
  CHECK_EQ(apply({form}, "xa\u0301\u0323y"), "x[a\u0301\u0323]y");
  CHECK_EQ(apply({form, Normalizer::Call{call_in_brackets}}, "\u212b"), "[[\u212b]]");
}

TEST(a_text_grows_up_to_the_limit_and_no_further) {
  const std::size_t limit = Normalizer::limit(1);
  const auto grown_to = [](std::size_t n_bytes) {
    return apply({Normalizer::Replace{"a", std::string(n_bytes, 'b')}}, "a").size();
  };
  CHECK_EQ(grown_to(limit), limit);
  CHECK_THROWS(bytepair::Overgrown, grown_to(limit + 1));
  CHECK_THROWS(bytepair::Overgrown, apply({Normalizer::Prepend{std::string(limit, 'b')}}, "a"));
  const std::vector<Normalizer::Step> tenfold(12, Normalizer::Replace{"a", "aaaaaaaaaa"});
  CHECK_THROWS(bytepair::Overgrown, ::apply(tenfold, "a"));
}

TEST(impossible_steps_are_refused) {
  CHECK_THROWS(std::invalid_argument, Normalizer({Normalizer::Replace{"", "x"}}));
  const std::array<std::uint32_t, 1> ascii{'a'};
  const std::array<std::uint8_t, 1> value{1};
  CHECK_THROWS(std::invalid_argument, QuickCheck(ascii, value));
  CHECK_THROWS(std::invalid_argument, QuickCheck(ascii, {}));
}

int main() { return check::run_all(); }
