//! jvmti-probe
