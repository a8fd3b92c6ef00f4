//! The relation that grew when an evaluation exceeded a limit, for error messages. `GameProgram::growth` in
//! `ground/program.rs` fills it in.

use std::fmt;

use crate::catalog::grouped;

/// The relation with the most rows when an evaluation exceeded a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// `name/arity`.
    pub relation: String,
    /// Its number of rows then.
    pub rows: u64,
    /// Its arguments, counted from 1, that neither a call nor a constant in all of its rules binds.
    pub free: Vec<usize>,
}

impl fmt::Display for Growth {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` had {} rows by then", self.relation, grouped(self.rows))?;
        let names: Vec<String> = self.free.iter().map(usize::to_string).collect();
        match names.split_last() {
            None => Ok(()),
            Some((only, [])) => write!(out, ", and nothing binds its argument {only}"),
            Some((last, others)) => {
                write!(out, ", and nothing binds its arguments {} and {last}", others.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_arguments_are_listed() {
        let text = |free: &[usize]| {
            Growth { relation: "pair/3".to_owned(), rows: 120_000, free: free.to_vec() }.to_string()
        };
        assert_eq!(text(&[]), "`pair/3` had 120,000 rows by then");
        assert_eq!(text(&[2]), "`pair/3` had 120,000 rows by then, and nothing binds its argument 2");
        assert_eq!(
            text(&[1, 2, 3]),
            "`pair/3` had 120,000 rows by then, and nothing binds its arguments 1, 2 and 3"
        );
    }
}
