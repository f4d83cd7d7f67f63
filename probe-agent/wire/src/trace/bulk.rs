//! Which records a trace can best do without.

use super::Body;

impl Body {
    /// Whether the record may be dropped first when room gets scarce.
    pub(super) fn is_bulk(&self) -> bool {
        use Body::{
            Callback, Event, EventEnd, ExtensionEvent, ExtensionEventEnd, MethodSeen, ObjectSeen, TimeSpent,
        };
        matches!(
            self,
            Event { .. }
                | EventEnd { .. }
                | ExtensionEvent { .. }
                | ExtensionEventEnd { .. }
                | TimeSpent { .. }
                | Callback { .. }
                | ObjectSeen { .. }
                | MethodSeen { .. }
        )
    }
}
