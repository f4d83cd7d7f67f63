//! Capabilities that are asked for when it is too late.

use std::collections::BTreeSet;

use jvmti_wire::Value;
use jvmti_wire::trace::{Body, EntryPoint, Record};
use rustc_hash::FxHashMap;

use super::{Findings, Info, Rule, Severity};
use crate::agent::digest::capabilities;
use crate::agent::scene::{Moment, Scene};

pub(super) static LATE: Info = Info {
    id: "capability/late",
    severity: Severity::Warning,
    anchor: "AddCapabilities",
    says: "capabilities that a JVM gives only while it starts are asked for in OnLoad, and not relied on when attached",
};

/// What the JVM offers.
#[derive(Default)]
pub(super) struct Late {
    /// While it loads agents; `None`: the probe was not there.
    on_load: Option<BTreeSet<String>>,
    /// By thread, when it last refused capabilities.
    now: FxHashMap<u32, BTreeSet<String>>,
    attached: bool,
    /// Some may be had by one environment at a time only.
    granted: BTreeSet<String>,
}

impl Rule for Late {
    fn see(&mut self, scene: &Scene<'_>, record: &Record, moment: &Moment<'_>, found: &mut Findings) {
        match (moment, &record.body) {
            (Moment::Other, Body::Entry(EntryPoint::OnAttach)) => self.attached = true,
            (Moment::Other, Body::Identity { key, value }) => {
                let names = || value.split_whitespace().map(str::to_owned).collect();
                match key.as_str() {
                    "capabilities.onload" => self.on_load = Some(names()),
                    "capabilities.now" => drop(self.now.insert(record.thread, names())),
                    _ => {}
                }
            }
            (Moment::Returned { call, code: 0, .. }, _) => {
                if let ("AddCapabilities", Some(Value::Bytes(bits))) =
                    (scene.names.function(call.function).as_str(), call.args.first())
                {
                    self.granted.extend(capabilities(scene.names.spec(), bits));
                }
            }
            (Moment::Returned { call, .. }, _) => {
                let (Some(Value::Bytes(bits)), Some(now)) =
                    (call.args.first(), self.now.remove(&record.thread))
                else {
                    return;
                };
                let asked = capabilities(scene.names.spec(), bits);
                let offered = |name: &&String| {
                    let ever = self.on_load.as_ref().map_or(self.attached, |on_load| on_load.contains(*name));
                    ever && !self.granted.contains(*name)
                };
                let late: Vec<&str> = asked.difference(&now).filter(offered).map(String::as_str).collect();
                if !late.is_empty() {
                    let when = if self.on_load.is_some() {
                        "only in OnLoad"
                    } else {
                        "not to agents that are attached"
                    };
                    found.add(&LATE, (scene, record), (call.site, "AddCapabilities"), || {
                        format!("{} is refused: this JVM offers that {when}", late.join(", "))
                    });
                }
            }
            _ => {}
        }
    }
}
