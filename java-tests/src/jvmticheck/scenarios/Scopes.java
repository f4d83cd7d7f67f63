package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Methods whose variables take turns in the same slots. */
public final class Scopes implements Scenario {
    @Override
    public void run() throws Exception {
        Probe.bind("class", Varied.class);
        Probe.bind("file", ClassFile.read(Varied.class));
        Probe.checkpoint("ready");
    }

    /** Is compared with its class file. */
    static final class Varied {
        private Varied() {
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
