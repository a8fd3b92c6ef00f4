//! The worker's side of a search for a master.

use std::time::{Duration, Instant};

use crate::cluster::{Question as ClusterQuestion, Searches};
use crate::evaluation::Document;
use crate::gdl::{Source, read};
use crate::ground::Limits as Budget;
use crate::machine::{Backend, load};
use crate::search::{AlphaBetaOptions, Deepening, Limits, Search, SearchContext, SearchResult};
use crate::simulate::StateReader;

use super::letters::{Answer, Question, Setup};

/// A worker stops this long before the master's clock ends, so that the answer arrives in time.
const ANSWER_DELAY: Duration = Duration::from_millis(5);

/// Searches for masters, with the functions that they send.
#[derive(Clone, Copy, Debug, Default)]
pub struct RemoteSearches;

impl Searches for RemoteSearches {
    fn serve(
        &self,
        setup: &[u8],
        next: &mut dyn FnMut() -> Option<ClusterQuestion>,
        say: &dyn Fn(Vec<u8>),
    ) -> Result<(), String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let setup: Setup = serde_json::from_slice(setup).map_err(|error| text(&error))?;
        let source = Source::from_text("game", setup.rules.as_str()).case_sensitive(setup.case_sensitive);
        let description = read(&source).description.ok_or("the rules have errors")?;
        let loaded = load(description, Backend::Auto, &Budget::default()).map_err(|error| text(&error))?;
        let machine = &*loaded.machine;
        let roles = machine.description().roles.len();
        if setup.role >= roles || setup.teams.iter().flatten().any(|&role| role >= roles) {
            return Err("the game has no such role".to_owned());
        }
        let context = SearchContext::in_team(machine, setup.role, &setup.teams);
        let options = AlphaBetaOptions { table: setup.table, ..AlphaBetaOptions::default() };
        let search = match &setup.document {
            Some(document) => {
                let document = Document::parse(document.as_bytes()).map_err(|error| text(&error))?;
                Deepening::new(context, &document.function, options).map_err(|error| text(&error))?
            }
            None => Deepening::plain(context, options),
        };
        let mut search = search.with_ties(setup.ties);
        while let Some(request) = next() {
            let start = Instant::now();
            let question: Question = serde_json::from_slice(&request.bytes).map_err(|error| text(&error))?;
            let send_answer = |result: &SearchResult, last: bool| {
                let answer = Answer {
                    turn: question.turn,
                    action: result.action.map(|action| machine.move_text(action)),
                    value: result.value,
                    proved: result.proved,
                    depth: result.depth,
                    nodes: result.nodes,
                    last,
                };
                if let Ok(bytes) = serde_json::to_vec(&answer) {
                    say(bytes);
                }
            };
            let state =
                StateReader::new(machine).read(&serde_json::to_string(&question.state).unwrap_or_default());
            let state = state.map_err(|error| text(&error))?;
            let time = question.seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            let limits = Limits {
                depth: question.depth,
                nodes: question.nodes,
                deadline: time.map(|time| start + time.saturating_sub(ANSWER_DELAY)),
                interrupt: Some(&request.stop),
                children: None,
            };
            let result = search
                .search(&state, &limits, &mut |result| send_answer(result, false))
                .map_err(|error| text(&error))?;
            send_answer(&result, true);
        }
        Ok(())
    }
}
