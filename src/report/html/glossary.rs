//! The definitions of terms on pages, from `docs/guide/glossary.md`. A page has those of the terms that it uses, so that it
//! needs no other file.

use super::markup::{Markup, escaped};

/// The page of the guide. An entry is a heading and a definition, before the sentence with `See`.
const GLOSSARY: &str = include_str!("../../../docs/guide/glossary.md");

/// The mark in templates that [`with_terms`] replaces.
const MARK: &str = "<!--terms-->";

/// The terms of the glossary with their definitions.
fn entries() -> impl Iterator<Item = (&'static str, String)> {
    GLOSSARY.split("\n## ").skip(1).filter_map(|entry| {
        let (term, text) = entry.split_once('\n')?;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let definition = text.split_once(" See ").map_or(text.as_str(), |(definition, _)| definition);
        Some((term, definition.to_owned()))
    })
}

/// Adds a folded list of the terms that a page uses.
pub(super) fn with_terms(page: String) -> String {
    let text = words(&visible(&page));
    let mut list = String::new();
    for (term, definition) in entries().filter(|(term, _)| uses(&text, term)) {
        list.push_str(&format!("<dt>{}</dt><dd>{}</dd>\n", escaped(term), code(&definition)));
    }
    if list.is_empty() {
        return page.replace(MARK, "");
    }
    let all = "<p>All terms: <code>ggp guide glossary</code></p>";
    let terms = format!(
        "<details class=\"notes\" id=\"terms\"><summary>Terms</summary>\n<dl class=\"terms\">\n{list}</dl>\n{all}</details>"
    );
    page.replace(MARK, &terms)
}

/// The text of a page without tags, scripts and styles.
fn visible(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page.split_once("<body").map_or(page, |(_, body)| body);
    while let Some((text, tag)) = rest.split_once('<') {
        out.push_str(text);
        out.push(' ');
        let end = if tag.starts_with("script") { "</script>" } else { ">" };
        rest = tag.split_once(end).map_or("", |(_, after)| after);
    }
    out + rest
}

/// The words of a text in lower case, with a blank around each. Hyphens separate words, and a plural `s` is dropped.
fn words(text: &str) -> String {
    let separate = |symbol: char| !symbol.is_alphanumeric() && symbol != '^';
    let words = text.split(separate).filter(|word| !word.is_empty());
    let words = words.map(|word| {
        let word = word.to_lowercase();
        if word.len() > 3 { word.strip_suffix('s').map_or(word.clone(), str::to_owned) } else { word }
    });
    format!(" {} ", words.collect::<Vec<_>>().join(" "))
}

/// Whether a text uses a term, with or without its addition in parentheses.
fn uses(text: &str, term: &str) -> bool {
    let plain = term.split(" (").next().unwrap_or(term);
    text.contains(&words(plain))
}

/// A text as HTML: text between backticks is code.
pub(super) fn code(text: &str) -> Markup {
    let pieces = text.split('`').enumerate();
    let piece = |(index, piece): (usize, &str)| match index % 2 {
        0 => escaped(piece),
        _ => format!("<code>{}</code>", escaped(piece)),
    };
    Markup::of(pieces.map(piece).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_the_terms_that_it_uses() {
        assert!(entries().count() > 50);
        let page = "<body><p>Two playouts</p><script>quantity</script><!--terms--></body>".to_owned();
        let page = with_terms(page);
        assert!(page.contains("<dt>Playout</dt><dd>"), "{page}");
        assert!(!page.contains("<dt>Quantity</dt>") && !page.contains("See"), "{page}");
        assert_eq!(with_terms("<body>x<!--terms--></body>".to_owned()), "<body>x</body>");
        assert_eq!(code("a `b < c`").to_string(), "a <code>b &#60; c</code>");
    }
}
