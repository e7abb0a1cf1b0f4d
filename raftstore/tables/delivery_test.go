package tables

import (
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// hooked submits a job with a webhook, and one that has none.
func hooked(m *rig, id string) {
	job, task := jobOf(id, 1)
	job.Webhook = &farm.Webhook{URL: "https://hook"}
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
}

func (m *rig) delivery(id string) (delivery farm.Delivery) {
	m.t.Helper()
	m.read(func(tx *Tx) (err error) {
		delivery, err = tx.Delivery(id)
		return err
	})
	return delivery
}

func TestWebhookIsOwedAtTheEnd(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	for _, id := range []string{"done", "broken", "cancelled"} {
		hooked(m, id)
		lease(m, id+".0", 1, 2)
	}
	submit(m, "plain", 1)
	lease(m, "plain.0", 1, 2)
	wantRefused(t, m, command.RecordTry{ID: "done", Try: 1}, farm.CodeNotFound)
	m.must(command.FinishTask{Task: "done.0", Attempt: 1, At: after(5)})
	m.must(command.FailTask{Task: "broken.0", Attempt: 1, Message: "no", At: after(4)})
	m.must(command.CancelJobs{Team: "team", IDs: []string{"cancelled"}, Force: true, At: after(3)})
	m.must(command.FinishTask{Task: "plain.0", Attempt: 1, At: after(2)})
	m.read(func(tx *Tx) error {
		owed, err := tx.DeliveriesOwed()
		if len(owed) != 2 || owed[0].ID != "broken" || owed[1].ID != "done" || !owed[1].Next.Equal(after(5)) || owed[1].Team != "team" {
			t.Errorf("owed are %+v", owed)
		}
		return err
	})
}

func TestDeliveryEndsWhenTakenOrAfterItsRetries(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	for _, id := range []string{"taken", "refused", "hopeless"} {
		hooked(m, id)
		lease(m, id+".0", 1, 2)
		m.must(command.FinishTask{Task: id + ".0", Attempt: 1, At: after(3)})
	}
	m.must(command.RecordTry{ID: "taken", Try: 1, Error: "answered 500", Next: after(9), At: after(8)})
	m.must(command.RecordTry{ID: "taken", Try: 1, Error: "answered 500", Next: after(99), At: after(10)})
	wantRefused(t, m, command.RecordTry{ID: "taken", Try: 3, At: after(10)}, farm.CodeConflict)
	if got := m.delivery("taken"); !got.Next.Equal(after(9)) || got.Tries != 1 || got.Error == "" || !got.EndedAt.IsZero() {
		t.Errorf("after a failed try: %+v", got)
	}
	m.must(command.RecordTry{ID: "taken", Try: 2, At: after(11)})
	if got := m.delivery("taken"); got.Error != "" || !got.EndedAt.Equal(after(11)) {
		t.Errorf("after it was taken: %+v", got)
	}
	for try := 1; try <= farm.DeliveryRetries+1; try++ {
		if got := m.delivery("refused"); !got.EndedAt.IsZero() {
			t.Fatalf("given up after %d tries", got.Tries)
		}
		m.must(command.RecordTry{ID: "refused", Try: try, Error: "answered 500", Next: after(20 + try), At: after(20)})
	}
	m.must(command.RecordTry{ID: "hopeless", Try: 1, Error: "not allowed", GiveUp: true, At: after(30)})
	for _, id := range []string{"refused", "hopeless"} {
		if got := m.delivery(id); got.EndedAt.IsZero() || got.Error == "" {
			t.Errorf("%s: %+v", id, got)
		}
	}
	m.read(func(tx *Tx) error {
		owed, err := tx.DeliveriesOwed()
		if len(owed) != 0 {
			t.Errorf("still owed: %+v", owed)
		}
		return err
	})
	wantRefused(t, m, command.RecordTry{ID: "refused", Try: 5, At: after(31)}, farm.CodeConflict)

	wantRefused(t, m, command.Redeliver{Team: "other", ID: "refused", At: after(40)}, farm.CodeNotFound)
	m.must(command.Redeliver{Team: "team", ID: "refused", At: after(40)})
	wantRefused(t, m, command.Redeliver{Team: "team", ID: "refused", At: after(41)}, farm.CodeConflict)
	wantRefused(t, m, command.RecordTry{ID: "refused", Try: 1, At: after(42)}, farm.CodeConflict)
	m.must(command.RecordTry{ID: "refused", Round: 1, Try: 1, At: after(42)})
	if got := m.delivery("refused"); got.Error != "" || got.Tries != 1 || !got.EndedAt.Equal(after(42)) {
		t.Errorf("delivered anew: %+v", got)
	}
}

func TestWebhookKeysAreRenewed(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	salt := func() (salt string) {
		m.read(func(tx *Tx) (err error) {
			salt, err = tx.WebhookSalt("team")
			return err
		})
		return salt
	}
	if salt() != "" {
		t.Error("a fresh team has a salt")
	}
	wantRefused(t, m, command.RenewWebhookKey{Team: "none", Salt: "s"}, farm.CodeNotFound)
	wantRefused(t, m, command.RenewWebhookKey{Team: "team"}, farm.CodeInvalid)
	m.must(command.RenewWebhookKey{Team: "team", Salt: "s"})
	if salt() != "s" {
		t.Errorf("the salt is %q", salt())
	}
}
