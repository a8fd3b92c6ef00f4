//! An evaluation function of your own: alpha-beta plays Breakthrough with a count of pawns, against random moves.
#![allow(clippy::print_stdout, reason = "the program prints its result")]

use ggp::{AlphaBetaOptions, Conditions, Deepening, FluentId, LoadedGame, Match, Measure, Player};
use ggp::{RandomMoves, SearchContext, SearchPlayer, ValuedState};

/// White's pawns minus black's, from -16 to 16.
struct Pawns {
    white: Vec<FluentId>,
    black: Vec<FluentId>,
}

impl Measure<'_> for Pawns {
    fn value(&mut self, state: &ValuedState<'_>) -> f64 {
        let count = |pawns: &[FluentId]| pawns.iter().filter(|&&pawn| state.facts.contains(pawn)).count();
        count(&self.white) as f64 - count(&self.black) as f64
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let game = LoadedGame::open("games/breakthrough.kif")?;
    let machine = game.machine();
    // The facts `(pawn white a 1)` to `(pawn white h 8)`, if the rules allow them.
    let pawn = |colour, file, rank| machine.fluent_named(&format!("(pawn {colour} {file} {rank})"));
    let files = |colour, rank| "abcdefgh".chars().filter_map(move |file| pawn(colour, file, rank));
    let pawns = |colour| (1..=8).flat_map(|rank| files(colour, rank)).collect();
    let measure = Pawns { white: pawns("white"), black: pawns("black") };

    let (white, options) = (SearchContext::alone(machine, 0), AlphaBetaOptions::default());
    let search = Deepening::with_measure(white, Box::new(measure), [-16.0, 16.0], options);
    let random = RandomMoves::new(machine, 1, 1);
    let mut players: [Box<dyn Player>; 2] = [
        Box::new(SearchPlayer::new("pawns".to_owned(), Box::new(search)).depth(3)),
        Box::new(SearchPlayer::new("random".to_owned(), Box::new(random)).instant()),
    ];
    let played = Match::play(machine, &mut players, &Conditions::default(), None, &mut |_| {})?;
    let goals: Vec<i32> = played.goals.into_iter().flatten().flatten().collect();
    println!("{} moves; points of white and black (100 for a win): {goals:?}", played.moves.len());
    Ok(())
}
