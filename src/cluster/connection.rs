//! A connection to a server with its streams, buckets and files.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::Client;
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::context::{ContextBuilder, CreateStreamError, CreateStreamErrorKind};
use async_nats::jetstream::kv::Store;
use async_nats::jetstream::object_store::ObjectStore;
use async_nats::jetstream::stream::Stream;
use async_nats::jetstream::{self, Context};
use bytes::Bytes;
use futures_util::TryStreamExt as _;
use tokio::io::AsyncReadExt as _;

use super::address::Address;
use super::error::ClusterError;
use super::streams;
use crate::gdl::identity::sha256;

/// Time limit for an answer of the server before the request is repeated.
const ANSWER: Duration = Duration::from_secs(2);

/// Time between two checks of the interrupt and of incoming messages.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Time limit for fetching a file.
const FETCHED: Duration = Duration::from_secs(20);

/// Time limit for creating the streams. A server that has just started may report that JetStream is disabled; creation can
/// also fail when many clients connect to an empty server at once, or when its disk is slow.
const KEEPS_NONE: Duration = Duration::from_millis(800);
const NOT_MADE: Duration = Duration::from_secs(15);

/// The first pause before streams are requested again. It doubles each time up to the longest.
const PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Maximum number of publications in progress.
const IN_FLIGHT: usize = 512;

/// A connection to a server whose streams and buckets exist.
#[derive(Clone)]
pub(super) struct Connection {
    pub(super) client: Client,
    pub(super) context: Context,
    pub(super) units: Stream,
    pub(super) results: Stream,
    pub(super) runs: Store,
    pub(super) workers: Store,
    pub(super) tries: Store,
    pub(super) files: ObjectStore,
}

/// The reason why streams are missing.
struct Missing {
    why: String,
    /// The server reports that JetStream is disabled.
    keeps_none: bool,
}

impl Missing {
    fn of(error: CreateStreamError) -> Missing {
        let keeps_none = match error.kind() {
            CreateStreamErrorKind::JetStreamUnavailable => true,
            CreateStreamErrorKind::JetStream(refusal) => {
                [ErrorCode::JETSTREAM_NOT_ENABLED, ErrorCode::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT]
                    .contains(&refusal.kind())
            }
            _ => false,
        };
        Missing { why: error.to_string(), keeps_none }
    }
}

impl Connection {
    /// Connects, and creates missing streams.
    pub(super) async fn open(address: &Address, name: &str) -> Result<Connection, ClusterError> {
        let client = address.connect(name).await?;
        let context = ContextBuilder::new()
            .timeout(ANSWER)
            .ack_timeout(ANSWER)
            .max_ack_inflight(IN_FLIGHT)
            .build(client.clone());
        let (begun, mut pause) = (Instant::now(), PAUSE);
        loop {
            match Connection::made(&client, &context).await {
                Ok(session) => return Ok(session),
                Err(Missing { why, keeps_none: true }) if begun.elapsed() >= KEEPS_NONE => {
                    return Err(ClusterError::NoJetStream { address: address.shown(), why });
                }
                Err(Missing { why, .. }) if begun.elapsed() >= NOT_MADE => {
                    return Err(ClusterError::store("can't create the streams on the NATS server", why));
                }
                Err(_) => tokio::time::sleep(pause).await,
            }
            pause = LONGEST_PAUSE.min(2 * pause);
        }
    }

    /// Opens streams, buckets and files, and creates missing ones.
    async fn made(client: &Client, context: &Context) -> Result<Connection, Missing> {
        let missing = |error: &dyn std::fmt::Display| Missing { why: error.to_string(), keeps_none: false };
        let made = |config: jetstream::stream::Config| async {
            context.get_or_create_stream(config).await.map_err(Missing::of)
        };
        let units = made(streams::units()).await?;
        let results = made(streams::results()).await?;
        let bucket = |name: &'static str, age: Duration| async move {
            made(streams::bucket(name, age)).await?;
            context.get_key_value(name).await.map_err(|error| missing(&error))
        };
        let runs = bucket("ggp-runs", streams::KEPT).await?;
        let workers = bucket("ggp-workers", streams::HEARD).await?;
        let tries = bucket("ggp-tries", streams::KEPT).await?;
        let files = match context.get_object_store("ggp-files").await {
            Ok(there) => there,
            Err(_) => {
                let config = jetstream::object_store::Config {
                    bucket: "ggp-files".to_owned(),
                    description: Some("files of runs, by their SHA-256".to_owned()),
                    max_age: streams::KEPT,
                    ..Default::default()
                };
                context.create_object_store(config).await.map_err(|error| missing(&error))?
            }
        };
        let (client, context) = (client.clone(), context.clone());
        Ok(Connection { client, context, units, results, runs, workers, tries, files })
    }

    /// The consumer from which workers of a version take units. If `lease` is given, it becomes the lease of units;
    /// otherwise the lease is not changed.
    pub(super) async fn unit_consumer(
        &self,
        version: &str,
        lease: Option<Duration>,
    ) -> Result<jetstream::consumer::Consumer<pull::Config>, ClusterError> {
        let config = streams::unit_consumer(version, lease);
        let name = config.durable_name.clone().unwrap_or_default();
        let failed = |error: &dyn std::fmt::Display| ClusterError::store("can't take units", error);
        match lease {
            Some(_) => self.units.create_consumer(config).await.map_err(|error| failed(&error)),
            None => self.units.get_or_create_consumer(&name, config).await.map_err(|error| failed(&error)),
        }
    }

    /// Stores a file, and returns its hash.
    pub(super) async fn put_file(&self, bytes: &[u8]) -> Result<String, ClusterError> {
        let hash = sha256(bytes);
        if self.files.info(&hash).await.is_ok() {
            return Ok(hash);
        }
        let mut reader = bytes;
        let put = self.files.put(hash.as_str(), &mut reader).await;
        put.map_err(|error| ClusterError::store("can't store a file in the cluster", error))?;
        Ok(hash)
    }

    /// Fetches a file by its hash, and checks it.
    pub(super) async fn file(&self, hash: &str) -> Result<Vec<u8>, String> {
        // If the server goes away meanwhile, nothing reports it.
        let fetched = tokio::time::timeout(FETCHED, self.fetch(hash)).await;
        fetched.unwrap_or_else(|_| Err("a file of the run can't be fetched: timed out".to_owned()))
    }

    async fn fetch(&self, hash: &str) -> Result<Vec<u8>, String> {
        let failed = |error: &dyn std::fmt::Display| format!("a file of the run can't be fetched: {error}");
        let mut object = self.files.get(hash).await.map_err(|error| failed(&error))?;
        let mut bytes = Vec::new();
        object.read_to_end(&mut bytes).await.map_err(|error| failed(&error))?;
        if sha256(&bytes) != hash { Err(failed(&"it is not what was put there")) } else { Ok(bytes) }
    }

    /// The value of each key of a bucket. This requests the subjects of the bucket's stream with a time limit. The crate's
    /// own list of keys reads messages, and waits forever if a key is written again meanwhile.
    pub(super) async fn kept(bucket: &Store) -> Result<Vec<Bytes>, String> {
        let failed = |error: &dyn std::fmt::Display| error.to_string();
        let filter = format!("{}>", bucket.prefix);
        let info = bucket.stream.info_with_subjects(&filter).await.map_err(|error| failed(&error))?;
        let subjects: Vec<(String, usize)> = info.try_collect().await.map_err(|error| failed(&error))?;
        let mut found = Vec::with_capacity(subjects.len());
        for key in subjects.iter().filter_map(|(subject, _)| subject.strip_prefix(&bucket.prefix)) {
            found.extend(bucket.get(key).await.map_err(|error| failed(&error))?);
        }
        Ok(found)
    }

    /// Maximum number of bytes of a message, with room for its headers.
    pub(super) fn most_bytes(&self) -> usize {
        self.client.server_info().max_payload.saturating_sub(4096).max(1024)
    }
}

/// Waits until the interrupt is set.
pub(super) async fn interrupted(interrupt: &AtomicBool) {
    while !interrupt.load(Ordering::Relaxed) {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// A runtime of one thread for requests to a server.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, ClusterError> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?)
}
