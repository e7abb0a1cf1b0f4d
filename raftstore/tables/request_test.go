package tables

import (
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func requestAt(key string, second int) command.RequestKey {
	return command.RequestKey{Team: "team", Key: key, Hash: "hash", Size: 5, At: after(second)}
}

func TestARequestIsCarriedOutOnce(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	job, task := jobOf("j1", 1)
	if first := m.doFor(requestAt("k", 1), command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}}); first.Refused != nil || first.Repeated != nil || len(first.Jobs) != 1 {
		t.Fatalf("the first came to %+v", first)
	}
	content := m.content()
	job, task = jobOf("j2", 2)
	submission := command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}}
	again := m.doFor(requestAt("k", 2), submission)
	if again.Refused != nil || again.Repeated == nil || len(again.Repeated.Made) != 1 || again.Repeated.Made[0] != "j1" || again.Repeated.Answer != nil || len(again.Jobs) != 0 {
		t.Errorf("the second came to %+v", again)
	}
	other := requestAt("k", 3)
	other.Hash = "other"
	if refused := m.doFor(other, submission).Refused; farm.CodeOf(refused) != farm.CodeConflict {
		t.Errorf("another request under the same key: %v", refused)
	}
	if m.content() != content {
		t.Error("a repeated request changed the state")
	}
	foreign := requestAt("k", 3)
	foreign.Team = "other team"
	if result := m.doFor(foreign, submission); result.Refused != nil || result.Repeated != nil {
		t.Errorf("the same key of another team: %+v", result)
	}
}

func TestARefusedRequestIsNotKept(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	content := m.content()
	if result := m.doFor(requestAt("k", 1), command.CancelJobs{Team: "team", IDs: []string{"none"}}); farm.CodeOf(result.Refused) != farm.CodeNotFound {
		t.Fatalf("came to %+v", result)
	}
	if m.content() != content {
		t.Error("a refused request is kept")
	}
}

func TestAnswersAreKeptForADay(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	job, task := jobOf("j1", 1)
	submission := command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}}
	m.doFor(requestAt("k", 0), submission)
	m.must(command.KeepAnswer{RequestKey: requestAt("k", 1), Answer: []byte("first")})
	m.must(command.KeepAnswer{RequestKey: requestAt("k", 2), Answer: []byte("second")})
	m.must(command.KeepAnswer{RequestKey: requestAt("alone", 3), Answer: []byte("without a command")})
	other := requestAt("k", 3)
	other.Hash = "other"
	wantRefused(t, m, command.KeepAnswer{RequestKey: other}, farm.CodeConflict)
	day := int(command.RequestLife.Seconds())
	if again := m.doFor(requestAt("k", day-1), submission); again.Repeated == nil || string(again.Repeated.Answer) != "first" {
		t.Errorf("within the day: %+v", again)
	}
	m.read(func(tx *Tx) error {
		if !tx.RequestsBefore(after(1)) || tx.RequestsBefore(after(0)) {
			t.Error("the oldest request is not the one of second 0")
		}
		request, err := tx.Request("team", "alone")
		if string(request.Answer) != "without a command" {
			t.Errorf("kept %+v", request)
		}
		return err
	})

	job, task = jobOf("j2", 1)
	late := command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}}
	if result := m.doFor(requestAt("k", day), late); result.Repeated != nil || len(result.Jobs) != 1 {
		t.Errorf("after the day: %+v", result)
	}
	m.must(command.ForgetRequests{Before: after(day), Limit: 10})
	if left := m.keys(bucketRequests); len(left) != 1 || left[0] != requestID("team", "k") {
		t.Errorf("left are %q", left)
	}
	m.must(command.ForgetRequests{Before: after(3 * day), Limit: 10})
	if left := append(m.keys(bucketRequests), m.keys(bucketRequestsByTime)...); len(left) != 0 {
		t.Errorf("left are %q", left)
	}
}

func TestForgettingGoesStepByStep(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	for i, key := range []string{"a", "b", "c"} {
		m.must(command.KeepAnswer{RequestKey: requestAt(key, i), Answer: []byte("x")})
	}
	m.must(command.ForgetRequests{Before: after(99), Limit: 2})
	if left := m.keys(bucketRequests); len(left) != 1 || left[0] != requestID("team", "c") {
		t.Errorf("left are %q", left)
	}
}
