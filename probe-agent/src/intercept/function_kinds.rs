//! Tells what the probe does for each function in addition to recording its calls.

use std::sync::LazyLock;

use super::allocations;
use crate::ffi::{self, CType, Dir, FunctionDescriptor, ParamDescriptor, slot};
use crate::marshal::PlainBlocks;

/// What the probe does for a function in addition to recording its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    None,
    /// The function invokes callbacks that may call only callback-safe functions.
    CallsBack,
    /// The probe does something before the call; mostly it replaces arguments.
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
            | slot::ALLOCATE
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

/// Whether [`Special`] allows that the probe only counts calls of the function of that slot.
pub fn is_plain(slot: u16) -> bool {
    special(slot) == Special::None || matches!(slot, ffi::slot::ALLOCATE | ffi::slot::DEALLOCATE)
}

/// Whether the function of that slot invokes callbacks that may call only callback-safe functions.
pub fn calls_back(slot: u16) -> bool {
    special(slot) == Special::CallsBack
}

/// Whether the function of that slot suspends threads or resumes them: who is suspended depends on each call, and on its outputs.
pub fn changes_suspension(slot: u16) -> bool {
    matches!(
        slot,
        slot::SUSPEND_THREAD
            | slot::SUSPEND_THREAD_LIST
            | slot::SUSPEND_ALL_VIRTUAL_THREADS
            | slot::RESUME_THREAD
            | slot::RESUME_THREAD_LIST
            | slot::RESUME_ALL_VIRTUAL_THREADS
    )
}

/// What the probe does with a counted call of a function that affects who holds memory or a raw monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brief {
    /// Nothing.
    No,
    /// The call exits a raw monitor; the probe records that beforehand, unless the call that entered it left no record.
    Exits,
    /// The call enters a raw monitor; the probe notes or records that.
    Enters,
    /// The probe records the memory that the call allocates.
    Gives,
    /// The probe tracks the memory that the call allocates.
    Held,
    /// The call deallocates memory; the probe records nothing about memory that it tracks.
    Returns,
}

impl Brief {
    const ALL: [Brief; 6] =
        [Brief::No, Brief::Exits, Brief::Enters, Brief::Gives, Brief::Held, Brief::Returns];

    /// The one of that number.
    #[inline]
    pub fn of(number: u8) -> Brief {
        Brief::ALL.get(usize::from(number)).copied().unwrap_or(Brief::No)
    }
}

static BRIEF: LazyLock<[Brief; SLOTS]> = LazyLock::new(|| {
    let mut brief = [Brief::No; SLOTS];
    for function in ffi::FUNCTIONS {
        brief[usize::from(function.slot)] = match function.slot {
            slot::DEALLOCATE => Brief::Returns,
            slot::RAW_MONITOR_EXIT => Brief::Exits,
            slot::RAW_MONITOR_ENTER => Brief::Enters,
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

/// Whether the function of that slot reads from memory of the caller's.
pub fn reads_memory(slot: u16) -> bool {
    let reads = |param: &ParamDescriptor| matches!(param.dir, Dir::InString | Dir::InPtr | Dir::InBuf);
    slot != ffi::slot::DEALLOCATE
        && ffi::descriptor(slot).is_some_and(|function| function.params.iter().any(reads))
}

/// Where the functions of all slots give memory, if that can be told without walking through what they return.
static PLAIN: LazyLock<[Option<PlainBlocks>; SLOTS]> = LazyLock::new(|| {
    let mut plain = [const { None }; SLOTS];
    for function in ffi::FUNCTIONS {
        plain[usize::from(function.slot)] = PlainBlocks::of_function(function);
    }
    plain
});

/// Where the function of that slot gives memory, if that can be told without walking through what it returns.
#[inline]
pub fn plain_blocks(slot: u16) -> Option<&'static PlainBlocks> {
    PLAIN.get(usize::from(slot))?.as_ref()
}

/// The parameters that are references, by slot: a bit for each parameter after the environment.
static REFERENCES: LazyLock<[u8; SLOTS]> = LazyLock::new(|| {
    let mut references = [0; SLOTS];
    for function in ffi::FUNCTIONS {
        for (index, param) in function.params.iter().enumerate().take(u8::BITS as usize) {
            references[usize::from(function.slot)] |=
                u8::from(matches!(param.ty, CType::Reference(_))) << index;
        }
    }
    references
});

/// The references among the arguments of the function of that slot, except null.
#[inline]
pub fn references(slot: u16, args: &[u64]) -> impl Iterator<Item = u64> + '_ {
    let bits = REFERENCES.get(usize::from(slot)).copied().unwrap_or_default();
    let is_reference = move |(index, word): &(usize, &u64)| {
        **word != 0 && bits.checked_shr(*index as u32).unwrap_or(0) & 1 == 1
    };
    args.iter().enumerate().filter(is_reference).map(|(_, word)| *word)
}

fn is_restricting(descriptor: &FunctionDescriptor) -> bool {
    descriptor.params.iter().any(|param| match param.ty {
        CType::Callback(callback) => callback.heap_callback,
        CType::Pointer(CType::Struct(layout)) => layout.name == "jvmtiHeapCallbacks",
        _ => false,
    })
}
