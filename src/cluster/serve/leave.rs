//! How a worker ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::jetstream::AckKind;
use tokio::sync::mpsc::UnboundedReceiver;

use super::Worker;
use super::answer::answer;
use super::hands::Said;

/// Work in progress is given this long to come back when the end is asked for.
const FAREWELL: Duration = Duration::from_millis(500);

impl Worker<'_> {
    /// Gives back what is not done, and says goodbye.
    pub(super) async fn leave(&mut self, heard: &mut UnboundedReceiver<Said>, working: Arc<AtomicBool>) {
        working.store(false, Ordering::Relaxed);
        self.queue.close();
        self.sessions.end_all();
        self.ended.store(true, Ordering::Relaxed);
        // Those under way are given back when their threads have left them: a result that is there is not lost.
        let unbegun: Vec<u64> =
            self.held.iter().filter(|(_, held)| held.begun.is_none()).map(|(&id, _)| id).collect();
        for id in unbegun {
            if let Some(held) = self.held.remove(&id) {
                let _ = held.message.ack_with(AckKind::Nak(None)).await;
            }
        }
        let farewell = async {
            for id in self.unsent.send_last(&self.session, &self.state.name, &self.ended).await {
                self.held.remove(&id);
            }
            while self.held.values().any(|held| !held.finished) {
                match heard.recv().await {
                    Some(Said::Finished(id, outcome)) => {
                        if let Some(held) = self.held.remove(&id) {
                            answer(&self.session, &held, outcome, &self.state.name, &self.ended).await;
                        }
                    }
                    Some(_) => {}
                    None => return,
                }
            }
        };
        let _ = tokio::time::timeout(FAREWELL, farewell).await;
        for held in self.held.values() {
            let _ = held.message.ack_with(AckKind::Nak(None)).await;
        }
        let goodbye = async {
            let _ = self.session.workers.delete(self.state.name.as_str()).await;
            let _ = self.session.client.flush().await;
        };
        let _ = tokio::time::timeout(FAREWELL / 2, goodbye).await;
    }
}
