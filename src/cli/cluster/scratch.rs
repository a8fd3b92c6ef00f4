//! Writes files of a run to a temporary folder of a worker, for code that reads them by path.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::cluster::Files;
use crate::gdl::identity::sha256;

/// Files from one folder. The first is the main file, such as a game; the others belong to it, such as its labels.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FileSet {
    /// The path of the first file on the client.
    pub(super) path: String,
    /// File names without folders, with their SHA-256. A file that can't be read is missing.
    files: Vec<(String, String)>,
}

impl FileSet {
    /// Reads `path` and those of `others` that exist, and appends their contents to `bytes`.
    pub(super) fn of(path: &Path, others: &[PathBuf], bytes: &mut Vec<Vec<u8>>) -> FileSet {
        let mut files = Vec::new();
        for path in [path].into_iter().chain(others.iter().map(PathBuf::as_path)) {
            let Ok(read) = std::fs::read(path) else { continue };
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.push((name, sha256(&read)));
            bytes.push(read);
        }
        FileSet { path: path.display().to_string(), files }
    }

    /// A set of one file. The caller adds its contents to the run.
    pub(super) fn given(path: String, name: String, hash: String) -> FileSet {
        FileSet { path, files: vec![(name, hash)] }
    }

    /// Writes the files to a new temporary folder.
    pub(super) fn write(&self, files: &dyn Files) -> Result<Scratch, String> {
        let failed = |error: std::io::Error| format!("a file of the run can't be written: {error}");
        let folder = tempfile::tempdir().map_err(failed)?;
        for (name, hash) in &self.files {
            // The names come from another computer and must not lead out of the folder.
            let name = Path::new(name).file_name().ok_or("a file of the run has no name")?;
            std::fs::write(folder.path().join(name), files.get(hash)?).map_err(failed)?;
        }
        let first = self.files.first().map_or(self.path.as_str(), |(name, _)| name.as_str());
        let place = folder.path().join(Path::new(first).file_name().unwrap_or_default());
        Ok(Scratch { _folder: folder, place, path: self.path.clone() })
    }
}

/// Files in a temporary folder that is deleted on drop.
pub(super) struct Scratch {
    _folder: TempDir,
    /// The path of the first file.
    pub(super) place: PathBuf,
    path: String,
}

impl Scratch {
    /// Replaces the temporary path of the first file by its path on the client.
    pub(super) fn restore_path(&self, text: &str) -> String {
        let here = self.place.display().to_string();
        let stem = |path: &str| Path::new(path).with_extension("").display().to_string();
        text.replace(&here, &self.path).replace(&stem(&here), &stem(&self.path))
    }
}
