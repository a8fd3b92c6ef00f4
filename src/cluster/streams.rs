//! The streams, buckets and consumers on the server, and their names.

use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};

/// Age at which runs without a master are deleted.
pub(super) const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// Time after which a worker without heartbeat is no longer listed.
pub(super) const HEARD: Duration = Duration::from_secs(15);

/// Default lease of a unit: it is redelivered if its worker sends no heartbeat for this long.
pub(super) const LEASE: Duration = Duration::from_secs(10);

/// Time in which the server discards a second message with the same id.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(10 * 60);

/// Limit of units that workers have taken and not acknowledged; the server then delivers no more.
const MAX_PENDING_UNITS: i64 = 1_000_000;

/// The stream of units that are not done. The server refuses a second unit with the same subject.
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
        duplicate_window: DUPLICATE_WINDOW,
        ..Config::default()
    }
}

/// The stream of results, until their run is over.
pub(super) fn results() -> Config {
    Config {
        name: "GGP-RESULTS".to_owned(),
        subjects: vec!["ggp.result.>".to_owned()],
        storage: StorageType::File,
        max_age: KEPT,
        duplicate_window: DUPLICATE_WINDOW,
        ..Config::default()
    }
}

/// The stream behind a bucket. It is created as a stream, because the crate's function for buckets needs account details
/// that servers before 2.10 do not send.
pub(super) fn bucket(name: &str, age: Duration) -> Config {
    Config {
        name: format!("KV_{name}"),
        subjects: vec![format!("$KV.{name}.>")],
        storage: StorageType::File,
        max_messages_per_subject: 1,
        max_age: age,
        duplicate_window: age.min(DUPLICATE_WINDOW),
        discard: DiscardPolicy::New,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        num_replicas: 1,
        ..Config::default()
    }
}

/// The consumer from which workers of a version take units. Workers count failed attempts themselves: the server can't
/// distinguish units that a killed worker had started from those it had only taken.
pub(super) fn unit_consumer(version: &str, lease: Option<Duration>) -> pull::Config {
    pull::Config {
        durable_name: Some(format!("unit_consumer-{}", token(version))),
        filter_subject: format!("ggp.unit.{}.>", token(version)),
        ack_policy: AckPolicy::Explicit,
        ack_wait: lease.unwrap_or(LEASE),
        max_deliver: -1,
        max_ack_pending: MAX_PENDING_UNITS,
        max_waiting: 16_384,
        ..pull::Config::default()
    }
}

/// The consumer from which the master reads the results of a run.
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

/// A version as a part of a subject, in which points and blanks have a special meaning.
pub(super) fn token(version: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    version.chars().map(plain).collect()
}

/// The subject of a unit.
pub(super) fn unit(version: &str, run: &str, unit: u64) -> String {
    format!("ggp.unit.{}.{run}.{unit}", token(version))
}

/// The subject of all units of a run.
pub(super) fn units_of(version: &str, run: &str) -> String {
    format!("ggp.unit.{}.{run}.*", token(version))
}

/// Parses the run and the unit of a subject.
pub(super) fn named(subject: &str) -> Option<(&str, u64)> {
    let mut parts = subject.rsplit('.');
    let unit = parts.next()?.parse().ok()?;
    Some((parts.next()?, unit))
}

/// The subject of results.
pub(super) fn result(run: &str, done: bool) -> String {
    format!("ggp.result.{run}.{}", if done { "done" } else { "failed" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_contain_run_and_unit() {
        let subject = unit("0.1.0+ab c", "run-life", 17);
        assert_eq!(subject, "ggp.unit.0_1_0_ab_c.run-life.17");
        assert_eq!(named(&subject), Some(("run-life", 17)));
        assert_eq!((named("ggp.unit.x"), named("")), (None, None));
    }
}
