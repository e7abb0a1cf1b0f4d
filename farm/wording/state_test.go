package wording

import (
	"testing"

	"overcrank/farm"
)

func TestStatesAreWordsForPeople(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		Job(farm.JobQueued): "waiting", Job(farm.JobRendering): "rendering", Job(farm.JobFailed): "failed", Job("later"): "later",
		Template(farm.TemplateProcessing): "being read", Template(farm.TemplateError): "unusable", Template("later"): "later",
		Machine(farm.MachineAway): "in use", Machine(farm.MachineSetAside): "set aside", Machine(farm.MachineFree): "free",
		Task(farm.TaskReady, 0): "waiting", Task(farm.TaskReady, 2): "retrying soon", Task(farm.TaskLeased, 0): "at work", Task(farm.TaskDone, 1): "done", Task("later", 0): "later",
		Attempt(""): "at work", Attempt(farm.OutcomeReturned): "given back", Attempt(farm.OutcomeLost): "machine lost", Attempt("later"): "later",
		Batch("processing"): "at work", Batch("error"): "failed", Batch("later"): "later",
		Title("set aside"): "Set aside", Title("über"): "Über", Title(""): "",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
