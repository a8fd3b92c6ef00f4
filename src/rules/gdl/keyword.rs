//! The words the language itself gives a meaning to.

use super::rule::RelationKind;

/// A reserved word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Keyword {
    /// `role`.
    Role,
    /// `init`.
    Init,
    /// `true`.
    True,
    /// `next`.
    Next,
    /// `does`.
    Does,
    /// `legal`.
    Legal,
    /// `goal`.
    Goal,
    /// `terminal`.
    Terminal,
    /// `distinct`.
    Distinct,
    /// `not`.
    Not,
    /// `and`.
    And,
    /// `or`.
    Or,
    /// `<=`.
    Arrow,
}

impl Keyword {
    /// Every reserved word.
    pub(crate) const ALL: [Keyword; 13] = [
        Keyword::Role,
        Keyword::Init,
        Keyword::True,
        Keyword::Next,
        Keyword::Does,
        Keyword::Legal,
        Keyword::Goal,
        Keyword::Terminal,
        Keyword::Distinct,
        Keyword::Not,
        Keyword::And,
        Keyword::Or,
        Keyword::Arrow,
    ];

    /// How it is written.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Keyword::Role => "role",
            Keyword::Init => "init",
            Keyword::True => "true",
            Keyword::Next => "next",
            Keyword::Does => "does",
            Keyword::Legal => "legal",
            Keyword::Goal => "goal",
            Keyword::Terminal => "terminal",
            Keyword::Distinct => "distinct",
            Keyword::Not => "not",
            Keyword::And => "and",
            Keyword::Or => "or",
            Keyword::Arrow => "<=",
        }
    }

    /// The kind of relation it is; `None` for the logical words.
    pub(crate) fn kind(self) -> Option<RelationKind> {
        match self {
            Keyword::Role => Some(RelationKind::Role),
            Keyword::Init => Some(RelationKind::Init),
            Keyword::True => Some(RelationKind::True),
            Keyword::Next => Some(RelationKind::Next),
            Keyword::Does => Some(RelationKind::Does),
            Keyword::Legal => Some(RelationKind::Legal),
            Keyword::Goal => Some(RelationKind::Goal),
            Keyword::Terminal => Some(RelationKind::Terminal),
            Keyword::Distinct | Keyword::Not | Keyword::And | Keyword::Or | Keyword::Arrow => None,
        }
    }

    /// Number of arguments it takes as a relation; `None` for what is no relation.
    pub(crate) fn arity(self) -> Option<usize> {
        match self {
            Keyword::Role | Keyword::Init | Keyword::True | Keyword::Next => Some(1),
            Keyword::Does | Keyword::Legal | Keyword::Goal => Some(2),
            Keyword::Terminal => Some(0),
            Keyword::Distinct | Keyword::Not | Keyword::And | Keyword::Or | Keyword::Arrow => None,
        }
    }

    /// The position of the argument that is a fluent or a move, for a relation that has one.
    pub(crate) fn whole(self) -> Option<usize> {
        match self {
            Keyword::Init | Keyword::True | Keyword::Next => Some(0),
            Keyword::Does | Keyword::Legal => Some(1),
            _ => None,
        }
    }
}
