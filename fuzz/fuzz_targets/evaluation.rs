//! Any bytes parse as an evaluation document or give an error with its place in the text. A parsed document reads back
//! unchanged from its own output, and its function runs on its game or is refused.
#![no_main]

use std::cell::OnceCell;

use ggp::evaluation::Document;
use ggp::feature::StateEvaluator;
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, Machine, load};
use ggp::report::evaluation_files::to_json;
use libfuzzer_sys::fuzz_target;

thread_local!(static GAME: OnceCell<Box<dyn Machine>> = const { OnceCell::new() });

fn game() -> Box<dyn Machine> {
    let source = Source::from_text("tic_tac_toe", include_str!("../../games/tic_tac_toe.kif"));
    let description = read(&source).description.expect("the game is sound");
    load(description, Backend::Auto, &Limits::default()).expect("the game is small").machine
}

fuzz_target!(|bytes: &[u8]| {
    match Document::parse(bytes) {
        Err(error) => {
            if let Some(place) = error.place() {
                assert!(place.line >= 1 && place.column >= 1);
            }
            assert!(!error.to_string().is_empty());
        }
        Ok(document) => {
            let again = Document::parse(to_json(&document).expect("a document is JSON").as_bytes());
            let again = again.expect("what was read can be read again");
            assert_eq!(again.function, document.function);
            GAME.with(|machine| {
                let machine = &**machine.get_or_init(game);
                if let Ok(mut measure) = document.function.bind(machine) {
                    let mut state_evaluator = StateEvaluator::new(machine);
                    let position = state_evaluator.at(machine.initial()).expect("the initial state can be evaluated");
                    assert!(measure.value(&position).is_finite());
                }
            });
        }
    }
});
