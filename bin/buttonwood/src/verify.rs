//! `buttonwood verify`: proves a data directory.

use crate::cli::Verify;
use crate::trouble::Trouble;
use buttonwood_sequencer::verify;

/// Verifies and prints what was found.
pub(crate) fn run(flags: &Verify) -> Result<(), Trouble> {
    std::fs::metadata(&flags.data).map_err(|error| Trouble::Data(flags.data.clone(), error))?;
    if !["journal", "history"].iter().any(|part| flags.data.join(part).is_dir()) {
        let line =
            format!("--data {}: no exchange's data directory, it holds no journal", flags.data.display());
        return Err(Trouble::Flag(line));
    }
    let report = verify(&flags.data)?;
    println!(
        "{} commands in {} batches of {} segments: checksums and hash chain hold",
        report.commands, report.batches, report.segments
    );
    println!("replay gives the balances the exchange had after every batch");
    println!(
        "{} accounts, {} live orders: every currency sums to zero, nobody is below zero, every hold is what its orders need",
        report.accounts, report.live_orders
    );
    match report.snapshot {
        Some(seq) => {
            println!("the newest snapshot, of command {seq}, equals the replay");
            println!("{} rows of history that it relies on are as the journal gives them", report.rows);
        }
        None => println!("no snapshot yet"),
    }
    for note in &report.notes {
        println!("note: {note}");
    }
    println!("ok");
    Ok(())
}
