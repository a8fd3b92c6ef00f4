//! Documentation of registry entries, taken from the module comments of their files, and the pages built from it.

use super::option::OptionEntry;

/// The headings that the documentation of an entry may have, in this order.
pub const HEADINGS: [&str; 6] = ["What it does", "How", "Guarantee", "Cost", "Example", "Source"];

/// An entry of a registry: its name, documentation and options.
pub trait CatalogEntry {
    /// The name that users write.
    fn name(&self) -> &'static str;

    /// The title: a few words. It is the name by default.
    fn title(&self) -> &'static str {
        self.name()
    }

    /// Authors and years of the publication; empty if there is none.
    fn source(&self) -> &'static str {
        ""
    }

    /// The source text of the entry's file. Its leading `//!` lines are the documentation.
    fn text(&self) -> &'static str {
        ""
    }

    /// One line of Markdown below the title on the entry's page; empty if there is nothing to add.
    fn remark(&self) -> String {
        String::new()
    }

    /// The entry's options.
    fn options(&self) -> Vec<OptionEntry> {
        Vec::new()
    }

    /// The documentation as Markdown with headings of the first level.
    fn documentation(&self) -> String {
        module_documentation(self.text())
    }
}

/// Defines an entry without options: a unit struct whose documentation is the module comment of its file. By default the
/// file has the name of the entry; another file is given as `"goal-progress" in "goal_progress.rs"`.
///
/// `catalog_entry!(TeamDetector, "team", "Teams and zero sums", "Kuhlmann, Dresner and Stone 2006");`
#[macro_export]
macro_rules! catalog_entry {
    ($entry:ident, $name:literal, $title:literal, $source:literal) => {
        $crate::catalog_entry!($entry, $name in concat!($name, ".rs"), $title, $source);
    };
    ($entry:ident, $name:literal in $file:expr, $title:literal, $source:literal) => {
        #[doc = concat!($title, ", an entry of its registry.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $entry;

        impl $crate::catalog::CatalogEntry for $entry {
            fn name(&self) -> &'static str {
                $name
            }

            fn title(&self) -> &'static str {
                $title
            }

            fn source(&self) -> &'static str {
                $source
            }

            fn text(&self) -> &'static str {
                include_str!($file)
            }
        }
    };
}

/// The leading `//!` comment of a Rust source text, without the markers.
pub fn module_documentation(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    lines.flat_map(|line| [line.strip_prefix(' ').unwrap_or(line), "\n"]).collect()
}

/// The first-level headings of a Markdown text.
pub fn headings(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("# ")).collect()
}

/// A Markdown page: the introduction, then a chapter for each entry with its documentation and a table of its options.
pub fn page<'e>(introduction: &str, entries: impl IntoIterator<Item = &'e dyn CatalogEntry>) -> String {
    let mut page = format!("{}\n", introduction.trim_end());
    for entry in entries {
        page.push_str(&format!("\n## `{}`: {}\n\n", entry.name(), entry.title()));
        let remark = entry.remark();
        if !remark.is_empty() {
            page.push_str(&format!("{remark}\n\n"));
        }
        for line in entry.documentation().lines() {
            let nested = if line.starts_with("# ") { "##" } else { "" };
            page.push_str(&format!("{nested}{line}\n"));
        }
        let options = entry.options();
        if options.is_empty() {
            continue;
        }
        page.push_str("\n### Options\n\n| option | default | range | unit | |\n|---|---|---|---|---|\n");
        for option in options {
            let OptionEntry { name, default, kind, help, .. } = option;
            let (range, unit) = (kind.range(), kind.unit());
            page.push_str(&format!("| `{name}` | {default} | {range} | {unit} | {help} |\n"));
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::TypedOption;

    struct Example;

    impl CatalogEntry for Example {
        fn name(&self) -> &'static str {
            "example"
        }

        fn title(&self) -> &'static str {
            "an example"
        }

        fn source(&self) -> &'static str {
            ""
        }

        fn text(&self) -> &'static str {
            "//! # What it does\n//! Nothing.\n//!\n//! # How\n//! Not at all.\n\nfn nothing() {}\n//! no more\n"
        }

        fn remark(&self) -> String {
            "An example.".to_owned()
        }

        fn options(&self) -> Vec<OptionEntry> {
            vec![TypedOption::integer("plies", 4, [1, 240], "plies", "depth at most").entry()]
        }
    }

    #[test]
    fn a_page_has_a_chapter_for_every_entry() {
        let documentation = Example.documentation();
        assert_eq!(documentation, "# What it does\nNothing.\n\n# How\nNot at all.\n");
        assert_eq!(headings(&documentation), ["What it does", "How"]);
        let entries: [&dyn CatalogEntry; 1] = [&Example];
        let expected = "# Examples\n\n## `example`: an example\n\nAn example.\n\n### What it does\nNothing.\n\n### How\nNot at all.\n\n\
            ### Options\n\n| option | default | range | unit | |\n|---|---|---|---|---|\n\
            | `plies` | 4 | 1 to 240 | plies | depth at most |\n";
        assert_eq!(page("# Examples\n", entries), expected);
    }
}
