// check.hpp: just enough to test with. TEST makes a test; CHECK... print what failed and go on.
#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace check {

struct Test {
  const char* name;
  void (*run)();
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

inline int& failures() {
  static int n = 0;
  return n;
}

inline bool add(const char* name, void (*run)()) {
  tests().push_back({name, run});
  return true;
}

/// Bytes as they would stand in a C++ literal, cut after 100.
inline std::string quoted(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "\"";
  for (const char c : bytes.substr(0, 100)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
      text += c;
    } else {
      text += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return text + (bytes.size() > 100 ? "\"..." : "\"");
}

/// Any value a test compares: text, numbers, optionals, pairs, tuples, and ranges of those.
template <class Value>
std::string shown(const Value& value) {
  if constexpr (std::convertible_to<const Value&, std::string_view>) {
    return quoted(value);
  } else if constexpr (std::is_arithmetic_v<Value>) {
    return std::to_string(value);
  } else if constexpr (requires { value.has_value(); }) {
    return value.has_value() ? shown(*value) : "nothing";
  } else if constexpr (std::ranges::range<Value>) {
    std::string text = "{";
    std::size_t n = 0;
    for (const auto& item : value) {
      if (++n <= 50) text += (n > 1 ? ", " : "") + shown(item);
    }
    return text + (n > 50 ? ", ... " + std::to_string(n) + " in all}" : "}");
  } else {
    std::string text;
    std::apply(
        [&](const auto&... part) { ((text += (text.empty() ? "(" : ", ") + shown(part)), ...); },
        value);
    return text + ")";
  }
}

inline void fail(const char* file, int line, const std::string& what) {
  std::cerr << file << ":" << line << ": " << what << "\n";
  ++failures();
}

template <class A, class B>
void equal(const A& a, const B& b, const char* text_a, const char* text_b, const char* file,
           int line) {
  if (a == b) return;
  fail(file, line, std::string(text_a) + " == " + text_b + "\n  " + shown(a) + "\n  " + shown(b));
}

template <class Error, class Call>
void throws(const Call& call, const char* text, const char* file, int line) {
  try {
    call();
  } catch (const Error&) {
    return;
  } catch (const std::exception& other) {
    fail(file, line, std::string(text) + " threw something else: " + other.what());
    return;
  }
  fail(file, line, std::string(text) + " did not throw");
}

/// Runs every test of the program; what `main` returns.
inline int run_all() {
  for (const auto& test : tests()) {
    const int before = failures();
    try {
      test.run();
    } catch (const std::exception& error) {
      fail(test.name, 0, std::string("threw ") + error.what());
    }
    std::cout << (failures() == before ? "ok    " : "FAILED ") << test.name << std::endl;
  }
  return failures() == 0 ? 0 : 1;
}

}  // namespace check

#define TEST(name)                                                               \
  static void name();                                                            \
  [[maybe_unused]] static const bool name##_is_added = check::add(#name, &name); \
  static void name()

#define CHECK(condition) \
  ((condition) ? void() : check::fail(__FILE__, __LINE__, "not true: " #condition))
#define CHECK_EQ(a, b) check::equal((a), (b), #a, #b, __FILE__, __LINE__)
#define CHECK_THROWS(Error, ...) \
  check::throws<Error>([&] { (void)(__VA_ARGS__); }, #__VA_ARGS__, __FILE__, __LINE__)
