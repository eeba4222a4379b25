// module.cpp: the list of what the module _core holds.
#include "bind.hpp"
#include "bytepair/cache.hpp"

namespace nb = nanobind;

NB_MODULE(_core, m) {
  // An object that something still holds when Python ends (a traceback, say) is no leak to report.
  nb::set_leak_warnings(false);
  m.doc() = "The C++ core. Private: bytepair.engines is the door to it.";
  m.def("wait_for_unlocked", &bytepair::bind::wait_for_unlocked);
  // A fork has the forking thread only, and that one is not in the core.
  m.def("forget_unlocked", [] {
    bytepair::bind::n_unlocked = 0;
    bytepair::note_fork();
  });
  bytepair::bind::bind_split(m);
  bytepair::bind::bind_normalize(m);
  bytepair::bind::bind_special(m);
  bytepair::bind::bind_count(m);
  bytepair::bind::bind_learn(m);
  bytepair::bind::bind_prune(m);
  bytepair::bind::bind_load(m);
  bytepair::bind::bind_encode(m);
  bytepair::bind::bind_decode(m);
  bytepair::bind::bind_tally(m);
  bytepair::bind::bind_json_text(m);
}
