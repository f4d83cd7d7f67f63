//! Commands that need no JVM: what they print, and their exit codes, are in `cli/*.trycmd`.
//! `TRYCMD=overwrite cargo test -p jvmti-check --test commands` writes what they print now; read the difference.

#[test]
fn commands_print_what_is_written() {
    trycmd::TestCases::new().env("NO_COLOR", "1").case("tests/cli/*.trycmd");
}
