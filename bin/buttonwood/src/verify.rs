//! `buttonwood verify`: proves a data directory.

use crate::backup::check_finished;
use crate::cli::Verify;
use crate::trouble::Trouble;
use buttonwood_sequencer::verify_with;
use std::path::Path;

/// Verifies and prints what was found.
pub(crate) fn run(flags: &Verify) -> Result<(), Trouble> {
    check_directory(&flags.data)?;
    let report = verify_with(&flags.data, flags.archive.as_ref().map(Into::into))?;
    println!(
        "{} commands in {} batches of {} segments: checksums and hash chain hold",
        report.commands, report.batches, report.segments
    );
    if let Some(begins) = report.begins {
        let (why, advice) = if begins.is_deleted {
            ("were in segments that were deleted", "")
        } else {
            ("are in archived segments that are not here", "; --archive names their folder")
        };
        println!(
            "commands 1 to {0} {why}: checksums and hash chain are proven from command {1} on, \
             all else from command {2} on, where the oldest snapshot ends{advice}",
            begins.archived,
            begins.archived + 1,
            begins.snapshot + 1
        );
    }
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
        None if report.begins.is_some() => {
            println!("the only snapshot cannot be compared: the proof begins with it");
        }
        None => println!("no snapshot yet"),
    }
    match &report.tables {
        Some(tables) => {
            let sizes = tables.tables.iter().map(|size| format!("{} {} rows", size.table, size.rows));
            println!(
                "the history's database has reached command {} and is as the journal gives it: {}; {} bytes, kept for ever",
                tables.seq,
                sizes.collect::<Vec<_>>().join(", "),
                tables.bytes
            );
        }
        None => println!("no database of the history"),
    }
    for note in &report.notes {
        println!("note: {note}");
    }
    println!("ok");
    Ok(())
}

/// Refuses a folder that holds no exchange, or an unfinished copy of one.
pub(crate) fn check_directory(data: &Path) -> Result<(), Trouble> {
    std::fs::metadata(data).map_err(|error| Trouble::Data(data.to_owned(), error))?;
    if !["journal", "history"].iter().any(|part| data.join(part).is_dir()) {
        let line = format!("--data {}: no exchange's data directory, it holds no journal", data.display());
        return Err(Trouble::Flag(line));
    }
    check_finished(data)
}
