//! Displays enums by the names that serde writes into documents.

/// Implements `Display` by the serde name of each variant.
macro_rules! display_as_in_documents {
    ($($of:ty),*) => {$(
        impl std::fmt::Display for $of {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                serde::Serialize::serialize(self, f)
            }
        }
    )*};
}
