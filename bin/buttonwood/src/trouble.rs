//! Why the process cannot go on: one clear line each.

use buttonwood_operate::SocketFault;
use buttonwood_sandbox as sandbox;
use buttonwood_sequencer as sequencer;
use std::fmt;
use std::io::ErrorKind;
use std::path::PathBuf;

/// A reason to end, for the operator.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The address that this flag names cannot be listened on.
    Listen(&'static str, std::net::SocketAddr, std::io::Error),
    /// The data directory cannot be made or used.
    Data(PathBuf, std::io::Error),
    /// Journal, snapshots or history.
    Exchange(sequencer::Fault),
    /// The vault.
    Vault(buttonwood_vault::Fault),
    /// `credentials.json`.
    Credentials(sandbox::Fault),
    /// A flag's value makes no sense, alone or on this directory.
    Flag(String),
    /// The build's own reference data is wrong.
    Reference(String),
    /// The system refuses something that every process needs.
    System(String),
    /// The running exchange refuses it, or there is none.
    Refused(String),
}

impl Trouble {
    /// 2 for what the command line can mend and for damage, 1 for the rest.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Flag(_) | Self::Exchange(_) => 2,
            Self::Vault(fault) if fault.is_lasting() => 2,
            Self::Listen(..)
            | Self::Data(..)
            | Self::Vault(_)
            | Self::Credentials(_)
            | Self::Reference(_)
            | Self::System(_)
            | Self::Refused(_) => 1,
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listen(flag, address, error) => {
                write!(f, "cannot listen on {address}: {error}")?;
                let is_taken = error.kind() == ErrorKind::AddrInUse;
                if is_taken {
                    write!(f, "; {flag} takes another, and with port 0 a free one")
                } else {
                    Ok(())
                }
            }
            Self::Data(path, error) => write!(f, "cannot use the data directory {}: {error}", path.display()),
            Self::Exchange(fault) => write!(f, "{fault}"),
            Self::Vault(fault) => write!(f, "{fault}"),
            Self::Credentials(fault) => write!(f, "{fault}"),
            Self::Flag(line) | Self::System(line) | Self::Refused(line) => f.write_str(line),
            Self::Reference(line) => write!(f, "reference data: {line}"),
        }
    }
}

impl From<SocketFault> for Trouble {
    fn from(fault: SocketFault) -> Self {
        match fault {
            SocketFault::NoGroup(_) => Self::Flag(fault.to_string()),
            SocketFault::Io(..) => Self::System(fault.to_string()),
        }
    }
}

impl From<sequencer::Fault> for Trouble {
    fn from(fault: sequencer::Fault) -> Self {
        Self::Exchange(fault)
    }
}

impl From<buttonwood_vault::Fault> for Trouble {
    fn from(fault: buttonwood_vault::Fault) -> Self {
        Self::Vault(fault)
    }
}

impl From<sandbox::Fault> for Trouble {
    fn from(fault: sandbox::Fault) -> Self {
        Self::Credentials(fault)
    }
}
