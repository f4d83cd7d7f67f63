#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| jvmti_fuzz::trace(bytes));
