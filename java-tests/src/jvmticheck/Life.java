package jvmticheck;

import java.io.IOException;
import java.util.Arrays;

/** Runs scenarios in a JVM on which the harness acts from outside, or which ends in another way than by returning from main. */
public final class Life {
    /** The line with which this process asks the harness to act; the harness answers with a line as well. */
    private static final String MARK = "jvmticheck: waiting";

    private Life() {
    }

    /** Arguments: how many times to ask before the scenarios run, the ending, and the names of the scenarios. */
    public static void main(String[] args) throws Exception {
        String[] scenarios = Arrays.copyOfRange(args, 2, args.length);
        for (String scenario : scenarios) {
            if (Early.class.isAssignableFrom(Main.type(scenario))) {
                ((Early) Main.create(scenario)).beforeAgents();
            }
        }
        for (int times = Integer.parseInt(args[0]); times > 0; times--) {
            ask();
        }
        Main.main(scenarios);
        end(args[1].split(" "));
    }

    private static void ask() throws IOException {
        System.out.println(MARK);
        System.out.flush();
        for (int c = System.in.read(); c != '\n' && c != -1; c = System.in.read()) {
            // The rest of the line has no meaning.
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

    /** Sleeps for as long as anybody may need to end this process. */
    private static void sleep() {
        try {
            Thread.sleep(600_000);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
