//! Clocks: CPU time, cycles, and how busy the machine is.

use std::fs;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// CPU time of this thread in nanoseconds: the cost of a run, even if other work preempts it.
pub(crate) fn cpu_ns() -> u64 {
    ns_of(ClockId::ThreadCPUTime)
}

/// CPU time of all threads of this process in nanoseconds.
pub(crate) fn process_cpu_ns() -> u64 {
    ns_of(ClockId::ProcessCPUTime)
}

fn ns_of(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The cycle counter.
#[inline]
pub(crate) fn cycles() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 has it.
    unsafe {
        core::arch::x86_64::_rdtsc()
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
        START.elapsed().as_nanos() as u64
    }
}

/// Cycles in a nanosecond.
pub(crate) fn cycles_per_ns() -> f64 {
    let (first, start) = (cycles(), Instant::now());
    std::thread::sleep(Duration::from_millis(50));
    (cycles() - first) as f64 / start.elapsed().as_nanos() as f64
}

/// Percent of the last ten seconds in which some task waited for a processor; `None` if the kernel does not report
/// it.
pub(crate) fn pressure() -> Option<f64> {
    let text = fs::read_to_string("/proc/pressure/cpu").ok()?;
    text.split_ascii_whitespace().find_map(|word| word.strip_prefix("avg10=")?.parse().ok())
}

/// Above this, a tail measures other work on the machine.
pub(crate) const PRESSURE_MAX: f64 = 5.0;

/// Waits for the machine to calm down, at most `patience`; returns whether it is calm.
pub(crate) fn calm(patience: Duration) -> bool {
    let start = Instant::now();
    while pressure().is_some_and(|now| now >= PRESSURE_MAX) {
        if start.elapsed() >= patience {
            return false;
        }
        std::thread::sleep(Duration::from_millis(500));
    }
    true
}

/// CPU seconds that the machine has spent on anything, including stolen time; 0 if the kernel does not report it.
pub(crate) fn machine_seconds() -> f64 {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    // user, nice, system, idle, iowait, irq, softirq, steal
    let ticks = text.split_ascii_whitespace().skip(1).take(8).map(|ticks| ticks.parse::<u64>().unwrap_or(0));
    ticks.enumerate().filter(|(at, _)| !matches!(at, 3 | 4)).map(|(_, ticks)| ticks).sum::<u64>() as f64
        / 100.0
}

/// CPU seconds used by all threads of a process.
pub(crate) fn process_seconds(process: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("the process runs");
    // The name in brackets may contain blanks; the numbers come after it.
    let numbers = stat.rsplit(')').next().expect("a status line");
    let ticks: u64 =
        numbers.split(' ').skip(12).take(2).map(|ticks| ticks.parse::<u64>().expect("ticks")).sum();
    ticks as f64 / 100.0
}
