//! The options of an entry as a struct with one typed field per option.

use super::option::OptionEntry;
use super::values::OptionValues;

/// The options of an entry: a struct that [`options!`](crate::options) writes.
pub trait OptionSet: Sized {
    /// The declarations of all options, in the order in which they are listed.
    fn entries() -> Vec<OptionEntry>;

    /// The given values; options that are not given have their defaults.
    fn of(given: &OptionValues) -> Self;
}

/// Defines an [`OptionSet`](crate::catalog::OptionSet): a struct with one field per option, each with its type and its
/// [`TypedOption`](crate::catalog::TypedOption). Help, parsing and the program therefore use the same declarations.
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
