package tables

import (
	"fmt"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// timing is what is known of the composition main of the template that furnish makes.
func (m *rig) timing(composition, machine string) farm.Timing {
	m.t.Helper()
	var found farm.Timing
	m.read(func(tx *Tx) error {
		all, machines, err := tx.Timings(TimingKey{File: "f1", Composition: composition, Kind: farm.TaskRender, Engine: farm.EngineEmbedded})
		if found = all; machine != "" {
			found = machines[machine]
		}
		return err
	})
	return found
}

func measured(frames int, seconds float64) farm.Measured {
	return farm.Measured{Engine: "embedded 1.0", StartSeconds: 0.5, Frames: frames, FrameSeconds: seconds}
}

func TestTimingsAreLearnedPerCompositionAndMachine(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	for i := range 12 {
		id := fmt.Sprintf("j%d", i)
		submit(m, id, 1)
		lease(m, id+".0", 1, 2+i)
		seconds := 10.0 // 0.1 s for each of 100 frames
		if i >= 4 {
			seconds = 20
		}
		m.must(command.FinishTask{Task: id + ".0", Attempt: 1, Measured: measured(100, seconds), At: after(3 + i)})
	}
	all := m.timing("main", "")
	if all.Count != 12 || all.Start != 500_000 || all.Frame < 160_000 || all.Frame > 200_000 || all.Spread == 0 {
		t.Errorf("learned %+v", all)
	}
	if own := m.timing("main", "a1"); own != all {
		t.Errorf("of the only machine %+v, of all %+v", own, all)
	}
	if other := m.timing("main", "a2"); other != (farm.Timing{}) {
		t.Errorf("of a machine that rendered nothing %+v", other)
	}
	m.must(command.ReceiveTemplate{ID: "tmpl", Nonce: "n", File: farm.FileRef{SHA256: "f2", Size: 10}, At: after(30)})
	if gone := m.timing("main", ""); gone != (farm.Timing{}) {
		t.Errorf("after the file was replaced %+v is left", gone)
	}
}

func TestTimingsStayFew(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	for i := range maxTimings/2 + 2 {
		id := fmt.Sprintf("j%d", i)
		job, task := jobOf(id, 1)
		job.Template.Composition = fmt.Sprintf("comp %d", i)
		m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
		lease(m, task.ID, 1, 2+i)
		m.must(command.FinishTask{Task: task.ID, Attempt: 1, Measured: measured(100, 10), At: after(3 + i)})
	}
	m.read(func(tx *Tx) error {
		kept := len(tx.t.keysUnder(bucketTimings, ""))
		if kept > maxTimings || kept < maxTimings/2 || kept != tx.t.count(countOfTimings("f1")) {
			t.Errorf("%d timings are kept, counted as %d", kept, tx.t.count(countOfTimings("f1")))
		}
		return nil
	})
	if oldest := m.timing("comp 0", ""); oldest.Count != 0 {
		t.Error("the oldest timing has stayed")
	}
	if latest := m.timing(fmt.Sprintf("comp %d", maxTimings/2+1), "a1"); latest.Count != 1 {
		t.Error("the latest timing has gone")
	}
	m.must(command.DeleteTemplate{Team: "team", ID: "tmpl"})
	m.read(func(tx *Tx) error {
		if left := tx.t.keysUnder(bucketTimings, ""); len(left) > 0 {
			t.Errorf("the template has gone and left %d timings", len(left))
		}
		return nil
	})
}

func TestSenselessMeasurementsAreNotTaken(t *testing.T) {
	for _, m := range []farm.Measured{{}, {Frames: 1}, {Frames: 3, FrameSeconds: -1}, {Frames: 3, FrameSeconds: 1e300}, {StartSeconds: 1e-9}} {
		if m.Usable() {
			t.Errorf("%+v is taken", m)
		}
	}
}
