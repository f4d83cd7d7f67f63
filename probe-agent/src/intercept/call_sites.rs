//! Numbers the call sites in agents, and records a description of each at first sight.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use jvmti_wire::trace::{Body, CodePlace, NO_CODE, SIGNAL_HANDLER};

use super::count::take;
use super::key_table::{KeyTable, key_table};
use super::settings;
use crate::os::{images, memory};
use crate::recording::record;

/// The number of frames that the description of a call site has at most.
const FRAMES: usize = 24;

/// The number of failed calls, and of misuses of JNI, whose stack the probe records.
const MOST_FAILED: u32 = 1024;

/// The number of calls from each call site that the probe has recorded in detail, by return address, with [`DESCRIBED`]. The
/// number of a call site is its index here, from 1.
static SITES: KeyTable<AtomicU32, { 1 << 14 }> = key_table!(AtomicU32::new(0));

/// The trace contains the description of the site.
const DESCRIBED: u32 = 1 << 31;

/// What calls of that function from that call site are counted by.
#[inline]
pub fn key(slot: u16, caller: u64) -> u64 {
    u64::from(slot) << 48 | caller & 0xffff_ffff_ffff
}

/// The number of the call site with that return address; 0 if the table is full.
pub fn number(address: u64) -> u32 {
    let Some(place) = SITES.find(address, || true) else { return 0 };
    let site = place.index() as u32 + 1;
    let is_described = |count: &AtomicU32| count.load(Ordering::Acquire) & DESCRIBED != 0;
    // Another thread may have seen the site first, and not have described it yet: a site comes before its calls.
    if let Some(count) = SITES.value(place.index()).filter(|count| !is_described(count)) {
        describe(site, address);
        count.fetch_or(DESCRIBED, Ordering::Release);
    }
    site
}

/// The number of the call site with that return address, and its library.
pub fn of(address: u64) -> (u32, String) {
    (number(address), place(address).library)
}

/// The number of the call site outside of the probe that led here.
pub fn outside() -> u32 {
    outer().map_or(0, number)
}

/// The number of that call site, and its library.
pub fn outside_of() -> Option<(u32, String)> {
    outer().map(of)
}

fn outer() -> Option<u64> {
    addresses().find(|address| place(*address).library != own_library())
}

/// Whether the probe records one more call from that call site in detail; and how many there were before.
pub fn looks_closely(site: u32) -> Option<u32> {
    let most = settings::get().map_or(0, |wanted| wanted.close);
    let count = site.checked_sub(1).and_then(|index| SITES.value(index as usize));
    count.and_then(|count| take(count, !DESCRIBED, most))
}

/// Records where a failed call comes from, unless there have been many.
#[cold]
pub fn record_failed(call: u32, address: u64) {
    static FAILED: AtomicU32 = AtomicU32::new(0);
    record_stack(&FAILED, call, address);
}

/// Records where a misuse of JNI comes from, unless there have been many. In C++, all calls of some functions come from the same place
/// in jni.h.
#[cold]
pub fn record_misuse(address: u64) {
    static MISUSED: AtomicU32 = AtomicU32::new(0);
    record_stack(&MISUSED, 0, address);
}

fn record_stack(recorded: &AtomicU32, call: u32, address: u64) {
    if take(recorded, u32::MAX, MOST_FAILED).is_some() {
        record(&Body::CallStack { call, stack: stack(address) });
    }
}

/// Whether the probe records environments that this library requests.
pub fn is_wanted(library: &str) -> bool {
    let listed = settings::get().and_then(|wanted| wanted.libraries.as_ref());
    listed.is_none_or(|listed| listed.iter().any(|part| library.contains(part.as_str())))
}

#[cold]
fn describe(site: u32, address: u64) {
    record(&Body::SiteSeen { site, stack: stack(address) });
}

/// The call site and its callers, up to the first one in the JVM. A signal handler's caller has the name [`SIGNAL_HANDLER`].
fn stack(address: u64) -> Vec<CodePlace> {
    // The frames before it belong to the probe.
    let before: Vec<CodePlace> =
        addresses().skip_while(|frame| *frame != address).skip(1).map(caller).take_while(is_agents).collect();
    [place(address)].into_iter().chain(before).collect()
}

fn caller(address: u64) -> CodePlace {
    let place = place(address);
    match !place.library.is_empty() && images::is_signal_return(address as usize) {
        true => CodePlace { symbol: SIGNAL_HANDLER.to_owned(), ..place },
        false => place,
    }
}

/// The return addresses of this function and its callers, innermost first.
fn addresses() -> impl Iterator<Item = u64> {
    let mut frames = [std::ptr::null_mut(); FRAMES];
    let count = images::callers(&mut frames);
    frames.into_iter().take(count).map(|frame| frame.addr() as u64)
}

/// The library of the probe.
fn own_library() -> &'static str {
    static OWN: OnceLock<String> = OnceLock::new();
    OWN.get_or_init(|| place((number as *const ()).addr() as u64).library)
}

/// Whether the code belongs to an agent: neither to the JVM nor to the probe, which calls the agents' callbacks.
fn is_agents(place: &CodePlace) -> bool {
    let is_jvm = place.library.rsplit('/').next().is_some_and(|file| file.starts_with("libjvm."));
    !place.library.is_empty() && !is_jvm && place.library != own_library()
}

/// The places of functions that an agent has given, with what belongs to each; those without code have the name [`NO_CODE`].
pub fn functions(given: &[(u16, *mut c_void)]) -> Vec<(u16, CodePlace)> {
    let code = memory::executable();
    let place = |(of, function): &(u16, *mut c_void)| {
        let mut place = place(function.expose_provenance() as u64);
        if code.as_ref().is_some_and(|code| !code.iter().any(|range| range.contains(&function.addr()))) {
            NO_CODE.clone_into(&mut place.symbol);
        }
        (*of, place)
    };
    given.iter().map(place).collect()
}

/// Library, offset and function of a return address or of the start of a function.
pub fn place(address: u64) -> CodePlace {
    match images::place(address as usize) {
        Some(place) => CodePlace {
            library: place.image,
            offset: address.wrapping_sub(place.base as u64),
            symbol: place.symbol,
        },
        None => CodePlace { library: String::new(), offset: address, symbol: String::new() },
    }
}
