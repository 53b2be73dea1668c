//! An allocator that counts live bytes: the memory of an order, independent of the kernel.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};

use mimalloc::MiMalloc;

/// `mimalloc`, as the product uses it, with a count of live bytes that must be switched on.
pub(crate) struct Counting;

static ON: AtomicBool = AtomicBool::new(false);
static LIVE: AtomicI64 = AtomicI64::new(0);

/// Starts the count; blocks allocated before are not included.
pub(crate) fn count() {
    ON.store(true, Relaxed);
}

/// Bytes allocated and not freed since [`count`].
pub(crate) fn live() -> i64 {
    LIVE.load(Relaxed)
}

/// Resident bytes of this process.
pub(crate) fn resident() -> i64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux tells of every process's memory");
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse::<i64>().ok());
    pages.expect("the second number is what is resident") * 4096
}

fn note(bytes: usize, sign: i64) {
    if ON.load(Relaxed) {
        LIVE.fetch_add(sign * bytes as i64, Relaxed);
    }
}

// SAFETY: every call is passed on unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 1);
        unsafe { MiMalloc.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 1);
        unsafe { MiMalloc.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        note(layout.size(), -1);
        unsafe { MiMalloc.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        note(layout.size(), -1);
        note(bytes, 1);
        unsafe { MiMalloc.realloc(at, layout, bytes) }
    }
}
