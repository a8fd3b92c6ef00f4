//! The reserved words of GDL.

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

    /// The word itself.
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

    /// How a sentence or rule with it is written.
    pub(crate) fn form(self) -> &'static str {
        match self {
            Keyword::Role => "(role name)",
            Keyword::Init => "(init fluent)",
            Keyword::True => "(true fluent)",
            Keyword::Next => "(next fluent)",
            Keyword::Does => "(does role move)",
            Keyword::Legal => "(legal role move)",
            Keyword::Goal => "(goal role value)",
            Keyword::Terminal => "terminal",
            Keyword::Distinct => "(distinct term term)",
            Keyword::Not => "(not condition)",
            Keyword::And => "(and condition ...)",
            Keyword::Or => "(or condition ...)",
            Keyword::Arrow => "(<= head condition ...)",
        }
    }

    /// Its relation kind; `None` for logical words.
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

    /// Its number of arguments as a relation; `None` for logical words.
    pub(crate) fn arity(self) -> Option<usize> {
        match self {
            Keyword::Role | Keyword::Init | Keyword::True | Keyword::Next => Some(1),
            Keyword::Does | Keyword::Legal | Keyword::Goal => Some(2),
            Keyword::Terminal => Some(0),
            Keyword::Distinct | Keyword::Not | Keyword::And | Keyword::Or | Keyword::Arrow => None,
        }
    }

    /// The position of the argument that is a fluent or a move, if it has one.
    pub(crate) fn whole(self) -> Option<usize> {
        match self {
            Keyword::Init | Keyword::True | Keyword::Next => Some(0),
            Keyword::Does | Keyword::Legal => Some(1),
            Keyword::Role
            | Keyword::Goal
            | Keyword::Terminal
            | Keyword::Distinct
            | Keyword::Not
            | Keyword::And
            | Keyword::Or
            | Keyword::Arrow => None,
        }
    }
}
