package jvmticheck.scenarios;

import java.lang.annotation.ElementType;
import java.lang.annotation.Target;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Classes whose only annotations are such that reflection does not see them. */
public final class Unseen implements Scenario {
    @Override
    public void run() {
        Probe.bind("class", new OnClass().getClass());
        Probe.bind("field", new OnField().getClass());
        Probe.bind("method", new OnMethod().getClass());
        Probe.bind("parameter", new OnParameter().getClass());
        Probe.bind("type", new OnType().getClass());
        Probe.checkpoint("ready");
        Probe.fact("after", new OnClass().answer() + new OnField().number + new OnMethod().answer() + new OnParameter().answer(4)
                + new OnType().answer(5));
        Probe.checkpoint("after");
    }

    /** An annotation that is in the class file only. */
    @interface Mark {
        String value();
    }

    /** The same for types. */
    @Target(ElementType.TYPE_USE)
    @interface Of {
        String value();
    }

    /** The class is annotated. */
    @Mark("class")
    static final class OnClass {
        int answer() {
            return 1;
        }
    }

    /** The field is annotated. */
    static final class OnField {
        @Mark("field")
        int number = 2;
    }

    /** The method is annotated. */
    static final class OnMethod {
        @Mark("method")
        int answer() {
            return 3;
        }
    }

    /** The parameter is annotated. */
    static final class OnParameter {
        int answer(@Mark("parameter") int number) {
            return number;
        }
    }

    /** The type of the result is annotated. */
    static final class OnType {
        @Of("result") Integer answer(int number) {
            return number;
        }
    }
}
