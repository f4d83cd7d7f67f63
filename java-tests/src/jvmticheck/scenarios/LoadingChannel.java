package jvmticheck.scenarios;

import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A virtual thread that waits in a channel of this program, a method of which is called if the thread is interrupted. The method uses a class for the first
 * time, and throws an exception out of it if a case names `thrown`. JDK 21 and newer.
 */
public final class LoadingChannel implements Scenario {
    private static final IllegalStateException THROWN = new IllegalStateException("thrown by the channel");

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("class", LoadingChannel.class);
        Channel channel = new Channel(Probe.isUsed("thrown"));
        try (Stage stage = new Stage()) {
            Thread waiting = stage.keep(Virtual.thread("waiting", channel));
            Probe.bind("thrown", THROWN);
            waiting.start();
            Probe.awaitFrame(waiting, "parkIn", 10);
            Probe.checkpoint("waiting");
            Probe.fact("closed", channel.closed);
            Probe.fact("fails", channel.fails ? 1 : 0);
            channel.over = true;
            LockSupport.unpark(waiting);
        }
    }

    /** Is closed by whoever interrupts the thread that waits in it. */
    static final class Channel extends AbstractInterruptibleChannel implements Runnable {
        private final boolean fails;
        volatile int closed;
        volatile boolean over;

        Channel(boolean fails) {
            this.fails = fails;
        }

        @Override
        public void run() {
            begin();
            parkIn();
        }

        private void parkIn() {
            while (!over) {
                LockSupport.park();
            }
        }

        @Override
        protected void implCloseChannel() {
            closed++;
            Needed.use();
            if (fails) {
                throw THROWN;
            }
        }
    }

    /** Is loaded when the channel is closed. */
    static final class Needed {
        static int used;

        static void use() {
            used++;
        }
    }
}
