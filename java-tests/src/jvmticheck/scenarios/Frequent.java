package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Methods with successions of instructions that interpreters like to execute at one go, called before and after `warm`. */
public final class Frequent implements Scenario {
    /** Enough for an interpreter to replace instructions, and too few for most compilers. */
    private static final int TIMES = 60;

    int number = 3;
    float fraction = 0.5f;
    Object object = "object";

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("frequent", this);
        Probe.bind("class", Frequent.class);
        char[] text = {'a', 'b', 'c'};
        Probe.checkpoint("cold");
        int sum = loads(1, 2, 3, 4, 5, 6) + elements(1, 2, 3, text, 2) + readNumber() + readObject().hashCode();
        sum += fail(text);
        Probe.checkpoint("called");
        for (int i = 0; i < TIMES; i++) {
            sum += loads(1, 2, 3, 4, 5, 6) + elements(1, 2, 3, text, 2) + readNumber() + (int) readFraction() + readObject().hashCode();
            writeNumber(3);
            sum += numberOf(this) + elementOf(1, 2, 3, text, 2);
        }
        Probe.checkpoint("warm");
        sum += loads(1, 2, 3, 4, 5, 6);
        sum += elements(1, 2, 3, text, 2);
        sum += readNumber();
        sum += (int) readFraction();
        sum += readObject().hashCode();
        writeNumber(4);
        sum += fail(text);
        Probe.checkpoint("done");
        Probe.fact("sum", sum);
    }

    static int loads(int first, int second, int third, int fourth, int fifth, int sixth) {
        return fifth + sixth;
    }

    static int elements(int first, int second, int third, char[] text, int index) {
        return text[index];
    }

    /** Calls methods that throw exceptions of the JVM. */
    private static int fail(char[] text) {
        int failures = 0;
        try {
            elementOf(1, 2, 3, text, text.length);
        } catch (ArrayIndexOutOfBoundsException expected) {
            failures++;
        }
        try {
            numberOf(null);
        } catch (NullPointerException expected) {
            failures++;
        }
        return failures;
    }

    static int elementOf(int first, int second, int third, char[] text, int index) {
        return text[index];
    }

    static int numberOf(Frequent frequent) {
        return frequent.number;
    }

    int readNumber() {
        return this.number;
    }

    float readFraction() {
        return this.fraction;
    }

    Object readObject() {
        return this.object;
    }

    void writeNumber(int value) {
        this.number = value;
    }
}
