package farm

// FailureClass decides what follows on a failed attempt.
type FailureClass string

// The classes of failures. What follows on each stands in consequences.
const (
	FailureTransient     FailureClass = "transient"     // may go away by itself: the engine crashed or hung
	FailureLicence       FailureClass = "licence"       // the engine or a plug-in got no licence
	FailureDeterministic FailureClass = "deterministic" // would happen on every machine: the job is at fault
	FailureWorker        FailureClass = "worker"        // the machine is at fault: its disk is full, or it lacks something
)

// FailureClasses are all classes of failures.
var FailureClasses = []FailureClass{FailureTransient, FailureLicence, FailureDeterministic, FailureWorker}

// Consequence is what follows on a failed attempt.
type Consequence struct {
	Uncounted     bool // it takes none of the task's tries, and the task waits longer each time
	FailsJob      bool // the task is not tried again: the job fails at once
	BarsMachine   bool // the machine never gets the task again
	BlamesMachine bool // it counts towards setting the machine aside
	// Words say it to people, behind how the attempt ended: "failed: retried later".
	Words string
}

// consequences are what follows on a failure of each class. The state machine obeys them: another row for a class that there is changes its
// rules, and needs a level (raftstore/command/level.go).
var consequences = map[FailureClass]Consequence{
	FailureTransient:     {BlamesMachine: true, Words: "retried later"},
	FailureLicence:       {Uncounted: true, Words: "no licence was free; retried, and not counted as a failure"},
	FailureDeterministic: {FailsJob: true, Words: "the job is at fault, as far as the machine can tell"},
	FailureWorker:        {BarsMachine: true, BlamesMachine: true, Words: "retried on another machine"},
}

// Consequence is what follows on a failure of the class, nothing for a class that is not known.
func (c FailureClass) Consequence() Consequence { return consequences[c] }

// Known tells whether it is one of the classes above, or "", which leaves the class to others.
func (c FailureClass) Known() bool {
	_, known := consequences[c]
	return known || c == ""
}
