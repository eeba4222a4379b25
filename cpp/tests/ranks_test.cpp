// ranks_test.cpp: what is plainly sound is read, everything else is left to others.
#include "bytepair/ranks.hpp"

#include <string>
#include <vector>

#include "check.hpp"

namespace {

bool is_read(std::string_view file) { return bytepair::read_ranks(file).has_value(); }

}  // namespace

TEST(tokens_come_one_after_the_other_with_their_ranks) {
  const auto ranks = bytepair::read_ranks("YQ== 0\nYWI= 7\nYWJj 8\n/+8A 2147483647\n");
  CHECK(ranks.has_value());
  CHECK_EQ(ranks->ids, (std::vector<std::uint32_t>{0, 7, 8, 2147483647}));
  CHECK_EQ(ranks->data, std::string("aababc\xFF\xEF\0", 9));
  CHECK_EQ(ranks->offsets, (std::vector<std::uint64_t>{0, 1, 3, 6, 9}));
}

TEST(all_of_base64_is_understood) {
  // RFC 4648, section 10; each without its bits, one character short, or one too many.
  const auto ranks = bytepair::read_ranks("Zg== 0\nZm8= 1\nZm9v 2\nZm9vYg== 3\nZm9vYmE= 4\n");
  CHECK_EQ(ranks->data, std::string("ffofoofoobfooba"));
  for (const std::string wrong : {"Zh==", "Zm9=", "Zg=", "Zg", "Zm8", "Zg===", "Zg==Zg==", "=g==",
                                  "Z===", "====", "Zm8 ", "Z-8=", "Zm\n8=", "", "\xFFm8="}) {
    CHECK(!is_read(wrong + " 0\n"));
  }
}

TEST(what_is_not_plainly_sound_is_left_to_others) {
  for (const std::string file : {"", "\n", "YQ== 0", "YQ== 0\r\n", "YQ==  0\n", "YQ== 0 \n", "YQ== \n",
                                 "YQ== -1\n", "YQ== +1\n", "YQ== 2147483648\n", "YQ==\t0\n", "YQ==",
                                 "YQ== 99999999999999999999999\n", "YQ== 0\n\nYg== 1\n",
                                 "YQ== 1\nYg== 0\n", "YQ== 0\nYg== 0\n", "YQ== 0\nYQ== 1\n"}) {
    CHECK(!is_read(file));
  }
}

int main() { return check::run_all(); }
