//! The kinds of nodes. The file of a kind has its document form, members, checks, truth value, kernel and explanation.
//!
//! A kind implements [`NodeKind`]; its [`Kernel`] computes values. The list at the end of this file generates the enums [`Node`],
//! [`ExplainedKind`] and [`Kernels`] with their dispatch, so that passes over a graph need not know the kinds. `CONTRIBUTING.md`
//! has the steps to add one.

use fearless_simd::Simd;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bind_error::BindError;
use super::comparison::{Comparison, Places};
use super::evaluator::lanes::{Lanes, Operand};
use super::evaluator::tables::At;
use super::mention::{Edge, Literal, Mention, Steps};
use super::norm::TNorm;

/// How a node combines its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Junction {
    /// It holds if all members hold.
    All,
    /// It holds if a member holds.
    Any,
}

/// A node in prefix notation, for users.
pub(in crate::evaluation) enum Prefix<'a> {
    /// A text; if there is a word, it precedes the text, and both are in parentheses.
    Text(&'static str, &'a str),
    /// A word and members.
    Members(&'static str, &'a [Mention]),
}

/// Checks a node against the game.
pub(super) trait LeafBinder {
    /// The index of the node.
    fn node(&self) -> usize;

    /// Binds the node to a fluent: it holds if the fluent does.
    fn fact(&mut self, atom: &str) -> Result<(), BindError>;

    /// Binds the node to the fluents that fit a pattern: it holds if one of them does. Distances are counted in `steps`.
    fn near(&mut self, pattern: &str, steps: Steps) -> Result<(), BindError>;

    /// Binds the node to an atom that the rules derive.
    fn derived(&mut self, atom: &str);
}

/// Makes literals that are true in the states in which nodes hold.
pub(super) trait TruthMaker {
    /// True if one of the fluents to which the node is bound holds.
    fn held(&mut self, node: usize) -> Literal;

    /// True if the derived atom of the node holds.
    fn derived(&self, node: usize) -> Literal;

    /// True if a member holds.
    fn edge(&self, edge: Edge) -> Literal;

    /// True if all literals are.
    fn all(&mut self, literals: Vec<Literal>) -> Literal;

    /// True if one of the literals is.
    fn any(&mut self, literals: Vec<Literal>) -> Literal;

    /// True if `relation` holds between a place of the first side and a place of the second, both with true literals.
    fn compare(&mut self, relation: Comparison, sides: [Vec<(u32, Literal)>; 2]) -> Literal;
}

/// Gives kernels the addresses of their operands.
pub(super) trait KernelMaker {
    /// The members of a node.
    fn members(&self, node: usize) -> &[Edge];

    /// True if a member holds.
    fn literal(&self, edge: Edge) -> Literal;

    /// The vectors with a member's value and its negation.
    fn vectors(&self, edge: Edge) -> [u32; 2];

    /// Lists the distances by which a node is measured; returns their index.
    fn measured(&mut self, node: usize) -> u32;

    /// Lists the places that a node compares; returns their index.
    fn compared(&mut self, places: Places) -> u32;

    /// Lists the members of a conjunction or disjunction, and returns the index of the list. If the node counts facts, the list has
    /// literals; otherwise it has the vectors to add up.
    fn count(&mut self, node: usize, is_or: bool) -> u32;

    /// Lists the vectors of the members of a `best` node: their values, then their negations if these are needed.
    fn best(&mut self, node: usize);
}

/// A kind of nodes.
pub(super) trait NodeKind {
    /// The node's own data, as a document stores it.
    type Payload;
    /// The computation of a node's value.
    type Kernel: Kernel;

    /// How it combines its members; none for a leaf.
    const JUNCTION: Option<Junction> = None;
    /// Whether it may be in a loop.
    const IN_LOOPS: bool = false;
    /// Whether it is associative, so that an explanation can omit the parentheses of a member of the same kind.
    const ASSOCIATIVE: bool = false;
    /// The words of an explanation before its members, and after its text.
    const WORDS: [&'static str; 2] = ["", ""];

    /// The nodes that it mentions.
    fn mentions(_of: &Self::Payload) -> Vec<Mention> {
        Vec::new()
    }

    /// Renumbers the mentioned nodes.
    fn renumber(_of: &mut Self::Payload, _number: &dyn Fn(Mention) -> Mention) {}

    /// Its notation for users.
    fn prefix(of: &Self::Payload) -> Prefix<'_>;

    /// The members that an explanation lists.
    fn explained(_of: &Self::Payload) -> &[Mention] {
        &[]
    }

    /// Checks that its fluents and families exist in the game.
    fn bind(_of: &Self::Payload, _binder: &mut dyn LeafBinder) -> Result<(), BindError> {
        Ok(())
    }

    /// The members whose values it uses; `counted` if it counts facts.
    fn valued(_members: &[Edge], _counted: bool) -> &[Edge] {
        &[]
    }

    /// Whether the value and the negation of such a member are needed, if these of its own are `wanted`.
    fn needs(wanted: [bool; 2]) -> [bool; 2] {
        wanted
    }

    /// The edges whose truth its value depends on; its own truth for most leaves.
    fn reads(own: Edge, _members: &[Edge], _counted: bool) -> Vec<Edge> {
        vec![own]
    }

    /// The members whose truth decides whether it holds.
    fn decided_by(_members: &[Edge]) -> &[Edge] {
        &[]
    }

    /// A literal that is true in the states in which it holds.
    fn truth(of: &Self::Payload, node: usize, members: &[Edge], gates: &mut dyn TruthMaker) -> Literal;

    /// The computation of its value.
    fn kernel(of: &Self::Payload, node: usize, maker: &mut dyn KernelMaker) -> Self::Kernel;
}

/// The computation of a node's value.
pub(super) trait Kernel: Copy {
    /// Its value and its negation in the states of the first `PARTS` vectors.
    fn compute<S: Simd, F: Lanes<S>, N: TNorm, const PARTS: usize>(
        self,
        at: &At<'_, S, F, N>,
        node: usize,
    ) -> [Operand<F>; PARTS];
}

macro_rules! kinds {
    ($($module:ident: $name:ident($payload:ty), $about:literal, $short:literal;)*) => {
        $(pub(super) mod $module;)*

        /// A node of a formula.
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum Node {
            $(#[doc = $about] $name($payload),)*
        }

        /// The kind of a part of a formula.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum ExplainedKind {
            $(#[doc = $short] $name,)*
        }

        impl ExplainedKind {
            /// The words of an explanation before the members, and after the text.
            pub fn words(self) -> [&'static str; 2] {
                match self {
                    $(ExplainedKind::$name => <$module::Kind as NodeKind>::WORDS,)*
                }
            }

            /// How it combines its members.
            pub(super) fn junction(self) -> Option<Junction> {
                match self {
                    $(ExplainedKind::$name => <$module::Kind as NodeKind>::JUNCTION,)*
                }
            }

            /// Whether it may be in a loop.
            pub(super) fn in_loops(self) -> bool {
                match self {
                    $(ExplainedKind::$name => <$module::Kind as NodeKind>::IN_LOOPS,)*
                }
            }

            /// Whether it is associative, so that an explanation can omit the parentheses of a member of the same kind.
            pub(in crate::evaluation) fn is_associative(self) -> bool {
                match self {
                    $(ExplainedKind::$name => <$module::Kind as NodeKind>::ASSOCIATIVE,)*
                }
            }

            /// The members whose values it uses.
            pub(super) fn valued(self, members: &[Edge], counted: bool) -> &[Edge] {
                match self {
                    $(ExplainedKind::$name => <$module::Kind as NodeKind>::valued(members, counted),)*
                }
            }

            /// Whether the value and the negation of such a member are needed.
            pub(super) fn needs(self, wanted: [bool; 2]) -> [bool; 2] {
                match self {
                    $(ExplainedKind::$name => <$module::Kind as NodeKind>::needs(wanted),)*
                }
            }

            /// The edges whose truth its value depends on.
            pub(super) fn reads(self, own: Edge, members: &[Edge], counted: bool) -> Vec<Edge> {
                match self {
                    $(ExplainedKind::$name => <$module::Kind as NodeKind>::reads(own, members, counted),)*
                }
            }

            /// The members whose truth decides whether it holds.
            pub(super) fn decided_by(self, members: &[Edge]) -> &[Edge] {
                match self {
                    $(ExplainedKind::$name => <$module::Kind as NodeKind>::decided_by(members),)*
                }
            }
        }

        impl Node {
            /// Its kind.
            pub fn kind(&self) -> ExplainedKind {
                match self {
                    $(Node::$name(_) => ExplainedKind::$name,)*
                }
            }

            /// The nodes that it mentions.
            pub fn mentions(&self) -> Vec<Mention> {
                match self {
                    $(Node::$name(of) => <$module::Kind as NodeKind>::mentions(of),)*
                }
            }

            /// The node with the mentioned nodes renumbered.
            pub(super) fn renumbered(mut self, number: &dyn Fn(Mention) -> Mention) -> Node {
                match &mut self {
                    $(Node::$name(of) => <$module::Kind as NodeKind>::renumber(of, number),)*
                }
                self
            }

            /// Its notation for users.
            pub(in crate::evaluation) fn prefix(&self) -> Prefix<'_> {
                match self {
                    $(Node::$name(of) => <$module::Kind as NodeKind>::prefix(of),)*
                }
            }

            /// The members that an explanation lists.
            pub(super) fn explained(&self) -> &[Mention] {
                match self {
                    $(Node::$name(of) => <$module::Kind as NodeKind>::explained(of),)*
                }
            }

            /// Checks that its fluents and families exist in the game.
            pub(super) fn bind(&self, binder: &mut dyn LeafBinder) -> Result<(), BindError> {
                match self {
                    $(Node::$name(of) => <$module::Kind as NodeKind>::bind(of, binder),)*
                }
            }

            /// A literal that is true in the states in which the node holds.
            pub(super) fn truth(&self, node: usize, members: &[Edge], gates: &mut dyn TruthMaker) -> Literal {
                match self {
                    $(Node::$name(of) => <$module::Kind as NodeKind>::truth(of, node, members, gates),)*
                }
            }

            /// The computation of its value.
            pub(super) fn kernel(&self, node: usize, maker: &mut dyn KernelMaker) -> Kernels {
                match self {
                    $(Node::$name(of) => Kernels::$name(<$module::Kind as NodeKind>::kernel(of, node, maker)),)*
                }
            }
        }

        /// The computation of a node's value, for each kind.
        #[derive(Clone, Copy, Debug)]
        pub(super) enum Kernels {
            $(#[doc = $short] $name(<$module::Kind as NodeKind>::Kernel),)*
            /// The constant node, and nodes of loops; other code computes them.
            Elsewhere,
        }

        impl Kernels {
            /// The value and the negation of a node.
            #[inline(always)]
            pub(super) fn compute<S: Simd, F: Lanes<S>, N: TNorm, const PARTS: usize>(
                self,
                at: &At<'_, S, F, N>,
                node: usize,
            ) -> [Operand<F>; PARTS] {
                match self {
                    $(Kernels::$name(kernel) => kernel.compute::<S, F, N, PARTS>(at, node),)*
                    Kernels::Elsewhere => unreachable!("it is in no segment of nodes"),
                }
            }
        }
    };
}

kinds! {
    fact: Fact(String), "A fluent: p if it holds, else 1 - p.", "A fluent.";
    near: Near(String),
        "A fluent of a family: p if it holds, else a value from the distance of the nearest fluent of the family that holds. `?`\nstands for any argument.",
        "A fluent that is measured.";
    around: Around(String),
        "A fluent of a family whose elements form a cycle: as `near`, with distances in the shorter direction.",
        "A fluent that is measured along a cycle.";
    compare: Compare(Compare), "A comparison of two values.", "A comparison.";
    derived: Derived(String),
        "An atom whose truth the rules derive in every state, without being unrolled: p or 1 - p.",
        "An atom that the rules derive.";
    soon: Soon(Soon),
        "A fluent: p if it holds, else a value from the best condition that makes it hold in the next state.",
        "A fluent with its best achiever.";
    toward: Toward(Toward),
        "A condition: p if it holds, else a value from the best condition that makes it hold in the next state.",
        "A condition with its best achiever.";
    and: And(Vec<Mention>), "A conjunction; one without members always holds.", "A conjunction.";
    or: Or(Vec<Mention>), "A disjunction; one without members never holds.", "A disjunction.";
    best: Best(Vec<Mention>),
        "A disjunction with the value of its best member: an atom of a recursive relation, in a loop.",
        "A disjunction with the value of its best member.";
}

pub use compare::Compare;
pub use soon::Soon;
pub use toward::Toward;
