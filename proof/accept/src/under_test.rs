//! The exchange's own binary, built with the tests so that `cargo test` needs no second build.

fn main() -> std::process::ExitCode {
    buttonwood::main()
}
