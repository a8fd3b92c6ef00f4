//! Serves a player of your own over the GGP protocol. It plays the move that leaves the other players the fewest moves.
#![allow(clippy::print_stdout, reason = "the program prints its address")]

use ggp::{Machine, MoveId, Player, PlayerResult, PreparedGame, SearchResult, Server, ServerSettings};
use ggp::{Service, State, Turn, TurnError};

struct FewestReplies<'m>(&'m dyn Machine, usize); // the game, and the player's role from 0

impl Player for FewestReplies<'_> {
    fn name(&self) -> &str {
        "fewest-replies"
    }

    fn choose(&mut self, state: &State, _: &Turn<'_>) -> Result<SearchResult, TurnError> {
        let (mut cursor, roles) = (self.0.cursor(), 0..self.0.description().roles.len());
        cursor.set(state)?;
        let mut joint: Vec<MoveId> = roles.clone().map(|role| cursor.legal(role)[0]).collect();
        let mut best = (usize::MAX, None); // the number of replies, and the move
        for action in cursor.legal(self.1).to_vec() {
            joint[self.1] = action;
            cursor.set(state)?;
            cursor.advance(&joint)?;
            let others = roles.clone().filter(|&role| role != self.1);
            best = best.min((others.map(|role| cursor.legal(role).len()).sum(), Some(action)));
        }
        Ok(SearchResult { action: best.1, ..SearchResult::nothing() })
    }
}

fn player<'m>(game: &PreparedGame<'m>, role: usize, _seed: u64) -> PlayerResult<'m> {
    Ok(Box::new(FewestReplies(game.machine(), role)))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port = std::env::args().nth(1).map_or(Ok(9147), |port| port.parse())?;
    let settings = ServerSettings::with_factory("fewest-replies", player);
    let server = Server::bind(("127.0.0.1", port), Service::default(), settings)?;
    println!("listens at http://{}", server.address()?);
    Ok(server.run(&std::sync::atomic::AtomicBool::new(false))?)
}
