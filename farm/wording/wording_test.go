package wording

import (
	"testing"
	"time"

	"overcrank/farm"
)

func TestStatesAreWordsForPeople(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		Job(farm.JobQueued): "waiting", Job(farm.JobRendering): "rendering", Job(farm.JobFailed): "failed", Job("later"): "later",
		Template(farm.TemplateProcessing): "being read", Template(farm.TemplateError): "unusable", Template("later"): "later",
		Machine(farm.MachineAway): "in use", Machine(farm.MachineSetAside): "set aside", Machine(farm.MachineFree): "free",
		Title("set aside"): "Set aside", Title("über"): "Über", Title(""): "",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestLengthsOfTime(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0.0 s", 2500 * time.Millisecond: "2.5 s", 40 * time.Second: "40 s", 185 * time.Second: "3 min 5 s", 130 * time.Minute: "2 h 10 min",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v is said as %q, want %q", d, got, want)
		}
	}
}
