package jvmticheck.scenarios;

import java.util.concurrent.Callable;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A new module that is updated several times, and what Java reports about it afterwards. JDK 9 and newer. */
public final class ModulesAgain implements Scenario {
    @Override
    public void run() throws Exception {
        NamedModule named = new NamedModule();
        Class<?> type = Class.forName("java.lang.Module");
        Object[] others = new Object[3];
        for (int i = 0; i < others.length; i++) {
            others[i] = ClassLoader.class.getMethod("getUnnamedModule").invoke(new FreshLoader(ModulesAgain.class));
            Probe.bind("other" + (i + 1), others[i]);
        }
        Class<?>[] services = {Runnable.class, Object.class, Callable.class};
        for (int i = 0; i < services.length; i++) {
            Probe.bind("service" + (i + 1), services[i]);
        }
        Probe.bind("module", named.module);
        Probe.bind("provider", named.provider);
        Probe.checkpoint("ready");
        for (int i = 0; i < others.length; i++) {
            state(i, "reads", type.getMethod("canRead", type).invoke(named.module, others[i]));
            state(i, "exports", type.getMethod("isExported", String.class, type).invoke(named.module, NamedModule.NAME, others[i]));
            state(i, "opens", type.getMethod("isOpen", String.class, type).invoke(named.module, NamedModule.NAME, others[i]));
            state(i, "uses", type.getMethod("canUse", Class.class).invoke(named.module, services[i]));
            state(i, "provides", provides(named, services[i]));
        }
    }

    private static boolean provides(NamedModule named, Class<?> service) throws ReflectiveOperationException {
        Class<?> loaders = Class.forName("java.util.ServiceLoader");
        Class<?> layers = Class.forName("java.lang.ModuleLayer");
        for (Object provider : (Iterable<?>) loaders.getMethod("load", layers, Class.class).invoke(null, named.layer, service)) {
            if (provider.getClass() == named.provider) {
                return true;
            }
        }
        return false;
    }

    private static void state(int index, String what, Object holds) {
        Probe.fact(what + (index + 1), String.valueOf(holds));
    }
}
