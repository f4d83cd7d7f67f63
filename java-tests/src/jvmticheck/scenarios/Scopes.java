package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A class whose methods have variables that take turns in the same slots, an array of it, and interfaces that extend each other. */
public final class Scopes implements Scenario {
    @Override
    public void run() throws Exception {
        for (Class<?> type : new Class<?>[] {Varied.class, Top.class, Middle.class, Bottom.class, Heir.class}) {
            Class.forName(type.getName());
        }
        Probe.bind("class", Varied.class);
        Probe.bind("file", ClassFile.read(Varied.class));
        Probe.bind("matrix", new Varied[1][1].getClass());
        Probe.bind("top", Top.class);
        Probe.bind("middle", Middle.class);
        Probe.bind("bottom", Bottom.class);
        Probe.bind("implementing", Implementing.class);
        Probe.bind("heir", Heir.class);
        Probe.checkpoint("ready");
    }

    interface Top {
    }

    interface Middle extends Top {
    }

    interface Bottom extends Middle {
    }

    /** Has a field and implements an interface. */
    static class Implementing implements Bottom {
        int field;
    }

    /** Declares nothing. */
    static final class Heir extends Implementing {
    }

    /** Is compared with its class file. */
    static final class Varied {
        private Varied() {
        }

        static double wide(int one, long two, float three, double four) {
            return one + two + three + four;
        }

        long wider(double one, long two) {
            return (long) one + two;
        }

        static int blocks(int argument) {
            int sum = 0;
            {
                int first = argument;
                sum += first;
            }
            {
                long second = argument;
                sum += (int) second;
            }
            {
                String third = "third";
                sum += third.length();
            }
            return sum;
        }

        static int loops(int[] array) {
            int sum = 0;
            for (int i = 0; i < array.length; i++) {
                int element = array[i];
                sum += element;
            }
            for (long j = 0; j < array.length; j++) {
                sum += (int) j;
            }
            for (int element : array) {
                sum -= element;
            }
            return sum;
        }

        int caught(Object object, double number) {
            try {
                int hash = object.hashCode();
                return hash;
            } catch (NullPointerException none) {
                String text = none.getMessage();
                return text == null ? 0 : text.length();
            } catch (RuntimeException other) {
                double least = Math.min(number, 0);
                return (int) least;
            } finally {
                long last = (long) number;
                number += last;
            }
        }

        static <T extends Comparable<T>> int cases(int which, T one, T two) {
            switch (which) {
                case 0:
                    int compared = one.compareTo(two);
                    return compared;
                case 1:
                    T greater = one.compareTo(two) > 0 ? one : two;
                    return greater.hashCode();
                default:
                    java.util.List<T> both = java.util.Arrays.asList(one, two);
                    return both.size();
            }
        }
    }
}
