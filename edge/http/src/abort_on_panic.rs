//! A panic on a serving thread ends the process.

/// Ends the process when the thread panics while it holds this. Without it, the connections of the thread would hang.
#[derive(Debug)]
pub(crate) struct AbortOnPanic;

impl Drop for AbortOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The panic itself is on standard error, or in the log, already.
            tracing::error!("the serving thread has panicked; stopping at once");
            std::process::abort();
        }
    }
}
