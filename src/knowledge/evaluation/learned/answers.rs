//! A second ply in games that are learned from: what is left of a role's best moves once the best answer to each is seen.
//!
//! One ply ahead both sides walk into every threat that is carried out with the next move, and the outcomes of such games say more
//! of who overlooked what than of the states.

use crate::machine::lanes::frontier::ValuedChildren;
use crate::machine::{ChildFields, MoveId, State, Until};

use super::error::LearningError;
use super::self_play::{Room, worth};
use super::table::Look;

/// Moves of a role whose answers are looked at, at most, and answers looked at for a role in a state, about.
const MOVES: usize = 8;
const ANSWERS: usize = 128;

/// Moves of a role in all of a game, at most: the answers to one move go through lanes without a look at the interrupt.
pub(super) const MOST_MOVES: usize = 1 << 16;

/// Answers valued together, about.
const TOGETHER: usize = 4096;

/// Answers that take as long as a successor that is looked at alone, as all of a state go into a pass, about.
const AS_ONE: u64 = 4;

/// What answers tell of a state.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Backed {
    /// What all roles have of its best move, 0 to 1.
    pub(super) values: Vec<f64>,
    /// One of the states after its moves, with what all roles have of that.
    pub(super) aside: Option<(State, Vec<f64>)>,
}

/// Moves whose answers are looked at.
struct Answered {
    /// For each its look, by number, and the place of its value.
    moves: Vec<(usize, usize)>,
    /// The states after those that were valued by answers, by the number of the move, ascending.
    states: Vec<(usize, State)>,
}

impl Room<'_> {
    /// Values the best moves of each look again, by the answer to it that is worst for who looks: all others are worth no more
    /// than the worst of these. Gives for each look what was found; none where nothing was looked at. All looks are of one role;
    /// `states` and `moves` are those of the successors of all of them.
    ///
    /// # Errors
    /// A state can't be evaluated, or it has to end.
    pub(super) fn look_at_answers(
        &mut self,
        states: &[&State],
        moves: &[MoveId],
        looks: &[Look],
    ) -> Result<Vec<Option<Backed>>, LearningError> {
        let mut found = vec![None; looks.len()];
        let Some(role) = looks.first().map(|look| look.role) else { return Ok(found) };
        if self.frontiers[role].is_none() {
            return Ok(found);
        }
        let answered = self.answered(states, moves, looks)?;
        let of_all = |value: f64| -> Vec<f64> {
            let of_role = |other: usize| if other == role { value } else { 1.0 - value };
            (0..self.manner.seats.len()).map(of_role).collect()
        };
        let mut end = 0;
        for of_look in answered.moves.chunk_by(|(one, _), (other, _)| one == other) {
            let begin = end;
            end += of_look.len();
            let (number, look) = (of_look[0].0, &looks[of_look[0].0]);
            let values = of_look.iter().map(|&(_, place)| self.values[place]);
            let (worst, best) = values
                .fold((1.0, 0.0), |(worst, best), value| (f64::min(worst, value), f64::max(best, value)));
            for place in look.first..look.first + look.moves.len() {
                if !of_look.iter().any(|&(_, of)| of == place) {
                    self.values[place] = self.values[place].min(worst);
                }
            }
            let drawn = begin + look.draw % of_look.len();
            let aside = answered.states.binary_search_by_key(&drawn, |&(number, _)| number).ok();
            let value = self.values[answered.moves[drawn].1];
            let aside = aside.map(|place| (answered.states[place].1.clone(), of_all(value)));
            found[number] = Some(Backed { values: of_all(best), aside });
        }
        Ok(found)
    }

    /// Values the best moves of looks by the answers to them.
    fn answered(
        &mut self,
        states: &[&State],
        joints: &[MoveId],
        looks: &[Look],
    ) -> Result<Answered, LearningError> {
        let roles = self.manner.seats.len();
        let (role, base) = (looks[0].role, looks[0].first);
        let mut moves: Vec<(usize, usize)> = Vec::new();
        for (number, look) in looks.iter().enumerate().filter(|(_, look)| look.answers == 1) {
            let most = (ANSWERS / look.moves.len().max(1)).min(MOVES);
            if most < 2 {
                continue;
            }
            let mut best: Vec<usize> = (look.first..look.first + look.moves.len()).collect();
            best.sort_by(|&a, &b| self.values[b].total_cmp(&self.values[a]).then(a.cmp(&b)));
            moves.extend(best.into_iter().take(most).map(|place| (number, place)));
        }
        let before: Vec<&State> = moves.iter().map(|&(_, place)| states[place - base]).collect();
        let of_move =
            |&(_, place): &(usize, usize)| &joints[(place - base) * roles..(place - base + 1) * roles];
        let played: Vec<MoveId> = moves.iter().flat_map(of_move).copied().collect();
        let wanted = ChildFields { choices: true, ..ChildFields::PLIES };
        self.expander.advance(&before, &played, wanted, &mut self.children)?;
        self.spend(moves.len() as u64)?;
        // A move that ends the game is worth what is known of it, and where several choose at once nobody answers.
        let choosers = |child: usize| (0..roles).filter(|&other| self.children.chooses(child, other)).count();
        let open: Vec<usize> =
            (0..moves.len()).filter(|&child| !self.children.terminal(child) && choosers(child) < 2).collect();
        let words: Vec<&[u64]> = open.iter().map(|&child| self.children.state(child)).collect();
        let (mut valued, mut answers) = (0, 0);
        while valued < words.len() {
            let Some(frontier) = &mut self.frontiers[role] else { break };
            // Of what has too many answers to be listed nothing is known, nor of those after it.
            let Ok(expanded) =
                frontier.expand_each(Until::DONE, &words[valued..], TOGETHER, &mut self.valued)
            else {
                break;
            };
            let worth = |child: usize| worth(&self.valued, child, role, self.manner.rewards);
            for state in 0..expanded {
                if let Some(value) = backed_up(&self.valued, state, role, worth) {
                    self.values[moves[open[valued + state]].1] = value;
                }
            }
            answers += self.valued.children.len() as u64;
            self.watch.spend(0)?;
            valued += expanded.max(1);
        }
        let states = open[..valued.min(open.len())].iter().zip(&words);
        let states = states.map(|(&number, &words)| (number, State(words.into()))).collect();
        self.spend(answers / AS_ONE)?;
        Ok(Answered { moves, states })
    }
}

/// What a role has of a state in which one role at most chooses, by what it has of its children: the most where it chooses itself,
/// the least where another one does; none where there is no child.
fn backed_up(
    valued: &ValuedChildren,
    state: usize,
    role: usize,
    worth: impl Fn(usize) -> f64,
) -> Option<f64> {
    let mut children = valued.of(state);
    let own = |child: usize| valued.children.joint(child)[role];
    let chooses = children.clone().any(|child| own(child) != own(children.start));
    let worst_or_best = if chooses { f64::max } else { f64::min };
    let first = worth(children.next()?);
    Some(children.map(worth).fold(first, worst_or_best))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::conjunctions::Conjunctions;
    use super::super::none_of::NoneOf;
    use super::super::policy::Policy;
    use super::super::self_play::{Manner, play_all};
    use crate::gdl::{Source, read};
    use crate::ground::Limits;
    use crate::machine::{Backend, ChildFields, JointMoves, load};
    use crate::simulate::Watch;

    /// Who knows nothing but how a game ends, and looks at the answers, never leaves the other a row to complete where that can
    /// be helped; who does not look leaves many.
    #[test]
    fn threats_are_seen_by_who_looks_at_the_answers() {
        let description = read(&Source::load("../../games/tic_tac_toe.kif").unwrap()).description.unwrap();
        let loaded = load(description, Backend::Auto, &Limits::default()).unwrap();
        let machine = &*loaded.machine;
        let conjunctions = Arc::new(Conjunctions::new(Vec::new(), &[0; 128]));
        let none_of = Arc::new(NoneOf::new(machine.initial().0.len(), Vec::new()));
        let ignorant = Policy { none_of, conjunctions, ..Policy::default() };
        let seats = [Some(&ignorant), Some(&ignorant)];
        let overlooked = |answered: bool| {
            let manner = Manner {
                seats: &seats,
                way: &[],
                opening: 0,
                noise: 0.0,
                max_steps: 20,
                rewards: &[[0, 100], [0, 100]],
                seed: 1,
                kept: true,
                answered,
            };
            let games = play_all(machine, &manner, 0..100, &Watch::default()).unwrap();
            let mut expander = machine.expander();
            // Whether who is to move in a state can end the game there and then.
            let mut wins = |state: &crate::machine::State| {
                let mut children = crate::machine::Children::default();
                expander.expand(state, JointMoves::All, ChildFields::PLIES, &mut children).unwrap();
                (0..children.len()).any(|child| {
                    children.terminal(child) && (0..2).any(|role| children.goals(child, role) == [100])
                })
            };
            let mut left = 0;
            for game in &games {
                assert_eq!(game.states.len(), game.backed.len());
                for (place, pair) in game.states.windows(2).enumerate() {
                    let Some(backed) = &game.backed[place] else { continue };
                    let chooser = game.choosers[place].trailing_zeros() as usize;
                    // What is promised to who chooses is kept: no row of the other's is left open.
                    assert!(backed.values[chooser] < 0.4 || !wins(&pair[1]), "{game:?}");
                }
                left += game.states.windows(2).filter(|pair| wins(&pair[1])).count();
            }
            left
        };
        let (with, without) = (overlooked(true), overlooked(false));
        assert!(with * 3 < without * 2, "{with} rows left open by who looks, {without} by who does not");
    }
}
