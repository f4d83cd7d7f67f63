package jvmticheck.scenarios;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** What Java reflection says about a class and its members, as one text. */
final class ReflectedView {
    private final List<String> lines = new ArrayList<String>();

    private ReflectedView() {
    }

    /** The view of a class; an empty one if there is no class. */
    static String of(Class<?> type) {
        if (type == null) {
            return "";
        }
        ReflectedView view = new ReflectedView();
        try {
            view.addClass(type);
        } catch (Exception | LinkageError e) {
            return "failed: " + e;
        }
        Collections.sort(view.lines);
        StringBuilder text = new StringBuilder();
        for (String line : view.lines) {
            text.append(line).append('\n');
        }
        return text.toString();
    }

    private void addClass(Class<?> type) throws Exception {
        lines.add("class " + type.toGenericString() + annotations(type));
        lines.add("superclass " + type.getGenericSuperclass() + types(type.getAnnotatedSuperclass()));
        lines.add("interfaces " + Arrays.toString(type.getGenericInterfaces()) + types(type.getAnnotatedInterfaces()));
        lines.add("type parameters " + parameters(type.getTypeParameters()));
        lines.add("enclosing " + type.getEnclosingClass() + " " + type.getEnclosingMethod());
        lines.add("declared " + names(type.getDeclaredClasses()));
        for (Field field : type.getDeclaredFields()) {
            lines.add("field " + field.toGenericString() + annotations(field) + types(field.getAnnotatedType()));
        }
        for (Method method : type.getDeclaredMethods()) {
            add("method " + method.toGenericString() + method.isDefault() + method.getDefaultValue(), method);
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            add("constructor " + constructor.toGenericString(), constructor);
        }
        addComponents(type);
        for (String getter : new String[] {"getNestHost", "getNestMembers", "isSealed", "getPermittedSubclasses", "isHidden"}) {
            add(type, getter);
        }
    }

    /** What a getter of `Class` answers that only later releases have. */
    private void add(Class<?> type, String getter) throws Exception {
        Method method;
        try {
            method = Class.class.getMethod(getter);
        } catch (NoSuchMethodException older) {
            return;
        }
        Object answer = method.invoke(type);
        lines.add(getter + " " + (answer instanceof Class<?>[] ? names((Class<?>[]) answer) : answer));
    }

    private void add(String what, Executable member) {
        StringBuilder text = new StringBuilder(what).append(annotations(member)).append(types(member.getAnnotatedReturnType()));
        for (Parameter parameter : member.getParameters()) {
            text.append(' ').append(parameter).append(parameter.isNamePresent()).append(annotations(parameter));
        }
        text.append(types(member.getAnnotatedParameterTypes())).append(types(member.getAnnotatedExceptionTypes()));
        lines.add(text.append(parameters(member.getTypeParameters())).toString());
    }

    /** The components of a record, which only later releases have. */
    private void addComponents(Class<?> type) throws Exception {
        Method components;
        try {
            components = Class.class.getMethod("getRecordComponents");
        } catch (NoSuchMethodException older) {
            return;
        }
        Object all = components.invoke(type);
        for (int i = 0; all != null && i < Array.getLength(all); i++) {
            Object component = Array.get(all, i);
            Object generic = component.getClass().getMethod("getGenericType").invoke(component);
            Object annotated = component.getClass().getMethod("getAnnotatedType").invoke(component);
            lines.add("component " + i + component + generic + annotations((AnnotatedElement) component)
                    + types((AnnotatedType) annotated));
        }
    }

    private static String names(Class<?>[] types) {
        List<String> names = new ArrayList<String>();
        for (Class<?> type : types) {
            names.add(type.getName());
        }
        Collections.sort(names);
        return names.toString();
    }

    private static String parameters(java.lang.reflect.TypeVariable<?>[] variables) {
        StringBuilder text = new StringBuilder();
        for (java.lang.reflect.TypeVariable<?> variable : variables) {
            text.append(variable).append(Arrays.toString(variable.getBounds())).append(annotations(variable));
        }
        return text.toString();
    }

    private static String types(AnnotatedType... types) {
        StringBuilder text = new StringBuilder();
        for (AnnotatedType type : types) {
            text.append(type == null ? "" : annotations(type));
        }
        return text.toString();
    }

    private static String annotations(AnnotatedElement element) {
        List<String> texts = new ArrayList<String>();
        for (Annotation annotation : element.getDeclaredAnnotations()) {
            texts.add(annotation.toString());
        }
        Collections.sort(texts);
        return " " + texts;
    }
}
