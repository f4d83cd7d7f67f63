//! jvmti-java-tests
