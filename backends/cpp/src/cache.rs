//! Machine code on disk, by the hash of everything that it was made from.
//!
//! A file holds a mark, the checksum of the code, and the code. It is written under a temporary name and renamed, so a
//! reader sees all of it or none; no lock is needed. Whatever goes wrong here only means that the compiler runs.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use cuproxide_hal::settings;
use sha2::{Digest, Sha256};

const MARK: &[u8; 8] = b"CUPROX1\n";
const CHECKSUM_BYTES: usize = 32;

/// Names an entry: the hash of everything that it was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key([u8; CHECKSUM_BYTES]);

impl Key {
    /// Hashes the parts; their lengths keep them apart.
    pub fn of<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> Key {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Key(hash.finalize().into())
    }

    /// The hash itself.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn file_name(&self) -> String {
        let hex: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{hex}.bin")
    }
}

/// A cache folder, or none.
#[derive(Clone, Debug)]
pub struct DiskCache {
    folder: Option<PathBuf>,
}

impl DiskCache {
    /// The cache that the environment asks for.
    pub fn of_process() -> &'static DiskCache {
        static CACHE: OnceLock<DiskCache> = OnceLock::new();
        CACHE.get_or_init(|| {
            if settings::CACHE_IN_MEMORY.is_on() {
                return DiskCache { folder: None };
            }
            let named = settings::CACHE_DIR.path();
            let home = || std::env::var_os("HOME").filter(|home| !home.is_empty());
            let home = || home().map(|home| PathBuf::from(home).join(".cuproxide/kernel_cache"));
            DiskCache { folder: named.or_else(home) }
        })
    }

    /// A cache in a folder, for tests.
    #[cfg(test)]
    pub fn at(folder: &Path) -> DiskCache {
        DiskCache { folder: Some(folder.to_path_buf()) }
    }

    /// Where the entries lie, if anywhere.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The entry, if it is there and whole.
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let path = self.folder.as_ref()?.join(key.file_name());
        let file = std::fs::read(&path).ok()?;
        let content = file.strip_prefix(MARK).filter(|content| content.len() >= CHECKSUM_BYTES);
        let image = content.map(|content| content.split_at(CHECKSUM_BYTES));
        match image {
            Some((checksum, image)) if Sha256::digest(image)[..] == *checksum => Some(image.to_vec()),
            _ => {
                tracing::warn!(path = %path.display(), "a damaged cache file is ignored");
                None
            }
        }
    }

    /// Keeps the text that an entry is made of beside it, if `CUPROXIDE_CACHE_SAVE_CUDA_SOURCE` asks for it.
    pub fn put_source(&self, key: &Key, text: &str) {
        let Some(folder) = self.folder.as_ref().filter(|_| settings::SAVE_SOURCE.is_on()) else { return };
        let path = folder.join(key.file_name()).with_extension("cu");
        if let Err(error) = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, text)) {
            tracing::debug!(folder = %folder.display(), %error, "the kernel cache cannot be written");
        }
    }

    /// Keeps an entry, if the folder can be written.
    pub fn put(&self, key: &Key, image: &[u8]) {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let Some(folder) = &self.folder else { return };
        let name = key.file_name();
        let temporary = format!(".{name}.{}.{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let temporary = folder.join(temporary);
        let content = [&MARK[..], &Sha256::digest(image)[..], image].concat();
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&temporary, content))
            .and_then(|()| std::fs::rename(&temporary, folder.join(name)));
        if let Err(error) = written {
            let _ = std::fs::remove_file(&temporary);
            tracing::debug!(folder = %folder.display(), %error, "the kernel cache cannot be written");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("cuproxide-cache-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn what_is_put_comes_back() {
        let folder = folder("round");
        let cache = DiskCache::at(&folder);
        let key = Key::of([b"text".as_slice(), b"sm_90"]);
        assert_eq!(cache.get(&key), None);
        cache.put(&key, b"machine code");
        assert_eq!(cache.get(&key).as_deref(), Some(b"machine code".as_slice()));
        assert_eq!(cache.get(&Key::of([b"text".as_slice(), b"sm_80"])), None);
        assert_eq!(std::fs::read_dir(&folder).expect("the folder").count(), 1, "no temporary file is left");
    }

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(Key::of([b"ab".as_slice(), b"c"]), Key::of([b"a".as_slice(), b"bc"]));
    }

    #[test]
    fn damaged_files_are_ignored_and_replaced() {
        let folder = folder("damaged");
        let cache = DiskCache::at(&folder);
        let key = Key::of([b"text".as_slice()]);
        for damage in [&b""[..], b"CUPROX1\n", b"garbage", b"CUPROX1\n0123456789abcdef0123456789abcdefmachine code"] {
            cache.put(&key, b"machine code");
            std::fs::write(folder.join(key.file_name()), damage).expect("a writable file");
            assert_eq!(cache.get(&key), None);
        }
        cache.put(&key, b"machine code");
        assert_eq!(cache.get(&key).as_deref(), Some(b"machine code".as_slice()));
    }

    #[test]
    fn a_folder_that_cannot_be_used_is_no_error() {
        let folder = folder("file");
        std::fs::write(&folder, b"not a folder").expect("a temporary file");
        let cache = DiskCache::at(&folder);
        let key = Key::of([b"text".as_slice()]);
        cache.put(&key, b"machine code");
        assert_eq!(cache.get(&key), None);
        let none = DiskCache { folder: None };
        none.put(&key, b"machine code");
        assert_eq!(none.get(&key), None);
    }
}
