//! Iterative deepening with alpha-beta or MTD(f). A depth cut short counts for what it found until then.

use crate::evaluation::{Function, FunctionError};
use crate::machine::{MachineError, State};

use super::alphabeta::aspiration;
use super::by_depth::{ByDepth, ever_deeper};
use super::leaf::Leaf;
use super::limits::{Halt, Limits, Meter};
use super::mtdf::mtdf;
use super::score::INFINITE;
use super::setting::Setting;
use super::thought::{Search, SearchError, Thought};
use super::tree::{Found, Tree, TreeOptions};

/// How the value at a depth is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Alpha-beta with all values in its window.
    Full,
    /// Alpha-beta with a window around the last value.
    #[default]
    Aspiration,
    /// MTD(f).
    Mtdf,
}

/// A search that looks ever deeper, for one role.
///
/// # Example
///
/// A move found by alpha-beta, which needs no evaluation function where it sees the end:
///
/// ```
/// use ggp::gdl::{Source, read};
/// use ggp::ground;
/// use ggp::machine::{Backend, load};
/// use ggp::search::{Deepening, Limits, Method, Search, Setting, TreeOptions};
/// use ggp::simulate::StateReader;
///
/// let rules = read(&Source::load("games/tic_tac_toe.kif")?).description.expect("the rules have no errors");
/// let game = load(rules, Backend::Auto, &ground::Limits::default())?;
/// let machine = &*game.machine;
/// let state = StateReader::new(machine).read(
///     "(mark 1 1 cross) (mark 1 2 cross) (mark 1 3 empty)
///      (mark 2 1 nought) (mark 2 2 nought) (mark 2 3 empty)
///      (mark 3 1 empty) (mark 3 2 empty) (mark 3 3 empty) (to_move crosses)",
/// )?;
/// let options = TreeOptions { table: 1 << 20, ..TreeOptions::default() };
/// let mut search = Deepening::plain(Setting::alone(machine, 0), Method::Aspiration, options);
/// let limits = Limits { depth: Some(2), ..Limits::default() };
/// let found = search.think(&state, &limits, &mut |_| {})?;
/// assert_eq!(machine.move_text(found.action.expect("crosses has moves")), "(draw 1 3)");
/// assert_eq!((found.value, found.proved), (Some(100.0), true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Deepening<'m> {
    tree: Tree<'m>,
    method: Method,
    /// What the last depth came to.
    last: Option<Found>,
}

impl<'m> Deepening<'m> {
    /// A search with an evaluation function of the role.
    ///
    /// # Errors
    /// The function does not fit the game.
    pub fn new(
        setting: Setting<'m>,
        function: &Function,
        method: Method,
        options: TreeOptions,
    ) -> Result<Deepening<'m>, FunctionError> {
        let leaf = Leaf::of(setting.machine, function)?;
        Ok(Deepening { tree: Tree::new(setting, leaf, options), method, last: None })
    }

    /// A search that knows nothing of states that are not terminal.
    pub fn plain(setting: Setting<'m>, method: Method, options: TreeOptions) -> Deepening<'m> {
        let leaf = Leaf::none(setting.machine);
        Deepening { tree: Tree::new(setting, leaf, options), method, last: None }
    }

    /// Whether a state was looked at in which both sides have a choice.
    pub(super) fn saw_both_choose(&self) -> bool {
        self.tree.at_once
    }

    fn iteration(&mut self, depth: u32, meter: &mut Meter<'_>) -> Result<Found, Halt> {
        let last = self.last;
        match self.method {
            _ if !self.tree.options.cutoffs => self.tree.root(depth, (-INFINITE, INFINITE), meter),
            Method::Full => self.tree.root(depth, (-INFINITE, INFINITE), meter),
            Method::Aspiration => aspiration(&mut self.tree, depth, last, meter),
            Method::Mtdf => mtdf(&mut self.tree, depth, last, meter),
        }
    }
}

impl ByDepth for Deepening<'_> {
    fn begin(&mut self, state: &State, thought: &mut Thought) -> Result<Option<i32>, MachineError> {
        self.last = None;
        let goal = self.tree.begin(state)?;
        thought.action = self.tree.any.filter(|_| goal.is_none());
        Ok(goal)
    }

    fn look(&mut self, depth: u32, meter: &mut Meter<'_>, thought: &mut Thought) -> Result<(), Halt> {
        self.tree.forget_best();
        let result = self.iteration(depth, meter);
        // A depth cut short counts for what it found until then.
        if let Some((joint, found)) = self.tree.best.take() {
            thought.action = Some(joint[self.tree.setting.role]);
            thought.value = Some(self.tree.scale.goal(found.score));
            thought.line = self.tree.line();
        }
        let found = result?;
        thought.value = Some(self.tree.scale.goal(found.score));
        thought.proved = found.proved;
        self.last = Some(found);
        Ok(())
    }
}

impl Search for Deepening<'_> {
    fn think(
        &mut self,
        state: &State,
        limits: &Limits<'_>,
        tell: &mut dyn FnMut(&Thought),
    ) -> Result<Thought, SearchError> {
        ever_deeper(self, state, limits, tell)
    }
}
