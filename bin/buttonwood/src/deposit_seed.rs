//! The seed of deposit addresses: 32 bytes, sealed in the vault like the secrets of keys.

use crate::trouble::Trouble;
use buttonwood_address::Seed;
use buttonwood_engine::State;
use buttonwood_sandbox::draw_deposit_seed;
use buttonwood_vault::{Entry, Opened, Secret, Vault};

/// Its name in the vault. No API key has it, since those begin with `account-` or `master-`.
const NAME: &str = "deposit-seed";

/// The seed, drawn and sealed at the first start that needs it. `repeats` is the flag `--seed` of a sandbox, so that its addresses repeat
/// themselves.
pub(crate) fn of_vault(
    vault: &Vault,
    opened: &mut Opened,
    state: &State,
    repeats: Option<u64>,
) -> Result<Seed, Trouble> {
    let secret = match opened.get(NAME)? {
        Some(secret) => secret,
        // Another seed would give the numbers that follow, but what arrives at the addresses before could never be spent.
        None if !state.funds().addresses().is_empty() => {
            let line = "the vault holds no 'deposit-seed', which the deposit addresses were made from: was the file 'vault' replaced?";
            return Err(Trouble::System(line.to_owned()));
        }
        None => {
            let drawn = draw_deposit_seed(repeats)
                .map_err(|error| Trouble::System(format!("the system has no randomness: {error}")))?;
            let secret = Secret::new(drawn);
            vault.add(opened, &[Entry { name: NAME.to_owned(), secret: secret.clone() }])?;
            secret
        }
    };
    Seed::new(secret.expose())
        .map_err(|error| Trouble::System(format!("the vault's 'deposit-seed': {error}")))
}
