//! The `buttonwood` binary; everything it does is in the library beside it.

fn main() -> std::process::ExitCode {
    buttonwood::main()
}
