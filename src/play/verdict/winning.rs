//! How a role wins, in words, from the rules of `goal`.
