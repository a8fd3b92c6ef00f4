//! Histories of a match that are consistent with a player's percepts: if moves are hidden, any of them may be the true
//! one. A player of `ggp serve` chooses its moves by them.

use std::collections::BTreeSet;
use std::time::Instant;

use super::super::percepts::Percepts;
use crate::gdl::Description;
use crate::machine::{MoveId, State, StateView};
use crate::simulate::Choices;

/// Limit of stored histories; of more consistent ones a random sample is stored.
const MAX_HISTORIES: usize = 64;

/// Limit of joint moves that are tried in a step, for all histories together; of more a random sample is tried.
const MAX_JOINT_MOVES: usize = 4_000;

/// A possible history of the match.
struct History {
    state: State,
    joints: Vec<Vec<String>>,
}

/// Histories that are consistent with a role's percepts.
pub(super) struct Beliefs {
    percepts: Percepts,
    role: usize,
    histories: Vec<History>,
    steps: u64,
}

impl Beliefs {
    /// Begins after known joint moves, in normalised spelling; none if the rules define no percepts.
    ///
    /// # Errors
    /// The reason why the rules can't be played with percepts.
    pub(super) fn new(
        description: &Description,
        role: usize,
        known: &[Vec<String>],
    ) -> Result<Option<Beliefs>, String> {
        let percepts = Percepts::new(description, || description.kif())?;
        let Some(percepts) = percepts else { return Ok(None) };
        let mut state = percepts.initial().clone();
        for joint in known {
            state = percepts.after(&state, joint)?;
        }
        let histories = vec![History { state, joints: known.to_vec() }];
        Ok(Some(Beliefs { percepts, role, histories, steps: known.len() as u64 }))
    }

    /// Extends the histories by a step that agrees with the player's move and percepts, both in normalised spelling. No
    /// more joint moves are tried after `deadline`. Returns whether a history is consistent; if none is, an
    /// inconsistent one is stored.
    pub(super) fn perceive(
        &mut self,
        own_move: &str,
        perceived: &BTreeSet<String>,
        deadline: Instant,
    ) -> bool {
        let each = (MAX_JOINT_MOVES / self.histories.len().max(1)).max(8);
        let mut chance = Choices::new(self.steps, 0);
        self.steps += 1;
        let (mut fitting, mut other): (Vec<History>, Option<History>) = (Vec::new(), None);
        let mut states: BTreeSet<State> = BTreeSet::new();
        let mut cursor = self.percepts.cursor();
        for history in &self.histories {
            if cursor.set(&history.state).is_err() || cursor.terminal() {
                continue;
            }
            let choices = choices(&self.percepts, &*cursor, self.role, own_move);
            let all = choices.iter().fold(1, |product: usize, moves| product.saturating_mul(moves.len()));
            for number in 0..all.min(each) {
                if Instant::now() > deadline && !(fitting.is_empty() && other.is_none()) {
                    break;
                }
                // If there are many joint moves, a sample is drawn.
                let mut rest = if all > each { chance.below(all) } else { number };
                let joint: Vec<MoveId> = choices
                    .iter()
                    .map(|moves| {
                        let action = moves[rest % moves.len()];
                        rest /= moves.len();
                        action
                    })
                    .collect();
                if cursor.set(&history.state).and_then(|()| cursor.advance(&joint)).is_err() {
                    continue;
                }
                let state = cursor.state();
                let seen: BTreeSet<String> =
                    self.percepts.of(state).swap_remove(self.role).into_iter().collect();
                let fits = seen == *perceived;
                if if fits { !states.insert(state.clone()) } else { other.is_some() } {
                    continue;
                }
                let text = |&action: &MoveId| self.percepts.move_text(action);
                let mut joints = history.joints.clone();
                joints.push(joint.iter().map(text).collect());
                let extended = History { state: state.clone(), joints };
                match fits {
                    false => other = Some(extended),
                    true if fitting.len() < MAX_HISTORIES => fitting.push(extended),
                    true => {
                        let place = chance.below(states.len());
                        if place < MAX_HISTORIES {
                            fitting[place] = extended;
                        }
                    }
                }
            }
        }
        drop(cursor);
        let fits = !fitting.is_empty();
        let histories: Vec<History> = if fits { fitting } else { other.into_iter().collect() };
        if !histories.is_empty() {
            self.histories = histories;
        }
        fits
    }

    /// The joint moves of one of the histories.
    pub(super) fn guess(&self) -> &[Vec<String>] {
        self.histories.first().map_or(&[], |history| &history.joints)
    }
}

/// The possible moves of each role: the own move, or any legal one if it is not legal; all legal moves of the others.
fn choices(percepts: &Percepts, state: &dyn StateView, role: usize, own_move: &str) -> Vec<Vec<MoveId>> {
    let roles = percepts.roles();
    (0..roles)
        .map(|other| {
            let legal = state.legal(other);
            let is = |action: &&MoveId| percepts.move_text(**action) == own_move;
            match legal.iter().find(is).filter(|_| other == role) {
                Some(&action) => vec![action],
                None => legal.to_vec(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::gdl::{Source, read};

    /// One role hides a card, the other guesses twice and learns whether it is right.
    const GUESSING: &str = "(role guesser) (role hider) (card red) (card black) (card white) (init (step 1))
        (<= (legal hider (hide ?c)) (true (step 1)) (card ?c)) (<= (legal hider rest) (not (true (step 1))))
        (<= (legal guesser wait) (true (step 1))) (<= (legal guesser (say ?c)) (not (true (step 1))) (card ?c))
        (<= (sees guesser (answer right)) (true (hidden ?c)) (does guesser (say ?c)))
        (<= (sees guesser (answer wrong)) (does guesser (say ?c)) (not (true (hidden ?c))))
        (<= (sees hider (heard ?c)) (next (said ?c)))
        (<= (next (hidden ?c)) (does hider (hide ?c))) (<= (next (hidden ?c)) (true (hidden ?c)))
        (<= (next (said ?c)) (does guesser (say ?c)))
        (<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2))) (<= (next (step 4)) (true (step 3)))
        (<= terminal (true (step 4))) (goal guesser 50) (goal hider 50)";

    #[test]
    fn percepts_exclude_histories() {
        let description = read(&Source::from_text("guessing", GUESSING)).description.unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        let set = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<BTreeSet<_>>();
        let mut guesser = Beliefs::new(&description, 0, &[]).unwrap().unwrap();
        assert!(guesser.perceive("wait", &set(&[]), until));
        assert_eq!(guesser.histories.len(), 3);
        assert!(guesser.perceive("(say red)", &set(&["(answer wrong)"]), until));
        assert_eq!(guesser.histories.len(), 2);
        assert!(guesser.guess()[0][1] != "(hide red)", "{:?}", guesser.guess());
        assert!(guesser.perceive("(say white)", &set(&["(answer right)"]), until));
        let expected = [["wait", "(hide white)"], ["(say red)", "rest"], ["(say white)", "rest"]];
        assert_eq!(guesser.guess(), expected);
        // The hider sees the guess in the state after it.
        let mut hider = Beliefs::new(&description, 1, &[]).unwrap().unwrap();
        assert!(hider.perceive("(hide red)", &set(&[]), until));
        assert!(hider.perceive("rest", &set(&["(heard black)"]), until));
        assert_eq!(hider.guess(), [["wait", "(hide red)"], ["(say black)", "rest"]]);
        // Inconsistent percepts are detected, and the match continues.
        assert!(!hider.perceive("rest", &set(&["(heard nothing)"]), until));
        assert_eq!(hider.guess().len(), 3);
    }
}
