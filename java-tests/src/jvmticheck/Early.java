package jvmticheck;

/** A scenario that brings threads into states before agents are attached, without the probe, which is not there yet. */
public interface Early {
    /** Prepares the only run of the scenario in this process; another instance runs. */
    void beforeAgents() throws Exception;
}
