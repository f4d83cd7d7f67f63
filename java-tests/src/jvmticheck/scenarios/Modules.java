package jvmticheck.scenarios;

import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Named and unnamed modules, one of them new, and what Java reports about it before and after. JDK 9 and newer. */
public final class Modules implements Scenario {
    @Override
    public void run() throws Exception {
        NamedModule named = new NamedModule();
        NamedModule other = new NamedModule();
        ClassLoader fresh = new FreshLoader(Modules.class);
        Probe.bind("module", named.module);
        Probe.bind("other", other.module);
        Probe.bind("base", moduleOf(Object.class));
        Probe.bind("unnamed", moduleOf(Modules.class));
        Probe.bind("fresh_unnamed", ClassLoader.class.getMethod("getUnnamedModule").invoke(fresh));
        Probe.bind("loader", named.loader);
        Probe.bind("fresh_loader", fresh);
        Probe.bind("app_loader", Modules.class.getClassLoader());
        Probe.bind("service", Runnable.class);
        Probe.bind("provider", named.provider);
        Probe.bind("class", Modules.class);
        Probe.fact("module.name", NamedModule.NAME);
        Probe.fact("module.package", NamedModule.NAME.replace('.', '/'));
        state("before", named, other);
        // Whatever is in this set remains loaded as long as the set does.
        Set<Object> known = known();
        Probe.fact("modules", known.size());
        Probe.checkpoint("ready");
        state("after", named, other);
        known.clear();
    }

    /** The modules of the boot layer and of all loaded classes, and the unnamed modules of all their class loaders. */
    private static Set<Object> known() throws ReflectiveOperationException {
        Set<Object> known = Collections.newSetFromMap(new IdentityHashMap<Object, Boolean>());
        Class<?> layers = Class.forName("java.lang.ModuleLayer");
        known.addAll((Collection<?>) layers.getMethod("modules").invoke(layers.getMethod("boot").invoke(null)));
        for (Class<?> loaded : Probe.loadedClasses()) {
            known.add(moduleOf(loaded));
            for (ClassLoader loader = loaded.getClassLoader(); loader != null; loader = loader.getParent()) {
                known.add(ClassLoader.class.getMethod("getUnnamedModule").invoke(loader));
            }
        }
        return known;
    }

    private static Object moduleOf(Class<?> type) throws ReflectiveOperationException {
        return Class.class.getMethod("getModule").invoke(type);
    }

    private static void state(String when, NamedModule named, NamedModule other) throws ReflectiveOperationException {
        Class<?> type = Class.forName("java.lang.Module");
        Object unnamed = moduleOf(Modules.class);
        Class<?> service = Runnable.class;
        state(when, "reads-unnamed", type.getMethod("canRead", type).invoke(named.module, unnamed));
        state(when, "reads-other", type.getMethod("canRead", type).invoke(named.module, other.module));
        state(when, "read-by-other", type.getMethod("canRead", type).invoke(other.module, named.module));
        state(when, "uses-service", type.getMethod("canUse", Class.class).invoke(named.module, service));
        for (String how : new String[] {"isExported", "isOpen"}) {
            state(when, how, type.getMethod(how, String.class).invoke(named.module, NamedModule.NAME));
            state(when, how + "-to-unnamed",
                    type.getMethod(how, String.class, type).invoke(named.module, NamedModule.NAME, unnamed));
        }
        Class<?> loaders = Class.forName("java.util.ServiceLoader");
        Class<?> layers = Class.forName("java.lang.ModuleLayer");
        Iterable<?> providers = (Iterable<?>) loaders.getMethod("load", layers, Class.class).invoke(null, named.layer, service);
        int count = 0;
        // Other runs of this scenario in the same JVM may have added providers to the layers below this one.
        for (Object provider : providers) {
            if (provider.getClass() == named.provider) {
                count++;
            }
        }
        Probe.fact(when + ".providers", count);
    }

    private static void state(String when, String what, Object holds) {
        Probe.fact(when + "." + what, String.valueOf(holds));
    }
}
