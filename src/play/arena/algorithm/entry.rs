//! What a player's algorithm says of itself, and how it is made a player.

use std::fmt;

use crate::catalog::{CatalogEntry, OptionEntry, OptionSet, OptionValues};

use super::super::prepared_game::PrepareError;
use super::super::search_player::SearchPlayer;
use super::candidate::{Candidate, GameClass};
use super::context::PlayerContext;

/// The games that an algorithm plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Games {
    /// All.
    All,
    /// Those of one role.
    OneRole,
    /// Those in which two teams play.
    TwoTeams,
    /// Those in which two or more teams play.
    SeveralTeams,
}

impl Games {
    /// Whether games with so many teams are among them.
    pub fn have_teams(self, teams: usize) -> bool {
        match self {
            Games::All | Games::OneRole => true,
            Games::TwoTeams => teams == 2,
            Games::SeveralTeams => teams >= 2,
        }
    }

    /// Whether games with so many roles are among them.
    pub fn have_roles(self, roles: usize) -> bool {
        self != Games::OneRole || roles == 1
    }
}

/// Which evaluation functions a player plays by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionUse {
    /// None.
    None,
    /// Those that its line names.
    Named,
    /// Those that suit the game, of [`SUITABLE`](crate::arena::SUITABLE) kinds.
    Chosen,
}

/// What an algorithm says of itself.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its name in a player's line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// The games it plays.
    pub games: Games,
    /// The same in words, with what it takes others to do.
    pub handles: &'static str,
    /// Whether it plays games in which the role `random` draws its moves. If not, it is refused in these games.
    pub chance: bool,
    /// Where it comes from; empty where nobody has to be named.
    pub source: &'static str,
    /// Which evaluation functions belong to it.
    pub functions: FunctionUse,
    /// The file that describes it; the lines that start with `//!` are its documentation.
    pub text: &'static str,
}

/// An algorithm that players are made of.
pub trait Algorithm {
    /// Its options.
    type Options: OptionSet;

    /// What is said of it.
    const ABOUT: About;

    /// Makes a player for a role of a game that is among its games.
    ///
    /// # Errors
    /// An evaluation function is not there, or the algorithm does not fit the game for another reason.
    fn player<'m>(
        context: &PlayerContext<'_, 'm>,
        options: &Self::Options,
    ) -> Result<SearchPlayer<'m>, PrepareError>;

    /// On how many threads it searches.
    fn threads(_options: &Self::Options) -> usize {
        1
    }

    /// The players made of it that `auto` may choose in a game.
    fn candidates(_game: &GameClass) -> Vec<Candidate> {
        Vec::new()
    }
}

type Make = for<'m> fn(&PlayerContext<'_, 'm>) -> Result<SearchPlayer<'m>, PrepareError>;

/// An algorithm as it is listed and chosen.
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

    /// How a line of it begins: its name, with a place for a function where it takes one.
    pub fn line(&self) -> String {
        let function = if self.about.functions == FunctionUse::Named { ":FUNCTION" } else { "" };
        format!("{}{function}", self.about.name)
    }

    /// What is said of it.
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

    /// On how many threads it searches with options.
    pub fn threads(&self, options: &OptionValues) -> usize {
        (self.threads)(options)
    }

    /// The players made of it that `auto` may choose in a game.
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
