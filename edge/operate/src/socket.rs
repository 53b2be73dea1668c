//! The socket in the data directory through which operators speak to the exchange.
//!
//! A thread of its own serves it, so that operators are heard while requests crowd. Who connects is what the kernel says.

mod arrivals;
mod connection;
mod places;

pub use places::FILES;

use crate::Shared;
use crate::keys::expiry;
use arrivals::Arrivals;
use nix::unistd::Group;
use places::Places;
use rustix::fs::{Mode, OFlags};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use std::fs::Permissions;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::LocalSet;

/// The name of the socket in a data directory.
pub const SOCKET: &str = "admin.sock";

/// Connections that the system queues.
const BACKLOG: i32 = 64;
/// How long the thread waits after an error of the listener.
const PAUSE: Duration = Duration::from_millis(100);

/// Who may connect, besides the owner of the process and root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// The number of the group whose members may.
    group: Option<u32>,
}

impl Access {
    /// Access for the members of a group; without one for nobody else.
    ///
    /// # Errors
    /// [`SocketFault::NoGroup`].
    pub fn of(group: Option<&str>) -> Result<Self, SocketFault> {
        Ok(Self { group: group.map(group_id).transpose()? })
    }
}

/// The socket cannot be opened.
#[derive(Debug)]
pub enum SocketFault {
    /// There is no such group.
    NoGroup(String),
    /// The system refuses it.
    Io(PathBuf, io::Error),
}

impl std::fmt::Display for SocketFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoGroup(name) => write!(f, "--admin-group {name}: this machine has no such group"),
            Self::Io(path, error) => {
                write!(f, "cannot open the operators' socket {}: {error}", path.display())
            }
        }
    }
}

impl std::error::Error for SocketFault {}

/// The open socket; dropping it ends its thread and removes it.
#[derive(Debug)]
pub struct Socket {
    path: PathBuf,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Socket {
    /// Opens the socket of a data directory whose journal this process has locked: one that is there already is of a process that
    /// has ended.
    ///
    /// # Errors
    /// [`SocketFault`].
    pub fn open(data: &Path, access: Access, shared: Arc<Shared>) -> Result<Self, SocketFault> {
        let path = data.join(SOCKET);
        let fault = |error| SocketFault::Io(path.clone(), error);
        let listener = listen(data, access.group).map_err(fault)?;
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(fault)?;
        let serve = move || {
            LocalSet::new().block_on(&runtime, async {
                tokio::select! {
                    () = accept(listener, Arc::clone(&shared)) => {}
                    () = expiry::watch(&shared) => {}
                    _ = stopped => {}
                }
            });
        };
        let thread = std::thread::Builder::new().name("admin".to_owned()).spawn(serve).map_err(fault)?;
        Ok(Self { path: path.clone(), stop: Some(stop), thread: Some(thread) })
    }

    /// Connects to the process that runs on a data directory.
    ///
    /// # Errors
    /// `NotFound` or `ConnectionRefused` when none runs, and what else the system refuses.
    pub fn connect(data: &Path) -> io::Result<UnixStream> {
        let (_open, path) = short_path(data)?;
        UnixStream::connect(path)
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported.
            let _ = thread.join();
        }
        let _ = std::fs::remove_file(&self.path);
    }
}

fn group_id(name: &str) -> Result<u32, SocketFault> {
    let found = Group::from_name(name).ok().flatten();
    found.map(|group| group.gid.as_raw()).ok_or_else(|| SocketFault::NoGroup(name.to_owned()))
}

/// A path of the socket that fits an address, which holds some 100 bytes; it is good while the folder is open.
fn short_path(data: &Path) -> io::Result<(OwnedFd, PathBuf)> {
    let folder = rustix::fs::open(data, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let path = PathBuf::from(format!("/proc/self/fd/{}/{SOCKET}", folder.as_raw_fd()));
    Ok((folder, path))
}

/// A listener whose file has its owner, group and mode before anyone can connect.
fn listen(data: &Path, group: Option<u32>) -> io::Result<UnixListener> {
    let (_folder, path) = short_path(data)?;
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    rustix::net::bind(&socket, &SocketAddrUnix::new(&path)?)?;
    if group.is_some() {
        chown(&path, None, group)?;
    }
    std::fs::set_permissions(&path, Permissions::from_mode(if group.is_some() { 0o660 } else { 0o600 }))?;
    rustix::net::listen(&socket, BACKLOG)?;
    Ok(socket.into())
}

/// Serves connections until it is dropped.
async fn accept(listener: UnixListener, shared: Arc<Shared>) {
    let listener = match tokio::net::UnixListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(%error, "operators cannot connect"),
    };
    let (places, arrivals) = (Rc::new(Places::new()), Rc::new(Arrivals::default()));
    loop {
        arrivals.room().await;
        match listener.accept().await {
            Ok((stream, _)) => {
                let (shared, places, arrival) = (Arc::clone(&shared), Rc::clone(&places), arrivals.enter());
                tokio::task::spawn_local(async move {
                    connection::serve(stream, &shared, &places, arrival).await;
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection of an operator was not taken");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}
