//! Writes rows as CSV.

use serde::Serialize;

/// Writes rows as CSV, with a header.
pub fn to_csv<R: Serialize>(rows: &[R]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
