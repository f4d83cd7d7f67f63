//! The native methods of agents that threads are in.

use jvmti_wire::trace::{NativeCode, Record};

use crate::agent_state::AgentState;

/// A native method of an agent that Java code has called.
#[derive(Clone, Debug)]
pub struct NativeMethod {
    /// Class and name.
    pub name: String,
    /// The place where its function begins.
    pub site: u32,
    /// When it was called, in nanoseconds.
    pub at: u64,
}

impl AgentState<'_> {
    /// Takes what native code of an agent does.
    pub(crate) fn learn_native(&mut self, record: &Record, native: &NativeCode) {
        match native {
            NativeCode::MethodEntered { name, site, .. } => {
                let method = NativeMethod { name: name.clone(), site: *site, at: record.at };
                self.methods.entry(record.thread).or_default().push(method);
            }
            NativeCode::MethodLeft => drop(self.methods.get_mut(&record.thread).and_then(Vec::pop)),
            _ => {}
        }
    }

    /// The native method that the thread is in, unless it is in a callback within that.
    pub fn native_method(&self, thread: u32) -> Option<&NativeMethod> {
        let innermost = self.methods.get(&thread)?.last()?;
        self.delivery(thread).is_none_or(|delivery| delivery.at <= innermost.at).then_some(innermost)
    }
}
