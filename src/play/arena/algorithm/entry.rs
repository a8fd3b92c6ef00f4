//! The description of an algorithm in the registry, and the type-erased entry.

use std::fmt;

use crate::catalog::{CatalogEntry, OptionEntry, OptionSet, OptionValues};

use super::super::prepared_game::PrepareError;
use super::super::search_player::SearchPlayer;
use super::candidate::{Candidate, GameClass};
use super::context::PlayerContext;

/// The games that an algorithm plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Games {
    /// All games.
    All,
    /// Games of one role.
    OneRole,
    /// Games of two teams.
    TwoTeams,
    /// Games of two or more teams.
    SeveralTeams,
}

impl Games {
    /// Whether these include games with this number of teams.
    pub fn have_teams(self, teams: usize) -> bool {
        match self {
            Games::All | Games::OneRole => true,
            Games::TwoTeams => teams == 2,
            Games::SeveralTeams => teams >= 2,
        }
    }

    /// Whether these include games with this number of roles.
    pub fn have_roles(self, roles: usize) -> bool {
        self != Games::OneRole || roles == 1
    }
}

/// The evaluation functions of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionUse {
    /// No function.
    None,
    /// The functions that its line names.
    Named,
    /// Functions that suit the game, of the kinds in [`SUITABLE`](crate::arena::SUITABLE).
    Chosen,
}

/// The description of an algorithm.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its name in a player's line.
    pub name: &'static str,
    /// A short description.
    pub title: &'static str,
    /// The games it plays.
    pub games: Games,
    /// The games in words, with the assumptions about other roles.
    pub handles: &'static str,
    /// Whether it plays games in which the role `random` moves at random. Otherwise these games are refused.
    pub chance: bool,
    /// The source of the algorithm; may be empty.
    pub source: &'static str,
    /// The evaluation functions that it uses.
    pub functions: FunctionUse,
    /// The text of its file; the lines that start with `//!` are its documentation.
    pub text: &'static str,
}

/// An algorithm for players.
pub trait Algorithm {
    /// Its options.
    type Options: OptionSet;

    /// The description of the algorithm.
    const ABOUT: About;

    /// Makes a player for a role of a game that is among its games.
    ///
    /// # Errors
    /// An evaluation function does not exist, or the algorithm does not suit the game for another reason.
    fn player<'m>(
        context: &PlayerContext<'_, 'm>,
        options: &Self::Options,
    ) -> Result<SearchPlayer<'m>, PrepareError>;

    /// The number of threads of a search.
    fn threads(_options: &Self::Options) -> usize {
        1
    }

    /// The players with this algorithm that `auto` may choose for a game.
    fn candidates(_game: &GameClass) -> Vec<Candidate> {
        Vec::new()
    }
}

type Make = for<'m> fn(&PlayerContext<'_, 'm>) -> Result<SearchPlayer<'m>, PrepareError>;

/// An algorithm as an entry of the registry.
#[derive(Clone, Copy)]
pub struct AlgorithmEntry {
    about: About,
    options: fn() -> Vec<OptionEntry>,
    make: Make,
    threads: fn(&OptionValues) -> usize,
    candidates: fn(&GameClass) -> Vec<Candidate>,
}

impl AlgorithmEntry {
    /// The entry of an algorithm.
    pub const fn of<A: Algorithm>() -> AlgorithmEntry {
        AlgorithmEntry {
            about: A::ABOUT,
            options: A::Options::entries,
            make: |context| A::player(context, &A::Options::of(context.options)),
            threads: |options| A::threads(&A::Options::of(options)),
            candidates: A::candidates,
        }
    }

    /// The pattern of its lines: its name, and a placeholder if it takes a function.
    pub fn line(&self) -> String {
        let function = if self.about.functions == FunctionUse::Named { ":FUNCTION" } else { "" };
        format!("{}{function}", self.about.name)
    }

    /// The description of the algorithm.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Makes a player.
    ///
    /// # Errors
    /// See [`Algorithm::player`].
    pub(in crate::arena) fn player<'m>(
        &self,
        context: &PlayerContext<'_, 'm>,
    ) -> Result<SearchPlayer<'m>, PrepareError> {
        (self.make)(context)
    }

    /// The number of threads of a search with these options.
    pub fn threads(&self, options: &OptionValues) -> usize {
        (self.threads)(options)
    }

    /// The players with this algorithm that `auto` may choose for a game.
    pub fn candidates(&self, game: &GameClass) -> Vec<Candidate> {
        (self.candidates)(game)
    }
}

impl CatalogEntry for AlgorithmEntry {
    fn name(&self) -> &'static str {
        self.about.name
    }

    fn title(&self) -> &'static str {
        self.about.title
    }

    fn source(&self) -> &'static str {
        self.about.source
    }

    fn text(&self) -> &'static str {
        self.about.text
    }

    fn remark(&self) -> String {
        format!("`{}`, for {}.", self.line(), self.about.handles)
    }

    fn options(&self) -> Vec<OptionEntry> {
        (self.options)()
    }
}

impl PartialEq for AlgorithmEntry {
    fn eq(&self, other: &AlgorithmEntry) -> bool {
        self.about.name == other.about.name
    }
}

impl Eq for AlgorithmEntry {}

impl fmt::Debug for AlgorithmEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.about.name)
    }
}
