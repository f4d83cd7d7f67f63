package jvmticheck.scenarios;

import java.util.ArrayList;
import java.util.List;

import jvmticheck.Scenario;

/** The same as `FrameCast` with virtual threads. JDK 21 and newer. */
public final class VirtualFrameCast extends FrameCast implements Scenario {
    @Override
    List<String> kinds() {
        List<String> all = new ArrayList<String>(FrameWays.KINDS);
        all.add(FrameWays.HIDDEN);
        return all;
    }

    @Override
    String prefix() {
        return "virtual_framed_";
    }

    @Override
    Thread create(String name, Runnable body) throws ReflectiveOperationException {
        return Virtual.thread(name, body);
    }
}
