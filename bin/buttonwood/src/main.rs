//! The `buttonwood` binary; all its code is in the library of this crate.

fn main() -> std::process::ExitCode {
    buttonwood::main()
}
