// json_cursor.hpp: step through JSON text, strict about what is taken.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace bytepair {

/// Appends a code point, which must not be a surrogate.
inline void append_utf8(std::uint32_t code, std::string& out) {
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80 | (code >> shift & 0x3F));
  };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

/// Eight bytes as a number, the first one lowest.
inline std::uint64_t load8(const char* at) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

/// A place in JSON text. What is asked for is taken, with the white space before it; false: it does
/// not stand there.
class JsonCursor {
 public:
  /// What becomes of half a surrogate pair, which is no text.
  enum class Halves : bool { refused, replaced };

  explicit JsonCursor(std::string_view json, std::size_t at = 0, Halves halves = Halves::refused)
      : begin_(json.data()),
        at_(json.data() + at),
        end_(json.data() + json.size()),
        halves_(halves) {}

  [[nodiscard]] std::size_t position() const noexcept {
    return static_cast<std::size_t>(at_ - begin_);
  }

  /// The next sign, not taken; 0 at the end.
  char peek() noexcept {
    if (at_ < end_ && static_cast<unsigned char>(*at_) > ' ') return *at_;
    skip_space();
    return at_ < end_ ? *at_ : '\0';
  }

  bool take(char sign) noexcept {
    if (peek() != sign) return false;
    ++at_;
    return true;
  }

  /// A string: a part of the JSON text, or, where that has escapes, of `unescaped`. Whether it is
  /// UTF-8 is not looked at.
  bool string(std::string_view& text, std::string& unescaped) {
    if (!take('"')) return false;
    const char* start = at_;
    if (!skip_plain()) return false;
    text = {start, static_cast<std::size_t>(at_ - start)};
    if (*at_ == '"') {
      ++at_;
      return true;
    }
    unescaped.assign(start, at_);
    while (*at_++ != '"') {
      if (!escape(unescaped)) return false;
      start = at_;
      if (!skip_plain()) return false;
      unescaped.append(start, at_);
    }
    text = unescaped;
    return true;
  }

  /// Within a string: what stands there as it is, then one escape, if one comes; false at what no
  /// string holds.
  bool run(std::string_view& plain, std::string& unescaped) {
    const char* start = at_;
    unescaped.clear();
    const bool goes_on = skip_plain();
    plain = {start, static_cast<std::size_t>(at_ - start)};
    if (!goes_on) return at_ == end_;
    return *at_++ == '\\' && escape(unescaped);
  }

  static constexpr std::uint64_t kIdLimit = std::uint64_t{1} << 31;

  /// A whole number without sign, below the limit of ids.
  bool id(std::uint32_t& number) noexcept {
    const char first = peek();
    std::uint64_t value = 0;
    const char* start = at_;
    for (; at_ < end_ && *at_ >= '0' && *at_ <= '9' && value < kIdLimit; ++at_) {
      value = value * 10 + static_cast<std::uint64_t>(*at_ - '0');
    }
    if (at_ == start || value >= kIdLimit || (first == '0' && at_ - start > 1)) return false;
    number = static_cast<std::uint32_t>(value);
    return at_ == end_ || (*at_ != '.' && *at_ != 'e' && *at_ != 'E');
  }

  /// Any value, of which only strings and brackets are looked at.
  bool skip() noexcept {
    std::size_t depth = 0;
    do {
      switch (peek()) {
        case '\0':
          return false;
        case '"':
          if (!skip_string()) return false;
          break;
        case '{':
        case '[':
          ++at_;
          ++depth;
          continue;
        case '}':
        case ']':
          if (depth == 0) return false;
          ++at_;
          --depth;
          break;
        case ',':
        case ':':
          if (depth == 0) return false;
          ++at_;
          break;
        default:
          skip_scalar();
      }
    } while (depth > 0);
    return true;
  }

 private:
  void skip_space() noexcept {
    constexpr std::uint64_t kSpaces = kEach * ' ';  // files that are indented have many
    while (end_ - at_ >= 8 && load8(at_) == kSpaces) at_ += 8;
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }

  /// To the next quote or backslash of a string; false at what no string holds.
  bool skip_plain() noexcept {
    while (end_ - at_ >= 16) {  // few strings are longer
      const std::uint64_t first = ending_bytes(load8(at_));
      const std::uint64_t second = ending_bytes(load8(at_ + 8));
      if ((first | second) == 0) {
        at_ += 16;
        continue;
      }
      at_ += first != 0 ? std::countr_zero(first) / 8 : 8 + std::countr_zero(second) / 8;
      return static_cast<unsigned char>(*at_) >= ' ';
    }
    while (at_ < end_ && *at_ != '"' && *at_ != '\\' && static_cast<unsigned char>(*at_) >= ' ') {
      ++at_;
    }
    return at_ < end_ && static_cast<unsigned char>(*at_) >= ' ';
  }

  static constexpr std::uint64_t kEach = 0x0101'0101'0101'0101;

  /// The high bit of the first quote, backslash or control character; bits behind it mean nothing.
  /// How zero bytes are found: https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord
  static std::uint64_t ending_bytes(std::uint64_t word) noexcept {
    const auto zero = [](std::uint64_t bytes) { return (bytes - kEach) & ~bytes; };
    const std::uint64_t control = (word - kEach * ' ') & ~word;
    return (zero(word ^ kEach * '"') | zero(word ^ kEach * '\\') | control) & kEach * 0x80;
  }

  bool skip_string() noexcept {
    for (++at_; at_ < end_; ++at_) {
      if (*at_ == '"') {
        ++at_;
        return true;
      }
      if (*at_ == '\\') ++at_;
    }
    return false;
  }

  void skip_scalar() noexcept {
    constexpr std::string_view kStops = "\",:[]{} \n\r\t";
    do {
      ++at_;
    } while (at_ < end_ && kStops.find(*at_) == std::string_view::npos);
  }

  /// What stands behind a backslash.
  bool escape(std::string& out) {
    constexpr std::string_view kSigns = "\"\\/bfnrt";
    constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
    if (at_ == end_) return false;
    const char sign = *at_++;
    if (const auto found = kSigns.find(sign); found != std::string_view::npos) {
      out += kMeant[found];
      return true;
    }
    std::uint32_t code = 0;
    if (sign != 'u' || !unit(code)) return false;
    if (code >= 0xD800 && code <= 0xDFFF && !pair(code)) {
      if (halves_ == Halves::refused) return false;
      code = 0xFFFD;
    }
    append_utf8(code, out);
    return true;
  }

  /// The other half of a surrogate pair, which is taken only if it is that.
  bool pair(std::uint32_t& code) noexcept {
    const char* start = at_;
    std::uint32_t low = 0;
    if (code < 0xDC00 && end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u') {
      at_ += 2;
      if (unit(low) && low >= 0xDC00 && low <= 0xDFFF) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        return true;
      }
    }
    at_ = start;
    return false;
  }

  /// Four hexadecimal digits.
  bool unit(std::uint32_t& code) noexcept {
    if (end_ - at_ < 4) return false;
    for (int i = 0; i < 4; ++i) {
      const char digit = *at_++;
      const int lower = digit | 0x20;
      if (digit >= '0' && digit <= '9') {
        code = code << 4 | static_cast<std::uint32_t>(digit - '0');
      } else if (lower >= 'a' && lower <= 'f') {
        code = code << 4 | static_cast<std::uint32_t>(lower - 'a' + 10);
      } else {
        return false;
      }
    }
    return true;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  Halves halves_;
};

}  // namespace bytepair
