package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** An object that refers twice to another one, which refers to a third. */
public final class Forked implements Scenario {
    @Override
    public void run() {
        Fork fork = new Fork();
        Probe.bind("fork", fork);
        Probe.bind("link", fork.first);
        Probe.bind("last_link", fork.first.next);
        Probe.bind("links", new Link[] {fork.first});
        Probe.bind("link_class", Link.class);
        Probe.checkpoint("forked");
    }

    /** Refers twice to the same object. */
    static final class Fork {
        Link first = new Link(new Link(null));
        Link second = first;
    }

    /** Refers to the next one. */
    static final class Link {
        Link next;

        Link(Link next) {
            this.next = next;
        }
    }
}
