//! How games end, by the rules of `terminal` and `goal`, and the rules that never fired.
