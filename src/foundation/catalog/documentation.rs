//! Documentation that stands in the files it is about, and pages made of it.

use super::option::OptionEntry;

/// The headings of an entry's documentation, in this order.
pub const HEADINGS: [&str; 6] = ["What it does", "How", "Guarantee", "Cost", "Example", "Source"];

/// One thing of a registry, as it is listed and documented.
pub trait CatalogEntry {
    /// Its name, as users write it.
    fn name(&self) -> &'static str;

    /// What it is, in a few words; its name by default.
    fn title(&self) -> &'static str {
        self.name()
    }

    /// Where it comes from: authors and years; empty if there is no publication.
    fn source(&self) -> &'static str {
        ""
    }

    /// Its file; the lines that start with `//!` are its documentation.
    fn text(&self) -> &'static str {
        ""
    }

    /// What stands under its title on a page: a line of Markdown; empty where there is nothing more to say.
    fn remark(&self) -> String {
        String::new()
    }

    /// Its options.
    fn options(&self) -> Vec<OptionEntry> {
        Vec::new()
    }

    /// Its documentation, as Markdown with headings of the first level.
    fn documentation(&self) -> String {
        module_documentation(self.text())
    }
}

/// Writes an entry without options, a type of no size, in the file that it is about. The file is named after the entry,
/// or said after the name: `"goal-progress" in "goal_progress.rs"`.
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

/// The documentation at the head of a file of Rust.
pub fn module_documentation(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    lines.flat_map(|line| [line.strip_prefix(' ').unwrap_or(line), "\n"]).collect()
}

/// The headings of the first level in a text of Markdown.
pub fn headings(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("# ")).collect()
}

/// A page about all entries: what the page says itself, then a chapter for each with its documentation and options.
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
            "For nobody.".to_owned()
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
        let wanted = "# Examples\n\n## `example`: an example\n\nFor nobody.\n\n### What it does\nNothing.\n\n### How\nNot at all.\n\n\
            ### Options\n\n| option | default | range | unit | |\n|---|---|---|---|---|\n\
            | `plies` | 4 | 1 to 240 | plies | depth at most |\n";
        assert_eq!(page("# Examples\n", entries), wanted);
    }
}
