package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.List;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Threads that each rest in a frame of another kind, all at the checkpoint `framed`; see `FrameWays`. */
public class FrameCast extends OnPlatformThreads implements Scenario {
    @Override
    public final void run() throws Exception {
        Probe.bind("object", FrameWays.OBJECT);
        try (Stage stage = new Stage()) {
            for (String kind : kinds()) {
                String name = prefix() + kind;
                Thread thread = stage.keep(create(name, new Framed(FrameWays.of(kind), new Rest(name, stage.bodies))));
                publish(stage.start(thread, State.WAITING, "park"), kind);
            }
            Probe.checkpoint("framed");
        }
        Probe.checkpoint("after");
    }

    /** The kinds of frames; there are no hidden classes before JDK 15. */
    List<String> kinds() {
        return FrameWays.KINDS;
    }

    String prefix() {
        return "framed_";
    }

    /** States what Java says about the frame; of hidden classes it shows none. */
    private static void publish(Thread thread, String kind) {
        StackTraceElement[] stack = thread.getStackTrace();
        int depth = 0;
        while (!stack[depth].getClassName().equals(Rest.class.getName())) {
            depth++;
        }
        boolean isNative = kind.startsWith("native");
        depth++;
        while (isNative && !stack[depth].isNativeMethod()) {
            depth++;
        }
        boolean isShown = !kind.equals(FrameWays.HIDDEN);
        Probe.fact(thread.getName() + ".method", isShown ? stack[depth].getMethodName() : "call");
        Probe.fact(thread.getName() + ".line", isShown ? stack[depth].getLineNumber() : 0);
        Probe.fact(thread.getName() + ".frames", stack.length);
    }

    /** Calls the method of a kind. */
    private static final class Framed implements Runnable {
        private final FrameWays.Way way;
        private final Rest rest;

        Framed(FrameWays.Way way, Rest rest) {
            this.way = way;
            this.rest = rest;
        }

        @Override
        public void run() {
            try {
                way.call(5, 6L << 40, 7.5f, 8.25, FrameWays.OBJECT, rest);
            } catch (Throwable thrown) {
                throw new IllegalStateException(thrown);
            }
        }
    }
}
