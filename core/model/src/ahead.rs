//! Prefetching memory.

/// Makes the processor load a cache line in the background. Nothing is read and nothing changes. It does nothing on
/// processors for which we have no such instruction.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "there it does nothing"))]
#[expect(clippy::inline_always, reason = "it is one instruction")]
#[inline(always)]
pub fn fetch<T>(place: Option<&T>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(place) = place {
        safe_arch::prefetch_t0(place);
    }
}
