//! All options of an entry, as a struct with a typed field for each.

use super::option::OptionEntry;
use super::values::OptionValues;

/// The options of an entry: a struct that [`options!`](crate::options) writes.
pub trait OptionSet: Sized {
    /// All of them, in the order in which they are listed.
    fn entries() -> Vec<OptionEntry>;

    /// What was given, and the defaults of all others.
    fn of(given: &OptionValues) -> Self;
}

/// Writes a struct of options: each field has its type and the [`TypedOption`](crate::catalog::TypedOption) it is
/// read by, so that what is listed, what may be given and what the program gets are the same.
#[macro_export]
macro_rules! options {
    (
        $(#[$about:meta])*
        $seen:vis struct $name:ident {
            $($(#[$what:meta])* $field:ident: $type:ty = $option:expr),* $(,)?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        $seen struct $name {
            $($(#[$what])* $seen $field: $type,)*
        }

        impl $crate::catalog::OptionSet for $name {
            fn entries() -> ::std::vec::Vec<$crate::catalog::OptionEntry> {
                ::std::vec![$($option.entry()),*]
            }

            fn of(given: &$crate::catalog::OptionValues) -> $name {
                $name { $($field: given.get::<$type>(&$option)),* }
            }
        }
    };
}
