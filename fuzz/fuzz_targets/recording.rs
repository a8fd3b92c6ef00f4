//! Any bytes parse as traces or match records, or give an error with its line number. Replaying a parsed recording succeeds
//! or gives an error with a message.
#![no_main]

use std::cell::OnceCell;
use std::io::Cursor;
use std::path::Path;

use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, Machine, load};
use ggp::simulate::{MoveReader, Recordings};
use libfuzzer_sys::fuzz_target;

thread_local!(static GAME: OnceCell<Box<dyn Machine>> = const { OnceCell::new() });

fn game() -> Box<dyn Machine> {
    let source = Source::from_text("nim", include_str!("../../games/nim.kif"));
    let description = read(&source).description.expect("the game is sound");
    load(description, Backend::Auto, &Limits::default()).expect("the game is small").machine
}

fuzz_target!(|bytes: &[u8]| {
    let lines = Box::new(Cursor::new(bytes.to_vec()));
    for recording in Recordings::from_reader(Path::new("trace.jsonl"), "nim.kif", lines) {
        match recording {
            Err(error) => assert!(error.to_string().starts_with("trace.jsonl:")),
            Ok(recording) => GAME.with(|machine| {
                let machine = &**machine.get_or_init(game);
                if let Err(error) = MoveReader::new(machine).path_of(&recording) {
                    assert!(!error.to_string().is_empty());
                }
            }),
        }
    }
});
