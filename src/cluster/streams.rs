//! What the server keeps, and under which names.

use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};

/// How long runs that nobody comes back to are kept.
pub(super) const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// How long a worker is shown after it was last heard of.
pub(super) const HEARD: Duration = Duration::from_secs(15);

/// How long a worker may say nothing before its units are given to others, unless told otherwise.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// In this time a message with the same id is known to be the same.
const SAME: Duration = Duration::from_secs(10 * 60);

/// Units that workers hold at most, all together.
const HELD: i64 = 1_000_000;

/// Units, until they are done: each once, as the server refuses a second of the same subject.
pub(super) fn units() -> Config {
    Config {
        name: "GGP-UNITS".to_owned(),
        subjects: vec!["ggp.unit.>".to_owned()],
        retention: RetentionPolicy::WorkQueue,
        storage: StorageType::File,
        max_messages_per_subject: 1,
        discard: DiscardPolicy::New,
        discard_new_per_subject: true,
        max_age: KEPT,
        duplicate_window: SAME,
        ..Config::default()
    }
}

/// Results, until their run is over.
pub(super) fn results() -> Config {
    Config {
        name: "GGP-RESULTS".to_owned(),
        subjects: vec!["ggp.result.>".to_owned()],
        storage: StorageType::File,
        max_age: KEPT,
        duplicate_window: SAME,
        ..Config::default()
    }
}

/// The stream behind a bucket of keys and values. It is made as a stream, as the crate's own way of making a bucket asks for
/// more of the account than servers before 2.10 tell.
pub(super) fn bucket(name: &str, age: Duration) -> Config {
    Config {
        name: format!("KV_{name}"),
        subjects: vec![format!("$KV.{name}.>")],
        storage: StorageType::File,
        max_messages_per_subject: 1,
        max_age: age,
        duplicate_window: age.min(SAME),
        discard: DiscardPolicy::New,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        num_replicas: 1,
        ..Config::default()
    }
}

/// From where workers of a version take units. How often one was begun in vain they count themselves: a unit that a worker
/// held and had not begun when it was killed is none the worse for it, and the server can't tell.
pub(super) fn takers(version: &str, patience: Option<Duration>) -> pull::Config {
    pull::Config {
        durable_name: Some(format!("takers-{}", token(version))),
        filter_subject: format!("ggp.unit.{}.>", token(version)),
        ack_policy: AckPolicy::Explicit,
        ack_wait: patience.unwrap_or(PATIENCE),
        max_deliver: -1,
        max_ack_pending: HELD,
        max_waiting: 16_384,
        ..pull::Config::default()
    }
}

/// From where who asks reads what came of a run.
pub(super) fn readers(run: &str) -> pull::Config {
    pull::Config {
        durable_name: Some(format!("reader-{run}")),
        filter_subject: format!("ggp.result.{run}.*"),
        ack_policy: AckPolicy::All,
        ack_wait: Duration::from_secs(5),
        max_ack_pending: 65_536,
        inactive_threshold: Duration::from_secs(24 * 3600),
        ..pull::Config::default()
    }
}

/// A version as part of a subject, in which points and blanks mean something else.
pub(super) fn token(version: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    version.chars().map(plain).collect()
}

/// The subject of a unit.
pub(super) fn unit(version: &str, run: &str, unit: u64) -> String {
    format!("ggp.unit.{}.{run}.{unit}", token(version))
}

/// All units of a run.
pub(super) fn units_of(version: &str, run: &str) -> String {
    format!("ggp.unit.{}.{run}.*", token(version))
}

/// The run and the unit that a subject names.
pub(super) fn named(subject: &str) -> Option<(&str, u64)> {
    let mut parts = subject.rsplit('.');
    let unit = parts.next()?.parse().ok()?;
    Some((parts.next()?, unit))
}

/// The subject of what came of units.
pub(super) fn result(run: &str, done: bool) -> String {
    format!("ggp.result.{run}.{}", if done { "done" } else { "failed" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_tell_run_and_unit() {
        let subject = unit("0.1.0+ab c", "run-life", 17);
        assert_eq!(subject, "ggp.unit.0_1_0_ab_c.run-life.17");
        assert_eq!(named(&subject), Some(("run-life", 17)));
        assert_eq!((named("ggp.unit.x"), named("")), (None, None));
    }
}
