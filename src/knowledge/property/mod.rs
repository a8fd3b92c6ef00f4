//! What is proved of a game: properties of the whole, and findings, for all states that can be reached.
//!
//! What random play did not refute is proved over the network, by induction with a SAT solver; what is false comes with a
//! play that shows it. Nothing else than the network is looked at, so that a game without one has its properties from
//! play alone.
//!
//! # Files
//! - `prove.rs` calls everything in order. `analysis/proofs.rs` is the stage, `report/properties.rs` the
//!   wording.
//! - Lemmas: `candidates.rs` proposes them. `induction.rs` proves them: `dropping.rs` finds the largest set
//!   that supports itself, and `walks.rs` finds what else fails after a counterexample.
//! - The solver: `unrolling.rs` writes steps as clauses, `solver.rs` limits the work.
//! - Claims: `findings.rs` (of detectors), `properties.rs` (of the game), `reason.rs` (why each holds or
//!   fails).
//! - Termination: `ranking.rs`, and `weighted.rs` with `weights.rs` (linear programs) and `sum_clauses.rs`
//!   (sums as clauses).
//! - Plays: `plays.rs` keeps witnesses, `short_plays.rs` shortens them, `listing.rs` lists all states of small
//!   games.
//! - Evidence: `evidence.rs` is what play settles, `outcomes.rs` and `reconcile.rs` what later stages reached.
//! - Tests: `tests/analysis/proofs.rs`, `tests/analysis/weighted_sums.rs`, and `recheck.rs`, which repeats
//!   proofs with a second solver. `reports/sweeping.md` says what networks would gain from the lemmas.
//!
//! # Source
//! Termination, playability, monotonicity, winnability and well-formedness: Love et al., Game Description Language
//! Specification 2008. Proofs by induction of properties of games: Schiffel and Thielscher 2009; Haufe, Schiffel and
//! Thielscher 2012, with answer sets, one property at a time. Candidates taken together: Flanagan and Leino 2001.
//! Induction over several steps: Sheeran, Singh and Stålmarck 2000.

mod candidates;
mod claim;
mod cones;
mod evidence;
mod findings;
mod induction;
mod lemma;
mod listing;
mod outcomes;
mod plays;
mod properties;
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

pub use outcomes::{Outcome, OutcomeTally, Source};
pub use plays::Moves;
pub use prove::{Guarantee, ProofBudget, ProofSummary, Proofs, prove};
pub use reason::{Bound, NoProof, NotSearched, Reason, Record, SearchEnd, Sighting, Subject};
pub use reconcile::reconcile;
pub use statement::{ProofMethod, Property, PropertyName};
