package jvmticheck.scenarios;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Map;

/** Classes whose class files refer to constants in rarer attributes: local classes, and annotations with elements of each type. */
final class LocalKinds {
    /** A class in an initialiser, which no method encloses. */
    static final Object IN_INITIALISER = new Object() {
        int number = 1;

        @Override
        public String toString() {
            return "in initialiser " + number;
        }
    };

    private LocalKinds() {
    }

    /** A class without a name, in a method. */
    static Object anonymous(final String text, int number) throws IllegalStateException {
        return new Comparable<String>() {
            @Override
            public int compareTo(String other) {
                return text.compareTo(other);
            }
        };
    }

    /** A class with a name, in a method. */
    static Object local(final Map<String, ? extends List<String>> many) {
        class Local {
            int size() {
                return many.size();
            }
        }

        return new Local();
    }

    /** Values of an element. */
    public enum Choice {
        FIRST, SECOND
    }

    /** An annotation in an annotation. */
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Part {
        String value() default "part";

        int[] numbers() default {1, 2};
    }

    /** An annotation with an element of each type, each with a default. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD, ElementType.PARAMETER, ElementType.FIELD})
    public @interface Every {
        boolean truth() default true;

        byte small() default 11;

        char letter() default 'l';

        short brief() default 1212;

        int number() default 131313;

        long far() default 1414141414141414L;

        float part() default 1.5f;

        double exact() default 2.25;

        String text() default "text by default";

        Class<?> type() default String[].class;

        Choice choice() default Choice.FIRST;

        Part nested() default @Part("nested by default");

        Class<?>[] types() default {int.class, Runnable.class};

        Choice[] choices() default {Choice.SECOND, Choice.FIRST};

        Part[] parts() default {@Part(numbers = 7), @Part("second")};

        String[] none() default {};
    }

    /** An annotation of types. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE_USE, ElementType.TYPE_PARAMETER})
    public @interface Of {
        String value() default "";

        Choice[] choices() default {};
    }

    /** A class with annotations that give each element a value, at each place where they can be. */
    @Every(truth = false, small = 21, letter = 'm', brief = 2222, number = 232323, far = 2424242424242424L, part = 3.5f, exact = 4.25,
            text = "text of the class", type = List.class, choice = Choice.SECOND, nested = @Part(value = "of the class", numbers = {}),
            types = {void.class, Map.class}, choices = {}, parts = @Part("only"), none = "some")
    public static class Annotated<@Of("parameter") T extends @Of("bound") Object & @Of(choices = Choice.FIRST) Comparable<T>>
            extends @Of("superclass") ThreadLocal<@Of("argument") T> implements @Of("interface") Runnable {
        @Every(parts = {@Part("field"), @Part(numbers = {4, 5})})
        public Map<@Of("key") String, @Of(choices = {Choice.SECOND, Choice.FIRST}) ? extends @Of("bound") T @Of("array") []> map;

        public Annotated(@Every(letter = 'p') @Of("formal") int number) {
        }

        @Every(type = Map.Entry.class)
        public <@Of("variable") U extends @Of("variable bound") List<T>> @Of("result") U call(@Of("receiver") Annotated<T> this,
                @Every(choice = Choice.SECOND) @Of("first") U first, @Of(choices = Choice.SECOND) String @Of("dimension") ... second)
                throws @Of("thrown") IllegalStateException {
            return first;
        }

        @Override
        public void run() {
        }
    }
}
