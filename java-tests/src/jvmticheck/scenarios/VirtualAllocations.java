package jvmticheck.scenarios;

import jvmticheck.Scenario;

/**
 * The other thread of `Allocations` is virtual. JDK 21 and newer.
 *
 * <p>Its carrier may have run before, so that an earlier sampling interval still applies: by default one of 512 KiB on average.
 * Therefore the thread allocates {@value #BLOCKS} blocks of 128 KiB first. That none of them is sampled has a probability of
 * e<sup>-32</sup>, 10<sup>-14</sup>.
 */
public final class VirtualAllocations extends Allocations implements Scenario {
    static final int BLOCKS = 128;

    @Override
    Thread create(String name, final Runnable body) throws Exception {
        return Virtual.thread(name, new Runnable() {
            @Override
            public void run() {
                for (int i = 0; i < BLOCKS; i++) {
                    kept = new byte[128 << 10];
                }
                body.run();
            }
        });
    }
}
