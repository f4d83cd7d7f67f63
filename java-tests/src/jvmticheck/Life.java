package jvmticheck;

import java.io.IOException;
import java.util.Arrays;

/** Runs scenarios in a JVM to which something is done from outside, or which ends in another way than by returning. */
public final class Life {
    /** The line by which something is asked for; the answer is a line, too. */
    private static final String MARK = "jvmticheck: waiting";

    private Life() {
    }

    /** Takes how many times to ask before the scenarios, the ending, and the scenarios' names. */
    public static void main(String[] args) throws IOException {
        for (int times = Integer.parseInt(args[0]); times > 0; times--) {
            ask();
        }
        Main.main(Arrays.copyOfRange(args, 2, args.length));
        end(args[1].split(" "));
    }

    private static void ask() throws IOException {
        System.out.println(MARK);
        System.out.flush();
        for (int c = System.in.read(); c != '\n' && c != -1; c = System.in.read()) {
            // The rest of the line says nothing.
        }
    }

    private static void end(String[] ending) throws IOException {
        switch (ending[0]) {
            case "return":
                return;
            case "exit":
                System.exit(Integer.parseInt(ending[1]));
                return;
            case "halt":
                Runtime.getRuntime().halt(Integer.parseInt(ending[1]));
                return;
            case "uncaught":
                throw new IllegalStateException("nobody catches this");
            case "wait":
                while (true) {
                    ask();
                    sleep();
                }
            default:
                throw new IllegalArgumentException(ending[0]);
        }
    }

    /** For as long as anybody may need to end this process. */
    private static void sleep() {
        try {
            Thread.sleep(600_000);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
