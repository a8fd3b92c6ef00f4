//! Draws trees as text, with lines from each node to its children.

use super::layout::Layout;

/// A node with its children.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// The text of the node, in one line.
    pub line: String,
    /// The children.
    pub members: Vec<Tree>,
    /// The number of children that are not listed.
    pub left_out: usize,
}

impl Tree {
    /// A node without children.
    pub fn leaf(line: impl Into<String>) -> Tree {
        Tree { line: line.into(), ..Tree::default() }
    }

    /// Draws the tree, each line ended; lines are cut at the layout's width.
    pub fn render(&self, layout: Layout) -> String {
        let mut out = String::new();
        self.write("", "", layout, &mut out);
        out
    }

    fn write(&self, first: &str, rest: &str, layout: Layout, out: &mut String) {
        let room = usize::from(layout.width).saturating_sub(first.chars().count() + 3);
        let mut line: String = self.line.chars().take(room).collect();
        if line.len() < self.line.len() {
            line.push('…');
        }
        out.push_str(&layout.remark(first));
        out.push_str(&line);
        out.push('\n');
        let last = self.members.len() + usize::from(self.left_out > 0);
        for (index, member) in self.members.iter().enumerate() {
            let (branch, below) = if index + 1 == last { ("└ ", "  ") } else { ("├ ", "│ ") };
            member.write(&format!("{rest}{branch}"), &format!("{rest}{below}"), layout, out);
        }
        if self.left_out > 0 {
            out.push_str(&layout.remark(&format!("{rest}└ {} more", self.left_out)));
            out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_connect_a_part_with_its_members() {
        let inner = Tree { line: "b".into(), members: vec![Tree::leaf("c")], left_out: 2 };
        let tree = Tree { line: "a".into(), members: vec![inner, Tree::leaf("d".repeat(200))], left_out: 0 };
        let text = tree.render(Layout::plain());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..4], ["a", "├ b", "│ ├ c", "│ └ 2 more"]);
        assert!(lines[4].starts_with("└ ddd") && lines[4].ends_with("d…"), "{}", lines[4]);
        assert!(lines[4].chars().count() <= 110);
    }
}
