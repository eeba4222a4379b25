// learn_blocked.hpp: pairs that are never joined, by what they are made of.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bytepair/learn.hpp"

namespace bytepair {

/// Knows how every symbol is spelt, if anything is blocked at all.
class Blocked {
 public:
  /// Throws std::invalid_argument if there are not as many spellings as symbols.
  explicit Blocked(LearnOptions& options) {
    if (!options.spellings.empty() && options.spellings.size() != options.alphabet.size()) {
      throw std::invalid_argument("spellings and alphabet differ in size");
    }
    if (options.blocked.empty() && options.blocked_pairs.empty()) return;
    spellings_ = options.spellings.empty() ? options.alphabet : std::move(options.spellings);
    for (auto& token : options.blocked) add(tokens_, std::move(token));
    for (const auto& [left, right] : options.blocked_pairs) add(pairs_, key_of(left, right));
    options.blocked = {};
    options.blocked_pairs = {};
  }

  [[nodiscard]] bool has(Symbol left, Symbol right) const {
    if (spellings_.empty()) return false;
    const auto& a = spellings_[left];
    const auto& b = spellings_[right];
    return tokens_.has(a.size() + b.size(), [&] { return a + b; }) ||
           pairs_.has(a.size() + b.size() + kMark, [&] { return key_of(a, b); });
  }

  /// The next symbol.
  void add_symbol(Symbol left, Symbol right) {
    if (!spellings_.empty()) spellings_.push_back(spellings_[left] + spellings_[right]);
  }

 private:
  /// Strings, and the sizes they have: most others are told apart by that.
  struct Strings {
    std::unordered_set<std::string> strings;
    std::vector<bool> sizes;

    template <class Make>
    [[nodiscard]] bool has(std::size_t size, Make&& make) const {
      return size < sizes.size() && sizes[size] && strings.contains(make());
    }
  };

  static void add(Strings& all, std::string one) {
    if (all.sizes.size() <= one.size()) all.sizes.resize(one.size() + 1);
    all.sizes[one.size()] = true;
    all.strings.insert(std::move(one));
  }

  static constexpr std::size_t kMark = sizeof(std::size_t);

  /// Where the left one ends is part of it.
  static std::string key_of(std::string_view left, std::string_view right) {
    const std::size_t size = left.size();
    std::string key(reinterpret_cast<const char*>(&size), kMark);
    return key.append(left).append(right);
  }

  std::vector<std::string> spellings_;
  Strings tokens_;
  Strings pairs_;
};

}  // namespace bytepair
