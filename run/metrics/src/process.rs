//! Figures of the process, under the names that Prometheus' own clients use. They come from `/proc`; a system without
//! it has none.

use crate::histogram::seconds;
use crate::page::{Kind, Page};
use rustix::time::{ClockId, clock_gettime};
use std::fs;
use std::time::SystemTime;

/// The process's processor time, memory, open files, threads and start.
#[derive(Debug, Default, PartialEq, Eq)]
struct Figures {
    /// User and system time in clock ticks.
    ticks: u64,
    threads: u64,
    /// Ticks between the system's boot and the process's start.
    started: u64,
    virtual_bytes: u64,
    resident_pages: u64,
}

/// Writes what `/proc` reports of this process.
pub fn write_process(page: &mut Page) {
    let hertz = rustix::param::clock_ticks_per_second().max(1);
    let page_bytes = u64::try_from(rustix::param::page_size()).unwrap_or(4_096);
    if let Some(figures) = fs::read_to_string("/proc/self/stat").ok().as_deref().and_then(figures) {
        let Figures { ticks, threads, started, virtual_bytes, resident_pages } = figures;
        let nanos = |ticks: u64| seconds(ticks.saturating_mul(1_000_000_000 / hertz));
        let help = "User and system processor time in seconds.";
        page.single("process_cpu_seconds_total", Kind::Counter, help, nanos(ticks));
        page.single("process_threads", Kind::Gauge, "Threads.", threads);
        let help = "Virtual memory in bytes.";
        page.single("process_virtual_memory_bytes", Kind::Gauge, help, virtual_bytes);
        let (help, resident) = ("Resident memory in bytes.", resident_pages.saturating_mul(page_bytes));
        page.single("process_resident_memory_bytes", Kind::Gauge, help, resident);
        let help = "Start of the process, in seconds since 1970.";
        page.single("process_start_time_seconds", Kind::Gauge, help, boot_second() + started / hertz);
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        page.single("process_open_fds", Kind::Gauge, "Open files.", open.count());
    }
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    if let Some(files) = files_max(&limits) {
        page.single("process_max_fds", Kind::Gauge, "Open files at most.", files);
    }
}

/// The fields of `/proc/self/stat`. The second one is the program's name, which may hold blanks and brackets.
fn figures(stat: &str) -> Option<Figures> {
    let (_, fields) = stat.rsplit_once(')')?;
    // The first of these is the third of the line.
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    Some(Figures {
        ticks: field(14)? + field(15)?,
        threads: field(20)?,
        started: field(22)?,
        virtual_bytes: field(23)?,
        resident_pages: field(24)?,
    })
}

/// The second of the system's boot, from the clocks: a service may not see `/proc/stat`.
fn boot_second() -> u64 {
    let since_boot = u64::try_from(clock_gettime(ClockId::Boottime).tv_sec).unwrap_or(0);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    now.as_secs().saturating_sub(since_boot)
}

fn files_max(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_those_of_proc() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194560 1 2 3 4 250 50 0 0 20 0 9 0 12345 1048576 77 18446744073709551615 1";
        let expected =
            Figures { ticks: 300, threads: 9, started: 12_345, virtual_bytes: 1_048_576, resident_pages: 77 };
        assert_eq!(figures(stat), Some(expected));
        assert_eq!(figures("7 (short) S"), None);
        let limits = "Limit Soft Hard Units\nMax open files            1024                 4096                 files\n";
        assert_eq!(files_max(limits), Some(1_024));
    }

    /// This very process has figures.
    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_has_figures() {
        let mut page = Page::default();
        write_process(&mut page);
        let text = page.finish();
        for name in
            ["cpu_seconds_total", "resident_memory_bytes", "start_time_seconds", "open_fds", "max_fds"]
        {
            assert!(
                text.contains(&format!("\nprocess_{name} ")) || text.contains(&format!("process_{name} ")),
                "{text}"
            );
        }
    }
}
