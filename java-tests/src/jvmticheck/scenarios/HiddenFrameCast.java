package jvmticheck.scenarios;

import java.util.Collections;
import java.util.List;

import jvmticheck.Scenario;

/** The same as `FrameCast` with a method of a hidden class. JDK 15 and newer. */
public final class HiddenFrameCast extends FrameCast implements Scenario {
    @Override
    List<String> kinds() {
        return Collections.singletonList(FrameWays.HIDDEN);
    }
}
