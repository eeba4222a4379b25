// load_fuzz.cpp: ModelTables::read on any bytes; what it takes is consistent.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bytepair/load.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const auto tables = bytepair::ModelTables::read(json);
  if (!tables) return 0;
  std::string bytes;
  for (std::size_t i = 0; i < tables->ids.size(); ++i) {
    const auto spelling = tables->spelling(i);
    (void)bytepair::append_spelt_bytes(spelling, bytes);
    if (tables->find(spelling) != tables->ids[i] || tables->place_of(tables->ids[i]) != i) {
      __builtin_trap();
    }
  }
  for (std::size_t i = 0; i < tables->left.size(); ++i) {
    const auto left = tables->place_of(tables->left[i]);
    const auto right = tables->place_of(tables->right[i]);
    if (!left || !right) __builtin_trap();
    const auto both = std::string(tables->spelling(*left)).append(tables->spelling(*right));
    if (tables->find(both) != tables->joined[i]) __builtin_trap();
  }
  return 0;
}
