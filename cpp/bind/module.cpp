// module.cpp: the list of what the module _core holds.
#include "bind.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The C++ core. Private: bytepair.engines is the door to it.";
  bytepair::bind::bind_split(m);
  bytepair::bind::bind_count(m);
  bytepair::bind::bind_learn(m);
  bytepair::bind::bind_encode(m);
  bytepair::bind::bind_decode(m);
}
