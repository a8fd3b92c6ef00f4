//! Files of a run, written to a folder of a worker for work that wants them as files.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::cluster::Files;
use crate::gdl::identity::sha256;

/// Files that lie in one folder, the first of which is what it is about.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FileSet {
    /// The first file, as the asking side names it.
    pub(super) path: String,
    /// Names of the files without folders, with their SHA-256; empty if the first can't be read.
    files: Vec<(String, String)>,
}

impl FileSet {
    /// A file with the files next to it that exist; their bytes go to `contents`.
    pub(super) fn of(path: &Path, beside: &[PathBuf], bytes: &mut Vec<Vec<u8>>) -> FileSet {
        let mut files = Vec::new();
        for path in [path].into_iter().chain(beside.iter().map(PathBuf::as_path)) {
            let Ok(read) = std::fs::read(path) else { continue };
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.push((name, sha256(&read)));
            bytes.push(read);
        }
        FileSet { path: path.display().to_string(), files }
    }

    /// A file with this name and hash.
    pub(super) fn given(path: String, name: String, hash: String) -> FileSet {
        FileSet { path, files: vec![(name, hash)] }
    }

    /// Writes the files to a folder of their own.
    pub(super) fn write(&self, files: &dyn Files) -> Result<Scratch, String> {
        let failed = |error: std::io::Error| format!("a file of the run can't be written: {error}");
        let folder = tempfile::tempdir().map_err(failed)?;
        for (name, hash) in &self.files {
            // Names come from elsewhere: none leads out of the folder.
            let name = Path::new(name).file_name().ok_or("a file of the run has no name")?;
            std::fs::write(folder.path().join(name), files.get(hash)?).map_err(failed)?;
        }
        let first = self.files.first().map_or(self.path.as_str(), |(name, _)| name.as_str());
        let place = folder.path().join(Path::new(first).file_name().unwrap_or_default());
        Ok(Scratch { _folder: folder, place, path: self.path.clone() })
    }
}

/// Files that are deleted on drop.
pub(super) struct Scratch {
    _folder: TempDir,
    /// Where the first lies.
    pub(super) place: PathBuf,
    path: String,
}

impl Scratch {
    /// A text in which the first file is called as the asking side calls it.
    pub(super) fn named_as_given(&self, text: &str) -> String {
        let here = self.place.display().to_string();
        let stem = |path: &str| Path::new(path).with_extension("").display().to_string();
        text.replace(&here, &self.path).replace(&stem(&here), &stem(&self.path))
    }
}
