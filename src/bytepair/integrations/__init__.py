"""bytepair within other libraries; each module needs its library, named by an extra."""
