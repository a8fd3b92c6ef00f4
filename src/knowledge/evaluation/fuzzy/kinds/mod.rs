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

/// How a node is made of its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Junction {
    /// It holds where all of them do.
    All,
    /// It holds where one of them does.
    Any,
}

/// A node as people read it: in prefix notation.
pub(in crate::evaluation) enum Prefix<'a> {
    /// A text, in parentheses behind a word if there is one.
    Text(&'static str, &'a str),
    /// Members behind a word.
    Members(&'static str, &'a [Mention]),
}

/// What checks a node against the game.
pub(super) trait LeafBinder {
    /// The node, from 0.
    fn node(&self) -> usize;

    /// The node holds where a fluent does.
    fn fact(&mut self, atom: &str) -> Result<(), BindError>;

    /// The node holds where a fluent does that fits a pattern, and is measured in such steps.
    fn near(&mut self, pattern: &str, steps: Steps) -> Result<(), BindError>;

    /// The node holds where the rules derive an atom.
    fn derived(&mut self, atom: &str);
}

/// What says where nodes hold.
pub(super) trait TruthMaker {
    /// What is true where one of the facts holds that make a node hold.
    fn held(&mut self, node: usize) -> Literal;

    /// What is true where a derived atom holds.
    fn derived(&self, node: usize) -> Literal;

    /// What is true where a member holds.
    fn edge(&self, edge: Edge) -> Literal;

    /// What is true where all of some literals are.
    fn all(&mut self, literals: Vec<Literal>) -> Literal;

    /// What is true where one of some literals is.
    fn any(&mut self, literals: Vec<Literal>) -> Literal;

    /// What is true where some place of one side has one of the other beyond it, or at it.
    fn compare(&mut self, relation: Comparison, sides: [Vec<(u32, Literal)>; 2]) -> Literal;
}

/// What lists what kernels compute from.
pub(super) trait KernelMaker {
    /// The members of a node.
    fn members(&self, node: usize) -> &[Edge];

    /// What is true where a member holds.
    fn literal(&self, edge: Edge) -> Literal;

    /// The vectors of a member's value and negation.
    fn vectors(&self, edge: Edge) -> [u32; 2];

    /// Lists the distances by which a node is measured; their place.
    fn measured(&mut self, node: usize) -> u32;

    /// Lists what a node compares; its place.
    fn compared(&mut self, places: Places) -> u32;

    /// Lists the members of a conjunction or disjunction: those that are counted, where it is a count, whose place is returned; else
    /// the vectors that are added up.
    fn count(&mut self, node: usize, is_or: bool) -> u32;

    /// Lists the vectors whose best is the node: those of the values, then those of the negations if these are needed.
    fn best(&mut self, node: usize);
}

/// A kind of nodes.
pub(super) trait NodeKind {
    /// What a node has of its own, as a document writes it.
    type Payload;
    /// What is computed of a node.
    type Kernel: Kernel;

    /// How it is made of its members, unless it is a leaf.
    const JUNCTION: Option<Junction> = None;
    /// Whether it can stand in a loop.
    const IN_LOOPS: bool = false;
    /// Whether parts of the same kind say the same without the parentheses around them.
    const ASSOCIATIVE: bool = false;
    /// What an explanation says before its members, and behind its text.
    const WORDS: [&'static str; 2] = ["", ""];

    /// The nodes that it is made of.
    fn mentions(_of: &Self::Payload) -> Vec<Mention> {
        Vec::new()
    }

    /// Gives these other numbers.
    fn renumber(_of: &mut Self::Payload, _number: &dyn Fn(Mention) -> Mention) {}

    /// How it is written for people.
    fn prefix(of: &Self::Payload) -> Prefix<'_>;

    /// The members that an explanation lists.
    fn explained(_of: &Self::Payload) -> &[Mention] {
        &[]
    }

    /// Checks what it says against the game.
    fn bind(_of: &Self::Payload, _binder: &mut dyn LeafBinder) -> Result<(), BindError> {
        Ok(())
    }

    /// The members by whose values its own is computed; `counted` where it is a count of facts.
    fn valued(_members: &[Edge], _counted: bool) -> &[Edge] {
        &[]
    }

    /// Which of the value and the negation of such a member are needed, for those of its own.
    fn needs(wanted: [bool; 2]) -> [bool; 2] {
        wanted
    }

    /// Where what holds, its value depends on: on where it holds itself, for most leaves.
    fn reads(own: Edge, _members: &[Edge], _counted: bool) -> Vec<Edge> {
        vec![own]
    }

    /// The members on which it depends where it holds.
    fn decided_by(_members: &[Edge]) -> &[Edge] {
        &[]
    }

    /// Where it holds.
    fn truth(of: &Self::Payload, node: usize, members: &[Edge], gates: &mut dyn TruthMaker) -> Literal;

    /// What is computed of it.
    fn kernel(of: &Self::Payload, node: usize, maker: &mut dyn KernelMaker) -> Self::Kernel;
}

/// What is computed of a node.
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

        /// What a part of a formula is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum ExplainedKind {
            $(#[doc = $short] $name,)*
        }

        impl ExplainedKind {
            /// What an explanation says before members, and behind the text.
            pub fn words(self) -> [&'static str; 2] {
                match self {
                    $(ExplainedKind::$name => <$module::Kind as NodeKind>::WORDS,)*
                }
            }

            /// How it is made of its members.
            pub(super) fn junction(self) -> Option<Junction> {
                match self {
                    $(ExplainedKind::$name => <$module::Kind as NodeKind>::JUNCTION,)*
                }
            }

            /// Whether it can stand in a loop.
            pub(super) fn in_loops(self) -> bool {
                match self {
                    $(ExplainedKind::$name => <$module::Kind as NodeKind>::IN_LOOPS,)*
                }
            }

            /// Whether parts of the same kind say the same without the parentheses around them.
            pub(in crate::evaluation) fn is_associative(self) -> bool {
                match self {
                    $(ExplainedKind::$name => <$module::Kind as NodeKind>::ASSOCIATIVE,)*
                }
            }

            /// The members by whose values a node's own is computed.
            pub(super) fn valued(self, members: &[Edge], counted: bool) -> &[Edge] {
                match self {
                    $(ExplainedKind::$name => <$module::Kind as NodeKind>::valued(members, counted),)*
                }
            }

            /// Which of the value and the negation of such a member are needed.
            pub(super) fn needs(self, wanted: [bool; 2]) -> [bool; 2] {
                match self {
                    $(ExplainedKind::$name => <$module::Kind as NodeKind>::needs(wanted),)*
                }
            }

            /// Where what holds, a node's value depends on.
            pub(super) fn reads(self, own: Edge, members: &[Edge], counted: bool) -> Vec<Edge> {
                match self {
                    $(ExplainedKind::$name => <$module::Kind as NodeKind>::reads(own, members, counted),)*
                }
            }

            /// The members on which it depends where a node holds.
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

            /// The nodes it is made of.
            pub fn mentions(&self) -> Vec<Mention> {
                match self {
                    $(Node::$name(of) => <$module::Kind as NodeKind>::mentions(of),)*
                }
            }

            /// The same with other numbers of nodes.
            pub(super) fn renumbered(mut self, number: &dyn Fn(Mention) -> Mention) -> Node {
                match &mut self {
                    $(Node::$name(of) => <$module::Kind as NodeKind>::renumber(of, number),)*
                }
                self
            }

            /// How it is written for people.
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

            /// Checks what it says against the game.
            pub(super) fn bind(&self, binder: &mut dyn LeafBinder) -> Result<(), BindError> {
                match self {
                    $(Node::$name(of) => <$module::Kind as NodeKind>::bind(of, binder),)*
                }
            }

            /// Where it holds.
            pub(super) fn truth(&self, node: usize, members: &[Edge], gates: &mut dyn TruthMaker) -> Literal {
                match self {
                    $(Node::$name(of) => <$module::Kind as NodeKind>::truth(of, node, members, gates),)*
                }
            }

            /// What is computed of it.
            pub(super) fn kernel(&self, node: usize, maker: &mut dyn KernelMaker) -> Kernels {
                match self {
                    $(Node::$name(of) => Kernels::$name(<$module::Kind as NodeKind>::kernel(of, node, maker)),)*
                }
            }
        }

        /// What is computed of nodes of all kinds.
        #[derive(Clone, Copy, Debug)]
        pub(super) enum Kernels {
            $(#[doc = $short] $name(<$module::Kind as NodeKind>::Kernel),)*
            /// What always holds, and what is in a loop, is computed elsewhere.
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
    fact: Fact(String), "A fluent: p where it holds, else 1 - p.", "A fluent.";
    near: Near(String),
        "A fluent of a family: p where it holds, else by how near its like are. `?` stands for an argument that may be\nanything.",
        "A fluent that is measured.";
    around: Around(String),
        "A fluent of a family whose places lie on a cycle: p where it holds, else by how near its like are by the shorter way round.",
        "A fluent that is measured round a cycle.";
    compare: Compare(Compare), "A comparison of two values.", "A comparison.";
    derived: Derived(String),
        "An atom whose truth the rules derive in every state, without being unrolled: p or 1 - p.",
        "An atom that the rules derive.";
    soon: Soon(Soon),
        "A fluent that is worth p where it holds, else by how near the best way is that brings it about next.",
        "A fluent valued by what brings it about.";
    toward: Toward(Toward),
        "What is worth p where something holds, else by how near the best way is that brings it about next.",
        "What is valued by what brings it about.";
    and: And(Vec<Mention>), "A conjunction; of nothing it always holds.", "A conjunction.";
    or: Or(Vec<Mention>), "A disjunction; of nothing it never holds.", "A disjunction.";
    best: Best(Vec<Mention>),
        "A disjunction worth as much as its best member: an atom of a recursive relation, in a loop.",
        "A disjunction that is worth its best member.";
}

pub use compare::Compare;
pub use soon::Soon;
pub use toward::Toward;
