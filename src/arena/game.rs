//! A game on its machine, under its name and with the identity of its rules.

use crate::evaluation::GameIdentity;
use crate::feature::measure;
use crate::gdl::Source;
use crate::judge::budgets;
use crate::machine::{Loaded, Machine};
use crate::simulate::{Budget, Context};
use crate::structure::detect;

use super::prepared::{PrepareError, Prepared};

/// Joint moves after which the random playouts are cut off that show what a game is made of.
const MOST_STEPS: u32 = 1000;

/// A game.
pub struct ArenaGame {
    /// Where it was read from.
    pub path: String,
    /// What it is.
    pub identity: GameIdentity,
    /// Its machine and static facts.
    pub loaded: Loaded,
}

impl ArenaGame {
    /// A game that was read and loaded.
    pub fn new(path: String, source: &Source, loaded: Loaded) -> ArenaGame {
        let identity = GameIdentity::new(source.bytes(), loaded.machine.description());
        ArenaGame { path, identity, loaded }
    }

    /// The machine.
    pub fn machine(&self) -> &dyn Machine {
        &*self.loaded.machine
    }

    /// The roles as text, in the order of the rules.
    pub fn roles(&self) -> Vec<String> {
        let machine = self.machine();
        machine.description().roles.iter().map(|&role| machine.term_text(role)).collect()
    }

    /// Finds out what the game is made of by random play, on so many threads (0: all), and makes its functions.
    ///
    /// # Errors
    /// It can't be played.
    pub fn prepare(
        &self,
        seed: u64,
        threads: usize,
        context: Context<'_>,
    ) -> Result<Prepared<'_>, PrepareError> {
        let [play, sample] = budgets(self.machine(), seed, threads, MOST_STEPS);
        self.prepare_within(&play, &sample, context)
    }

    /// The same with so much random play to find structures, and so much to measure features and functions.
    ///
    /// # Errors
    /// It can't be played.
    pub fn prepare_within(
        &self,
        play: &Budget,
        sample: &Budget,
        context: Context<'_>,
    ) -> Result<Prepared<'_>, PrepareError> {
        let machine = self.machine();
        let (structures, _) = detect(machine, &self.loaded.statics, play, &context)?;
        let features = measure(machine, &structures, sample, &context)?;
        let identity = self.identity.clone();
        Prepared::new(machine, identity, structures, &features, &features.sequences, sample, context)
    }
}
