//! Proves properties of a game, and findings of detectors, for all reachable states.
//!
//! Statements that random play did not refute are proved over the network, by induction with a SAT solver.
//! A false statement comes with a play that refutes it. Proofs use only the network, so a game without one
//! has its properties from play alone.
//!
//! # Files
//! - `prove.rs` runs all parts in order; `proofs.rs` has the results. `analysis/proofs.rs` is the stage,
//!   `report/properties.rs` the wording.
//! - Lemmas: `candidates.rs` proposes them, `induction.rs` proves them. `pruning.rs` finds the largest
//!   inductive set, and `walks.rs` refutes more candidates after a counterexample.
//! - The solver: `unrolling.rs` writes steps as clauses, `solver.rs` limits the work.
//! - Claims: `findings.rs` (of detectors), `properties.rs` (of the game), `reason.rs` (why each holds or
//!   fails).
//! - Termination: `ranking.rs`, and `weighted.rs` with `weights.rs` (linear programs) and `sum_clauses.rs`
//!   (sums as clauses).
//! - Plays: `plays.rs` stores witnesses and shortens them, `listing.rs` lists all states of small games.
//! - Evidence: `evidence.rs` settles properties by play, `outcomes.rs` has the outcomes of later stages,
//!   and `reconcile.rs` corrects earlier results with them.
//! - Tests: `tests/analysis/proofs.rs`, `tests/analysis/weighted_sums.rs`, and `recheck.rs`, which repeats
//!   proofs with a second solver. `reports/sweeping.md` says what networks would gain from the lemmas.
//!
//! # Source
//! Termination, playability, monotonicity, winnability and well-formedness: Love et al., Game Description
//! Language Specification 2008. Proofs by induction of properties of games: Schiffel and Thielscher 2009;
//! Haufe, Schiffel and Thielscher 2012, with answer sets, one property at a time. Largest inductive set of
//! candidates: Flanagan and Leino 2001. Induction over several steps: Sheeran, Singh and Stålmarck 2000.

mod candidates;
mod claim;
mod cones;
mod evidence;
mod findings;
mod guarantee;
mod induction;
mod lemma;
mod listing;
mod outcomes;
mod plays;
mod proofs;
mod properties;
mod property_name;
mod prove;
mod pruning;
mod ranking;
mod reason;
#[cfg(test)]
mod recheck;
mod reconcile;
mod solver;
mod statement;
mod sum_clauses;
mod unrolling;
mod walks;
mod weighted;
mod weights;

pub use guarantee::Guarantee;
pub use outcomes::{Outcome, OutcomeTally, Source};
pub use plays::Moves;
pub use proofs::{ProofSummary, Proofs};
pub use property_name::{ProofMethod, PropertyName};
pub use prove::{ProofBudget, prove};
pub use reason::{Bound, NoProof, NotSearched, Reason, Record, SearchEnd, Sighting, Subject};
pub use reconcile::reconcile;
pub use statement::Property;
