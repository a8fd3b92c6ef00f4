//! Any text parses as a state or as moves, or gives an error with a message. `ggp env`, `ggp eval` and `--state` read such
//! text. A parsed state reads back unchanged; parsed moves lead to the states that the machine computes.
//!
//! The first byte selects the game: one in which roles take turns, or one in which all roles move at once. The first line is
//! the state, and the other lines are moves.
#![no_main]

use std::cell::OnceCell;

use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, Machine, State, load};
use ggp::report::facts::facts;
use ggp::simulate::{MoveReader, StateReader};
use libfuzzer_sys::fuzz_target;

thread_local!(static GAMES: OnceCell<[Box<dyn Machine>; 2]> = const { OnceCell::new() });

fn games() -> [Box<dyn Machine>; 2] {
    [include_str!("../../games/tic_tac_toe.kif"), include_str!("../../games/rock_paper_scissors.kif")].map(
        |text| {
            let description = read(&Source::from_text("game", text)).description.expect("the game is sound");
            load(description, Backend::Auto, &Limits::default()).expect("the game is small").machine
        },
    )
}

fn reads(machine: &dyn Machine, text: &str) -> Option<State> {
    match StateReader::new(machine).read(text) {
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
        Ok(state) => {
            let atoms: Vec<String> = facts(machine, &state).iter().map(ToString::to_string).collect();
            let again = StateReader::new(machine).of_atoms(&atoms).expect("what was read can be read again");
            assert_eq!(again, state);
            Some(state)
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&which, rest)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(rest);
    let (state, moves) = text.split_once('\n').unwrap_or((&text, ""));
    GAMES.with(|machines| {
        let machine = &*machines.get_or_init(games)[usize::from(which & 1)];
        let from = reads(machine, state).unwrap_or_else(|| machine.initial().clone());
        match MoveReader::new(machine).path(moves, &from) {
            Err(error) => assert!(!error.to_string().is_empty()),
            Ok(path) => {
                let mut cursor = machine.cursor();
                cursor.set(&from).expect("a state that was read can be evaluated");
                for (joint, after) in path {
                    cursor.advance(&joint).expect("a move that was read can be made");
                    assert_eq!(*cursor.state(), after);
                }
            }
        }
    });
});
