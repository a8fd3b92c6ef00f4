//! A queue of playouts to start from given states.

/// The playouts that can start in one phase, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct StartQueue {
    /// State indices, each with its number of playouts.
    states: Vec<(u32, u32)>,
    /// The index of the current state, and the number of playouts started from it.
    position: (usize, u32),
    /// Number of playouts not started yet.
    pub(super) left: u64,
}

impl StartQueue {
    pub(super) fn put(&mut self, state: u32, playouts: u32) {
        if playouts > 0 {
            self.states.push((state, playouts));
            self.left += u64::from(playouts);
        }
    }

    /// The state of the next playout.
    pub(super) fn next(&mut self) -> u32 {
        let (index, started) = &mut self.position;
        let (state, playouts) = self.states[*index];
        *started += 1;
        self.left -= 1;
        if *started == playouts {
            (*index, *started) = (*index + 1, 0);
        }
        state
    }
}
