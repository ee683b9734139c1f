"""Laws that every algorithm and every adapter must obey, one function each."""
