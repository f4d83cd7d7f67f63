//! jvmti-reports
