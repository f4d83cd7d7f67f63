package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Three platform threads that do the same in each of three rounds; see `Doer`. A compiler has seen it often before. */
public class Rounds implements Scenario {
    /** Calls that are enough for a compiler to take notice. */
    private static final int OFTEN = 12000;
    /** Calls that are enough once it has compiled the methods, which cases make it do again. */
    private static final int AGAIN = 1200;
    private static boolean isWarm;

    @Override
    public void run() throws Exception {
        int times = isWarm ? AGAIN : OFTEN;
        isWarm = true;
        for (int i = 0; i < times; i++) {
            Doer.half(i);
        }
        try (Stage stage = new Stage()) {
            Doer[] doers = {new Doer(), new Doer(), new Doer()};
            doers[0].start(stage.keep(create("first", doers[0])));
            doers[1].start(stage.keep(create("second", doers[1])));
            doers[2].start(stage.cast("platform", doers[2]));
            String[] names = {"first", "second", "platform"};
            for (int i = 0; i < doers.length; i++) {
                Probe.bind(names[i] + "_lock", doers[i].own);
            }
            for (int round = 1; round <= Doer.ROUNDS; round++) {
                for (Doer doer : doers) {
                    doer.awaitParked(round);
                }
                Probe.checkpoint("round" + round);
                for (Doer doer : doers) {
                    doer.allow(round);
                }
            }
            for (Thread thread : stage.threads()) {
                thread.join();
            }
            Probe.checkpoint("after");
        }
    }

    /** A thread of the kind, unstarted. */
    Thread create(String name, Doer doer) throws Exception {
        return Stage.daemon(name, doer);
    }
}
