package jvmticheck.scenarios;

import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A virtual thread that waits in a channel of this program, a method of which is called if the thread is interrupted. JDK 21 and newer. */
public final class ClosedChannel implements Scenario {
    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        Channel channel = new Channel();
        try (Stage stage = new Stage()) {
            Thread waiting = stage.keep(Virtual.thread("waiting", channel));
            waiting.start();
            Probe.awaitFrame(waiting, "parkIn", 10);
            Probe.checkpoint("waiting");
            Probe.fact("closed", channel.closed);
            waiting.interrupt();
        }
    }

    /** Is closed by whoever interrupts the thread that waits in it. */
    static final class Channel extends AbstractInterruptibleChannel implements Runnable {
        volatile int closed;

        @Override
        public void run() {
            begin();
            parkIn();
        }

        private void parkIn() {
            while (isOpen()) {
                LockSupport.park();
            }
        }

        @Override
        protected void implCloseChannel() {
            closed++;
        }
    }
}
