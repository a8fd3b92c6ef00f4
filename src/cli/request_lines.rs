//! Requests and answers as JSON lines, for programs in any language. Each request line gets one answer line, in the same
//! order. Used by `ggp eval --serve` and `ggp env --serve`.

use std::io::{BufRead, ErrorKind, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Limit of bytes in a line (16 MiB). A longer line is skipped and answered by an error.
const MAX_LINE: usize = 16 << 20;

/// The answer to a faulty request, with its `id` if that can be read.
#[derive(Serialize)]
struct Fault {
    id: Value,
    error: String,
}

/// Answers requests until standard input ends or standard output is closed. A request that can't be answered gets an
/// error message as its answer.
///
/// # Errors
/// Standard input or output fails.
pub(super) fn serve<Request: DeserializeOwned, Answer: Serialize>(
    mut answer: impl FnMut(Request) -> anyhow::Result<Answer>,
) -> anyhow::Result<()> {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = Vec::new();
    loop {
        let mut text = match read_line(&mut input, &mut line)? {
            Line::End => return Ok(()),
            Line::TooLong => {
                let error = format!("the line has more than {} MiB", MAX_LINE >> 20);
                serde_json::to_vec(&Fault { id: Value::Null, error })?
            }
            Line::Whole if line.trim_ascii().is_empty() => continue,
            Line::Whole => answered(&line, &mut answer)?,
        };
        text.push(b'\n');
        match output.write_all(&text).and_then(|()| output.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            result => result?,
        }
    }
}

/// The answer to a line.
fn answered<Request: DeserializeOwned, Answer: Serialize>(
    line: &[u8],
    answer: &mut impl FnMut(Request) -> anyhow::Result<Answer>,
) -> serde_json::Result<Vec<u8>> {
    // serde would accept a list as a struct, with the fields in order.
    let read = match line.trim_ascii_start().first() {
        Some(b'{') => serde_json::from_slice(line),
        _ => Err(serde::de::Error::custom("an object is expected")),
    };
    let error = match read {
        Ok(request) => match answer(request) {
            Ok(answer) => return serde_json::to_vec(&answer),
            Err(error) => format!("{error:#}"),
        },
        Err(error) => format!("this is no request: {error}"),
    };
    // The part that can be read identifies the request.
    let id = serde_json::from_slice::<Value>(line).map(|value| value.get("id").cloned());
    serde_json::to_vec(&Fault { id: id.ok().flatten().unwrap_or_default(), error })
}

enum Line {
    Whole,
    TooLong,
    End,
}

/// Reads a line. A line that is too long is discarded.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<Line> {
    line.clear();
    let mut too_long = false;
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            let nothing = line.is_empty() && !too_long;
            return Ok(if nothing {
                Line::End
            } else if too_long {
                Line::TooLong
            } else {
                Line::Whole
            });
        }
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let taken = end.unwrap_or(buffer.len());
        too_long |= line.len() + taken > MAX_LINE;
        if too_long {
            line.clear();
        } else {
            line.extend_from_slice(&buffer[..taken]);
        }
        input.consume(taken + usize::from(end.is_some()));
        if end.is_some() {
            return Ok(if too_long { Line::TooLong } else { Line::Whole });
        }
    }
}
