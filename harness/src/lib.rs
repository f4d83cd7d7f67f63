//! jvmti-check
