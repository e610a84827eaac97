//! Machine code on disk, by the hash of everything that it was made from.
//!
//! A file holds a mark, the checksum of the code, and the code. It is written under a temporary name and renamed, so a
//! reader sees all of it or none; no lock is needed. Whatever goes wrong here only means that the compiler runs.
//!
//! What lies here is loaded and run, so only the user and the system's administrator may be able to write it. The folder is
//! made with mode 0700 and files with 0600, whatever the umask. A folder or file that belongs to somebody else, or that
//! others can write, is not used. Owner and mode are those of the opened folder and file, and files are opened relative to
//! that folder, so that exchanging a path in between changes nothing.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use cuproxide_hal::settings;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use sha2::{Digest, Sha256};

const MARK: &[u8; 8] = b"CUPROX1\n";
const CHECKSUM_BYTES: usize = 32;
/// Bits of a mode that let others write.
const WRITABLE_BY_OTHERS: u32 = 0o022;

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
#[derive(Debug)]
pub struct DiskCache {
    folder: Option<PathBuf>,
    /// Whether the reason why the folder is not used was reported.
    told: AtomicBool,
}

/// Why a folder or file is not used.
enum Refusal {
    /// It is not there, or the system does not let it be opened.
    System(Errno),
    /// Others could have written it: the reason.
    Unsafe(String),
}

impl From<Errno> for Refusal {
    fn from(error: Errno) -> Refusal {
        Refusal::System(error)
    }
}

/// What is wrong with something of this owner and mode, and what to do about it.
fn distrusted(what: &str, path: &Path, stat: &Stat) -> Option<String> {
    let user = rustix::process::geteuid().as_raw();
    let (owner, mode, path) = (stat.st_uid, stat.st_mode & 0o7777, path.display());
    if owner != user && owner != 0 {
        return Some(format!(
            "{what} {path} belongs to user {owner} (mode {mode:04o}) and not to user {user}, who runs this process: name \
             another folder by CUPROXIDE_CACHE_DIR"
        ));
    }
    (mode & WRITABLE_BY_OTHERS != 0).then(|| {
        format!(
            "{what} {path} of user {owner} can be written by others (mode {mode:04o}): run `chmod go-w {path}` if nobody \
             else has put files there, or name another folder by CUPROXIDE_CACHE_DIR"
        )
    })
}

/// Makes a folder and those above it, for the user alone.
fn create(folder: &Path) -> Result<(), Errno> {
    let mut made = rustix::fs::mkdir(folder, Mode::RWXU);
    if made == Err(Errno::NOENT)
        && let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty())
    {
        create(parent)?;
        made = rustix::fs::mkdir(folder, Mode::RWXU);
    }
    match made {
        Ok(()) => {
            // The umask may have taken away what the user needs.
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            if let Ok(made) = rustix::fs::open(folder, flags, Mode::empty()) {
                rustix::fs::fchmod(made, Mode::RWXU)?;
            }
            Ok(())
        }
        Err(Errno::EXIST) => Ok(()),
        Err(error) => Err(error),
    }
}

/// A number that nobody else can tell beforehand.
fn random() -> u64 {
    static SEED: OnceLock<RandomState> = OnceLock::new();
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    SEED.get_or_init(RandomState::new).hash_one((std::process::id(), count))
}

impl DiskCache {
    fn new(folder: Option<PathBuf>) -> DiskCache {
        DiskCache { folder, told: AtomicBool::new(false) }
    }

    /// The cache that the environment asks for.
    pub fn of_process() -> &'static DiskCache {
        static CACHE: OnceLock<DiskCache> = OnceLock::new();
        CACHE.get_or_init(|| {
            if settings::CACHE_IN_MEMORY.is_on() {
                return DiskCache::new(None);
            }
            let named = settings::CACHE_DIR.path();
            let home = || std::env::var_os("HOME").filter(|home| !home.is_empty());
            let home = || home().map(|home| PathBuf::from(home).join(".cuproxide/kernel_cache"));
            DiskCache::new(named.or_else(home))
        })
    }

    /// A cache in a folder, for tests.
    #[cfg(test)]
    pub fn at(folder: &Path) -> DiskCache {
        DiskCache::new(Some(folder.to_path_buf()))
    }

    /// Where the entries lie, for reports: the folder, and why it is not used if it is not.
    pub fn place(&self) -> String {
        let Some(folder) = &self.folder else { return "in memory only".to_owned() };
        match self.open(false) {
            Err(Refusal::Unsafe(reason)) => format!("in memory only: {reason}"),
            _ => folder.display().to_string(),
        }
    }

    /// The folder, made if need be, where only the user can write; for what is no entry.
    pub fn private_folder(&self) -> Option<&Path> {
        let folder = self.folder.as_deref()?;
        self.open(true).ok().map(|_| folder)
    }

    /// Why the cache is not used although there is a folder; told once.
    pub fn warning(&self) -> Option<String> {
        self.folder.as_ref()?;
        let Err(Refusal::Unsafe(reason)) = self.open(false) else { return None };
        let first = !self.told.swap(true, Ordering::Relaxed);
        first.then(|| format!("compiled kernels are not kept on disk, since others could place code there: {reason}"))
    }

    /// Opens the folder, if it can be trusted.
    fn open(&self, make: bool) -> Result<OwnedFd, Refusal> {
        let folder = self.folder.as_ref().ok_or(Errno::NOENT)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = match rustix::fs::open(folder, flags, Mode::empty()) {
            Err(Errno::NOENT) if make => {
                create(folder)?;
                rustix::fs::open(folder, flags, Mode::empty())?
            }
            other => other?,
        };
        match distrusted("the folder", folder, &rustix::fs::fstat(&opened)?) {
            None => Ok(opened),
            Some(reason) => {
                tracing::debug!(reason, "the kernel cache is not used");
                Err(Refusal::Unsafe(reason))
            }
        }
    }

    /// The content of a regular file in the folder that only the user could have written. Never waits, as opening a pipe
    /// would.
    fn read(&self, name: &str) -> Result<Vec<u8>, Refusal> {
        let folder = self.open(false)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(&folder, name, flags, Mode::empty())?;
        let stat = rustix::fs::fstat(&opened)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(Refusal::Unsafe(format!("the cache entry {name} is not a file")));
        }
        let path = self.folder.as_deref().unwrap_or(Path::new("")).join(name);
        if let Some(reason) = distrusted("the cache entry", &path, &stat) {
            return Err(Refusal::Unsafe(reason));
        }
        let mut content = vec![];
        let read = File::from(opened).read_to_end(&mut content);
        read.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        Ok(content)
    }

    /// The entry, if it is there and whole.
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let name = key.file_name();
        let file = match self.read(&name) {
            Ok(file) => file,
            Err(Refusal::System(_)) => return None,
            Err(Refusal::Unsafe(reason)) => {
                tracing::warn!(reason, "a cache file is ignored");
                return None;
            }
        };
        let content = file.strip_prefix(MARK).filter(|content| content.len() >= CHECKSUM_BYTES);
        let image = content.map(|content| content.split_at(CHECKSUM_BYTES));
        match image {
            Some((checksum, image)) if Sha256::digest(image)[..] == *checksum => Some(image.to_vec()),
            _ => {
                tracing::warn!(name, "a damaged cache file is ignored");
                None
            }
        }
    }

    /// Puts a file into the folder, all of it or nothing.
    fn write(&self, name: &str, parts: &[&[u8]]) {
        let Some(folder) = &self.folder else { return };
        let write = || -> Result<(), Refusal> {
            let opened = self.open(true)?;
            let temporary = format!(".{name}.{:016x}", random());
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let mode = Mode::RUSR | Mode::WUSR;
            let file = rustix::fs::openat(&opened, &temporary, flags, mode)?;
            let fill = || -> std::io::Result<()> {
                rustix::fs::fchmod(&file, mode)?;
                let mut file = File::from(file);
                parts.iter().try_for_each(|part| file.write_all(part))?;
                Ok(rustix::fs::renameat(&opened, &temporary, &opened, name)?)
            };
            fill().map_err(|error| {
                let _ = rustix::fs::unlinkat(&opened, &temporary, AtFlags::empty());
                Refusal::System(Errno::from_io_error(&error).unwrap_or(Errno::IO))
            })
        };
        if let Err(Refusal::System(error)) = write() {
            tracing::debug!(folder = %folder.display(), %error, "the kernel cache cannot be written");
        }
    }

    /// Keeps the text that an entry is made of beside it, if `CUPROXIDE_CACHE_SAVE_CUDA_SOURCE` asks for it.
    pub fn put_source(&self, key: &Key, text: &str) {
        if settings::SAVE_SOURCE.is_on() {
            self.write(&key.file_name().replace(".bin", ".cu"), &[text.as_bytes()]);
        }
    }

    /// Keeps an entry, if the folder can be written.
    pub fn put(&self, key: &Key, image: &[u8]) {
        self.write(&key.file_name(), &[MARK, &Sha256::digest(image), image]);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

    use rustix::fs::CWD;

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("cuproxide-cache-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let _ = std::fs::remove_file(&folder);
        folder
    }

    fn allow(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a mode");
    }

    fn key() -> Key {
        Key::of([b"text".as_slice()])
    }

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).expect("it is there").mode() & 0o7777
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
        let key = key();
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
        cache.put(&key(), b"machine code");
        assert_eq!(cache.get(&key()), None);
        let link = folder.with_extension("link");
        let _ = std::fs::remove_file(&link);
        symlink("/nowhere/at/all", &link).expect("a link");
        DiskCache::at(&link.join("a/b")).put(&key(), b"machine code");
        let none = DiskCache::new(None);
        none.put(&key(), b"machine code");
        assert_eq!(none.get(&key()), None);
    }

    #[test]
    fn only_the_user_can_read_what_is_made() {
        let folder = folder("modes");
        let cache = DiskCache::at(&folder.join("a/b"));
        cache.put(&key(), b"machine code");
        for made in [&folder, &folder.join("a"), &folder.join("a/b")] {
            assert_eq!(mode(made), 0o700, "{}", made.display());
        }
        assert_eq!(mode(&folder.join("a/b").join(key().file_name())), 0o600);
    }

    #[test]
    fn what_others_can_write_is_not_used() {
        let folder = folder("writable");
        let cache = DiskCache::at(&folder);
        cache.put(&key(), b"machine code");
        for open in [0o770, 0o707, 0o1777] {
            allow(&folder, open);
            assert_eq!(cache.get(&key()), None, "{open:o}");
            cache.put(&Key::of([b"other".as_slice()]), b"machine code");
            assert!(cache.private_folder().is_none());
            assert!(cache.place().contains("chmod"), "{}", cache.place());
        }
        let warning = cache.warning().expect("it is told");
        for part in [&*folder.display().to_string(), "mode 1777", "chmod go-w", "CUPROXIDE_CACHE_DIR"] {
            assert!(warning.contains(part), "{part}: {warning}");
        }
        assert_eq!(cache.warning(), None, "once");
        allow(&folder, 0o755);
        assert_eq!(std::fs::read_dir(&folder).expect("the folder").count(), 1, "nothing was put");
        assert!(cache.get(&key()).is_some());
        let entry = folder.join(key().file_name());
        for open in [0o620, 0o602, 0o666] {
            allow(&entry, open);
            assert_eq!(cache.get(&key()), None, "{open:o}");
        }
        cache.put(&key(), b"machine code");
        assert_eq!((cache.get(&key()).is_some(), mode(&entry)), (true, 0o600), "made anew");
    }

    #[test]
    fn what_belongs_to_others_is_not_used() {
        let folder = folder("owner");
        let cache = DiskCache::at(&folder);
        cache.put(&key(), b"machine code");
        let entry = folder.join(key().file_name());
        if chown(&entry, Some(12345), None).is_err() {
            // Only the administrator can give files away.
            return;
        }
        assert_eq!(cache.get(&key()), None);
        cache.put(&key(), b"machine code");
        assert!(cache.get(&key()).is_some(), "made anew");
        chown(&folder, Some(12345), None).expect("as above");
        assert_eq!(cache.get(&key()), None);
        let warning = cache.warning().expect("it is told");
        assert!(warning.contains("belongs to user 12345 (mode 0700)"), "{warning}");
    }

    #[test]
    fn only_files_are_entries() {
        let folder = folder("kinds");
        let cache = DiskCache::at(&folder);
        cache.put(&key(), b"machine code");
        let entry = folder.join(key().file_name());
        let aside = folder.join("aside");
        std::fs::rename(&entry, &aside).expect("a renaming");
        symlink(&aside, &entry).expect("a link");
        assert_eq!(cache.get(&key()), None, "a link");
        std::fs::remove_file(&entry).expect("it is there");
        rustix::fs::mknodat(CWD, &entry, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
        assert_eq!(cache.get(&key()), None, "a pipe");
        cache.put(&key(), b"machine code");
        assert!(cache.get(&key()).is_some(), "replaced");
        assert!(aside.exists(), "what a link pointed to is left alone");
    }

    #[test]
    fn temporary_names_cannot_be_guessed() {
        let (a, b) = (random(), random());
        assert!(a != b && a >> 40 != b >> 40);
    }
}
