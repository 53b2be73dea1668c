//! The vault of a life: secrets of new keys, rotations of its key, and what a start finds of both.

use super::Life;
use crate::check::Finding;
use crate::disk::Trouble;
use crate::secrets::new_key;
use buttonwood_engine::Command;
use buttonwood_sequencer::Stepped;
use buttonwood_vault::Fault;

impl Life {
    /// Opens the vault of a process that starts; `false` if the process ended meanwhile, so that it must start again.
    pub(super) fn unseal(&mut self) -> Result<bool, Finding> {
        match (self.scene.unseal(&self.disk), self.disk.blown()) {
            (Ok(secrets), None | Some(Trouble::Error)) => {
                self.secrets = secrets;
                return Ok(true);
            }
            (_, Some(Trouble::PowerCut)) => self.disk.cut_power(&mut self.dice),
            (_, Some(Trouble::Kill | Trouble::Error)) => self.disk.kill(),
            (Err(fault), None) => {
                self.excuse_vault(&fault)?;
                self.disk.kill();
                self.limit(None);
            }
        }
        Ok(false)
    }

    /// Stores the secret of the key that a command makes; `false` if the disk refuses it, so that the key cannot be made.
    pub(super) fn seal(&mut self, command: &Command) -> Result<bool, Finding> {
        let Some(secrets) = self.secrets.as_ref().filter(|_| new_key(command).is_some()) else {
            return Ok(true);
        };
        let stored = secrets.store(command);
        self.note(|| format!("secret of {:?}: {stored:?}", new_key(command)));
        let is_stored = self.is_kept(stored)?;
        self.tally.sealed += u64::from(is_stored);
        Ok(is_stored)
    }

    /// Seals all secrets under a new key; afterwards this process still opens the vault.
    pub(super) fn rotate(&mut self) -> Result<(), Finding> {
        let number = self.disk.calls();
        let Some(secrets) = &self.secrets else { return Ok(()) };
        let rotated = secrets.rotate(number);
        self.note(|| format!("the vault's key rotated: {rotated:?}"));
        self.tally.rotations += u64::from(self.is_kept(rotated)?);
        if self.has_ended() {
            Ok(())
        } else {
            self.check_secrets(self.stepped.as_ref().expect("it is running"))
        }
    }

    /// Checks that every key that the state has is whole.
    pub(super) fn check_secrets(&self, stepped: &Stepped) -> Result<(), Finding> {
        self.secrets.as_ref().map_or(Ok(()), |secrets| secrets.check(&stepped.state()))
    }

    /// Whether a change of the vault was made by a process that goes on; only the disk may prevent it.
    fn is_kept(&self, made: Result<(), Fault>) -> Result<bool, Finding> {
        match made {
            Ok(()) => Ok(!self.has_ended()),
            Err(fault) => self.excuse_vault(&fault).map(|()| false),
        }
    }

    /// Checks that the disk is the reason of a fault of the vault.
    fn excuse_vault(&self, fault: &Fault) -> Result<(), Finding> {
        if self.disk.blown().is_some() || self.disk.refused().is_some() {
            Ok(())
        } else {
            Err(format!("the vault fails without a reason: {fault}"))
        }
    }
}
