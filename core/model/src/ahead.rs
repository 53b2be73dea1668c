//! Lines of memory that will be needed soon.

/// Has the processor fetch what lies there while it goes on with something else. Nothing is read and nothing changes: it can
/// only be in vain, as it is on processors that we know no such instruction of.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "there it does nothing"))]
#[expect(clippy::inline_always, reason = "it is one instruction")]
#[inline(always)]
pub fn fetch<T>(place: Option<&T>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(place) = place {
        safe_arch::prefetch_t0(place);
    }
}
