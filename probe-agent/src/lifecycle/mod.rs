//! From `Agent_OnLoad` to `Agent_OnUnload`: the entry points, the JVM's life, and events on their way to whoever wants them.

pub mod entry;

mod capability_holder;
mod events;
mod own_trace;
mod vm_life;
