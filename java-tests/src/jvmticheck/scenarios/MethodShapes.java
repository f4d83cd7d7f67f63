package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Methods of every kind, and what the class file says about their code. */
public final class MethodShapes implements Scenario {
    @Override
    public void run() throws Exception {
        new Coded.Finished();
        Probe.bind("class", Coded.class);
        Probe.bind("finished", Coded.Finished.class);
        ClassFile file = new ClassFile(Coded.class);
        Probe.fact("minor", file.minor);
        Probe.fact("major", file.major);
        Probe.fact("source", file.sourceFile);
        Probe.fact("methods", file.methods.size());
        for (String name : new String[] {"loop", "wide", "nothing", "generic"}) {
            state(name, file.methods.get(name));
        }
        Probe.checkpoint("ready");
    }

    private static void state(String name, ClassFile.Code code) {
        Probe.fact(name + ".max-locals", code.maxLocals);
        Probe.fact(name + ".length", code.bytes.length);
        Probe.fact(name + ".end", code.bytes.length - 1);
        Probe.fact(name + ".lines", code.lines.length);
        Probe.fact(name + ".line", code.lines[0][1]);
        Probe.fact(name + ".variables", code.variables == null ? 0 : code.variables.length);
        Probe.bind(name + "_code", code.bytes);
        for (int i = 0; i < code.lines.length; i++) {
            Probe.fact(name + ".line." + i + ".location", code.lines[i][0]);
            Probe.fact(name + ".line." + i + ".number", code.lines[i][1]);
        }
        for (int i = 0; code.variables != null && i < code.variables.length; i++) {
            String variable = name + "." + code.variableNames[i];
            Probe.fact(variable + ".start", code.variables[i][0]);
            Probe.fact(variable + ".length", code.variables[i][1]);
            Probe.fact(variable + ".slot", code.variables[i][2]);
            Probe.fact(variable + ".signature", code.variableSignatures[i]);
        }
    }
}
