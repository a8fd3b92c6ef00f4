//! Results of units: workers write them, the master reads them.

use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use async_nats::HeaderMap;
use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::Consumer;
use async_nats::jetstream::consumer::pull::Config;
use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use futures_util::StreamExt as _;
use tokio::sync::mpsc::UnboundedSender;

use super::connection::Connection;
use super::error::ClusterError;
use super::streams;
use super::task::{UnitError, UnitResult};

const UNIT: &str = "Ggp-Unit";
const WORKER: &str = "Ggp-Worker";
const FAULT: &str = "Ggp-Fault";
const ZIPPED: &str = "Ggp-Zipped";
const FILE: &str = "Ggp-File";

/// Results with more bytes are compressed.
const PACKED: usize = 1 << 10;

/// Time to wait for results before the request is repeated; below the server's own time limit for a connection.
const WAIT: Duration = Duration::from_secs(1);

/// Maximum number of results per request.
const AT_ONCE: usize = 512;

/// The outcome of a unit, as a worker reports it.
#[derive(Debug)]
pub(super) struct UnitOutcome {
    pub(super) unit: u64,
    pub(super) worker: String,
    pub(super) outcome: Result<Vec<u8>, ReportedError>,
}

/// An error that a worker reports instead of a result.
#[derive(Debug)]
pub(super) enum ReportedError {
    /// The unit failed.
    Unit(String),
    /// The whole run can't be done.
    Run(String),
}

/// A result as a message: headers and bytes.
pub(super) async fn message(
    session: &Connection,
    unit: u64,
    worker: &str,
    outcome: &Result<UnitResult, UnitError>,
) -> Result<(HeaderMap, Bytes), ClusterError> {
    let mut headers = HeaderMap::new();
    headers.insert(UNIT, unit.to_string());
    headers.insert(WORKER, worker);
    let mut bytes = match outcome {
        Ok(done) => done.bytes.clone(),
        Err(UnitError::Unit(error)) => {
            headers.insert(FAULT, "unit");
            error.clone().into_bytes()
        }
        Err(UnitError::Run(error)) => {
            headers.insert(FAULT, "run");
            error.clone().into_bytes()
        }
        Err(UnitError::Interrupted) => Vec::new(),
    };
    if bytes.len() > PACKED {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&bytes)?;
        bytes = encoder.finish()?;
        headers.insert(ZIPPED, "yes");
    }
    if bytes.len() > session.most_bytes() {
        headers.insert(FILE, session.put_file(&bytes).await?);
        bytes = Vec::new();
    }
    Ok((headers, bytes.into()))
}

/// Decodes a message; `None` if it is not a result.
///
/// # Errors
/// The bytes are in the object store and can't be fetched at present.
async fn heard(
    session: &Connection,
    headers: &HeaderMap,
    payload: &[u8],
) -> Result<Option<UnitOutcome>, String> {
    let file = headers.get(FILE).map(|value| value.as_str().to_owned());
    let bytes = match file {
        Some(hash) => session.file(&hash).await?,
        None => payload.to_vec(),
    };
    Ok(read(headers, bytes))
}

/// Decodes headers and bytes; `None` if they are not a result.
fn read(headers: &HeaderMap, mut bytes: Vec<u8>) -> Option<UnitOutcome> {
    let of = |name: &str| headers.get(name).map(|value| value.as_str().to_owned());
    let unit = of(UNIT)?.parse().ok()?;
    if of(ZIPPED).is_some() {
        let mut plain = Vec::new();
        GzDecoder::new(&bytes[..]).read_to_end(&mut plain).ok()?;
        bytes = plain;
    }
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let outcome = match of(FAULT).as_deref() {
        None => Ok(bytes),
        Some("run") => Err(ReportedError::Run(said(&bytes))),
        Some(_) => Err(ReportedError::Unit(said(&bytes))),
    };
    Some(UnitOutcome { unit, worker: of(WORKER).unwrap_or_default(), outcome })
}

/// A reader of all results of a run from the first one on, and the present number of results.
pub(super) async fn reader(session: &Connection, run: &str) -> Result<(Consumer<Config>, u64), ClusterError> {
    let failed = |error: &dyn std::fmt::Display| ClusterError::store("can't read the results", error);
    let config = streams::readers(run);
    // A reader of an earlier command may have read some of them.
    let name = config.durable_name.clone().unwrap_or_default();
    let _ = session.results.delete_consumer(&name).await;
    let consumer = session.results.create_consumer(config).await.map_err(|error| failed(&error))?;
    let there = consumer.cached_info().num_pending;
    Ok((consumer, there))
}

/// Acknowledges all results up to this one with one message.
async fn taken(last: &mut Option<Message>) {
    if let Some(last) = last.take() {
        let _ = last.ack().await;
    }
}

/// Forwards results as they arrive, without end; `None` is a message that is not a result.
pub(super) async fn hand_on(
    session: Connection,
    mut consumer: Consumer<Config>,
    run: String,
    to: UnboundedSender<Option<UnitOutcome>>,
) {
    loop {
        let mut went_wrong = true;
        if let Ok(mut batch) = consumer.batch().max_messages(AT_ONCE).expires(WAIT).messages().await {
            went_wrong = false;
            let (mut last, mut progress_at) = (None, Instant::now());
            // While the server is away, nothing reports that the time is over.
            while progress_at.elapsed() < 2 * WAIT {
                let Ok(message) = tokio::time::timeout(WAIT / 4, batch.next()).await else {
                    taken(&mut last).await;
                    continue;
                };
                progress_at = Instant::now();
                let message = match message {
                    None => break,
                    Some(Ok(message)) => message,
                    Some(Err(_)) => {
                        went_wrong = true;
                        break;
                    }
                };
                let headers = message.headers.clone().unwrap_or_default();
                // A result that can't be read now is delivered again, with all later ones.
                let Ok(heard) = heard(&session, &headers, &message.payload).await else {
                    went_wrong = true;
                    break;
                };
                if to.send(heard).is_err() {
                    return;
                }
                last = Some(message);
            }
            taken(&mut last).await;
        }
        if went_wrong {
            tokio::time::sleep(Duration::from_millis(200)).await;
            let config = streams::readers(&run);
            let name = config.durable_name.clone().unwrap_or_default();
            if let Ok(again) = session.results.get_or_create_consumer(&name, config).await {
                consumer = again;
            }
        }
    }
}
