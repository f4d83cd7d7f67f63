//! What there is to do about each function beside recording its calls.

use std::sync::LazyLock;

use super::allocations;
use crate::ffi::{self, CType, FunctionDescriptor, ParamDescriptor, slot};

/// What there is to do about a function beside recording its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    None,
    /// It calls back where nothing but callback-safe functions are allowed.
    CallsBack,
    /// Something is done before, mostly in that what the agent passes is replaced.
    Replaced,
}

/// More than any slot.
const SLOTS: usize = 256;

static SPECIAL: LazyLock<[Special; SLOTS]> = LazyLock::new(|| {
    let mut special = [Special::None; SLOTS];
    for function in ffi::FUNCTIONS {
        special[usize::from(function.slot)] = match function.slot {
            slot::SET_EVENT_CALLBACKS
            | slot::SET_EXTENSION_EVENT_CALLBACK
            | slot::DEALLOCATE
            | slot::RUN_AGENT_THREAD
            | slot::GET_JNI_FUNCTION_TABLE
            | slot::SET_JNI_FUNCTION_TABLE => Special::Replaced,
            _ if is_restricting(function) => Special::CallsBack,
            _ => Special::None,
        };
    }
    special
});

pub fn special(slot: u16) -> Special {
    SPECIAL.get(usize::from(slot)).copied().unwrap_or(Special::None)
}

/// Whether calls of the function of that slot may be counted as far as [`Special`] is concerned.
pub fn is_plain(slot: u16) -> bool {
    special(slot) == Special::None || slot == ffi::slot::DEALLOCATE
}

/// Whether the function of that slot calls back where nothing but callback-safe functions are allowed.
pub fn calls_back(slot: u16) -> bool {
    special(slot) == Special::CallsBack
}

/// What becomes of a call that is counted, where every such call matters: to who holds memory, and raw monitors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brief {
    /// Nothing.
    No,
    /// What it gives up is recorded, before anybody else can have it.
    Before,
    /// What it takes is recorded.
    After,
    /// The memory that it gives is recorded.
    Gives,
    /// Account is kept of the memory that it gives.
    Held,
    /// It gives memory back: of that which account is kept of nothing is recorded.
    Returns,
}

static BRIEF: LazyLock<[Brief; SLOTS]> = LazyLock::new(|| {
    let mut brief = [Brief::No; SLOTS];
    for function in ffi::FUNCTIONS {
        brief[usize::from(function.slot)] = match function.slot {
            slot::DEALLOCATE => Brief::Returns,
            slot::RAW_MONITOR_EXIT => Brief::Before,
            slot::RAW_MONITOR_ENTER => Brief::After,
            _ if !function.params.iter().any(ParamDescriptor::gives_memory) => Brief::No,
            _ if allocations::is_for(function) => Brief::Held,
            _ => Brief::Gives,
        };
    }
    brief
});

pub fn brief(slot: u16) -> Brief {
    BRIEF.get(usize::from(slot)).copied().unwrap_or(Brief::No)
}

fn is_restricting(descriptor: &FunctionDescriptor) -> bool {
    descriptor.params.iter().any(|param| match param.ty {
        CType::Callback(callback) => callback.heap_callback,
        CType::Pointer(CType::Struct(layout)) => layout.name == "jvmtiHeapCallbacks",
        _ => false,
    })
}
