package tables

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// told is a state in which Mia, an artist, and Ann, a producer, are told of everything by chat, and Bo of nothing.
func told(t *testing.T) *rig {
	m := newRig(t, t.TempDir(), "state")
	t.Cleanup(m.end)
	furnish(m)
	for name, role := range map[string]farm.Role{"mia": farm.RoleArtist, "ann": farm.RoleProducer, "bo": farm.RoleAdmin} {
		m.must(command.PutToken{Token: farm.Token{ID: name, Team: "team", Name: name, Role: role, Hash: "hash " + name, Person: true}})
	}
	m.must(settings("mia"))
	m.must(settings("ann"))
	return m
}

func settings(token string) command.PutNoticeSettings {
	return command.PutNoticeSettings{Settings: farm.NoticeSettings{Token: token, About: farm.Happenings(), Chat: &farm.NoticeChat{Kind: farm.ChatSlack}}, At: after(1)}
}

// by submits a job of somebody's.
func by(m *rig, who, id string) {
	m.t.Helper()
	job, task := jobOf(id, 1)
	job.SubmittedBy = who
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
	lease(m, id+".0", 1, 2)
}

// waiting is what somebody is still to be told by chat.
func (m *rig) waiting(who string) string {
	m.t.Helper()
	var words []string
	m.see(func(tx *Tx) {
		queue, err := tx.Notices(who, farm.ByChat)
		if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
			m.t.Fatalf("%v", err)
		}
		for _, n := range queue.Waiting {
			words = append(words, fmt.Sprintf("%s %s%s", n.About, n.Job, n.Batch))
		}
	})
	return strings.Join(words, ", ")
}

func TestPeopleAreToldOfTheirOwnJobs(t *testing.T) {
	m := told(t)
	for _, id := range []string{"done", "broken", "gone"} {
		by(m, "mia", id)
	}
	by(m, "bo", "other")
	res := m.must(command.FinishTask{Task: "done.0", Attempt: 1, At: after(3)})
	if want := []command.NoticeQueue{{Token: "mia", Way: farm.ByChat}}; !slices.Equal(res.Notices, want) {
		t.Errorf("whoever sends was shown %v, want %v", res.Notices, want)
	}
	m.must(command.FailTask{Task: "broken.0", Attempt: 1, Message: "no", At: after(4)})
	m.must(command.CancelJobs{Team: "team", IDs: []string{"gone"}, Force: true, At: after(5)})
	m.must(command.FinishTask{Task: "other.0", Attempt: 1, At: after(6)})
	for who, want := range map[string]string{"mia": "finished done, failed broken", "ann": "", "bo": ""} {
		if got := m.waiting(who); got != want {
			t.Errorf("%s is told %q, want %q", who, got, want)
		}
	}
}

func TestABatchIsToldOfTogether(t *testing.T) {
	m := told(t)
	cmd := batchOf("b", 4)
	for i := range cmd.Jobs {
		cmd.Jobs[i].SubmittedBy = "mia"
	}
	m.must(cmd)
	for i, task := range cmd.Tasks {
		if i > 1 { // the first two are the family of the first job
			lease(m, task.ID, 1, 2)
		}
	}
	m.must(command.FinishTask{Task: cmd.Tasks[2].ID, Attempt: 1, At: after(3)})
	m.must(command.FailTask{Task: cmd.Tasks[3].ID, Attempt: 1, Message: "no", At: after(4)})
	m.must(command.FailTask{Task: cmd.Tasks[4].ID, Attempt: 1, Message: "no", At: after(5)})
	first := "failed " + cmd.Tasks[3].Job
	if got := m.waiting("mia"); got != first {
		t.Errorf("before the end: %q, want %q", got, first)
	}
	m.must(command.CancelJobs{Team: "team", IDs: []string{cmd.Tasks[1].Job}, At: after(6)})
	if got, want := m.waiting("mia"), first+", batch b"; got != want {
		t.Errorf("at the end: %q, want %q", got, want)
	}

	m.must(command.SetLevel{Level: command.BatchOwnersLevel, Version: "test"})
	again := takesOf("b", "x", map[int]string{2: "b-j2"})
	again.Jobs[0].SubmittedBy = "ann"
	m.must(again)
	lease(m, again.Tasks[0].ID, 1, 7)
	m.must(command.FinishTask{Task: again.Tasks[0].ID, Attempt: 1, At: after(8)})
	for who, want := range map[string]string{"mia": first + ", batch b, batch b", "ann": "batch b"} {
		if got := m.waiting(who); got != want {
			t.Errorf("%s is told %q after a row was submitted again, want %q", who, got, want)
		}
	}
}

func TestApprovalIsAskedOfOwnersAndProducers(t *testing.T) {
	m := told(t)
	film(m, func(job *farm.Job) { job.PreviewFirst, job.Approve, job.SubmittedBy = true, true, "bo" })
	lease(m, "film.2", 1, 2)
	m.finish("film.2", 1, 3)
	for who, want := range map[string]string{"mia": "", "ann": "approval film"} {
		if got := m.waiting(who); got != want {
			t.Errorf("%s is told %q, want %q", who, got, want)
		}
	}
}

func TestNoticesWaitUntilTheyAreSentOrGivenUp(t *testing.T) {
	m := told(t)
	for i := range farm.MostNotices + 2 {
		id := fmt.Sprintf("job%d", i)
		by(m, "mia", id)
		m.must(command.FinishTask{Task: id + ".0", Attempt: 1, At: after(3)})
	}
	queue := func() (queue farm.NoticeQueue) {
		m.read(func(tx *Tx) (err error) {
			queue, err = tx.Notices("mia", farm.ByChat)
			return err
		})
		return queue
	}
	if got := queue(); len(got.Waiting) != farm.MostNotices || got.More != 2 || !got.Next.Equal(after(3)) {
		t.Errorf("%d wait and %d more, due at %s", len(got.Waiting), got.More, got.Next)
	}
	try := command.RecordNotice{Token: "mia", Way: farm.ByChat, Try: 1, Count: farm.MostNotices, More: 2, Error: "answered 500", Next: after(9), At: after(8)}
	m.must(try)
	m.must(try)
	if got := queue(); len(got.Waiting) != farm.MostNotices || got.Tries != 1 || !got.Next.Equal(after(9)) || got.Error == "" {
		t.Errorf("after a failed try: %+v", got)
	}
	m.must(settings("mia"))
	if got := queue(); got.Tries != 0 || !got.Next.Equal(after(1)) {
		t.Errorf("settings that were put again do not make it tried at once: %+v", got)
	}
	wantRefused(t, m, command.RecordNotice{Token: "mia", Way: farm.ByChat, Try: 1, Count: farm.MostNotices + 1}, farm.CodeInvalid)
	m.must(command.RecordNotice{Token: "mia", Way: farm.ByChat, Try: 1, Count: farm.MostNotices - 1, More: 2, Next: after(40), At: after(10)})
	if got := queue(); len(got.Waiting) != 1 || got.More != 0 || got.Number != 1 || got.Error != "" || !got.EndedAt.Equal(after(10)) {
		t.Errorf("after it was sent: %+v", got)
	}
	m.must(command.RecordNotice{Token: "mia", Way: farm.ByChat, Number: 1, Try: 1, Count: 1, Error: "answered 404", GiveUp: true, At: after(11)})
	if got := queue(); len(got.Waiting) != 0 || got.Number != 2 || got.Error == "" {
		t.Errorf("after it was given up: %+v", got)
	}
	by(m, "mia", "soon")
	m.must(command.FinishTask{Task: "soon.0", Attempt: 1, At: after(12)})
	if got := queue(); !got.Next.Equal(after(11).Add(noticePause)) {
		t.Errorf("the next message is due at %s", got.Next)
	}
}

func TestNoticesGoWithTheWayAndWithWhomTheyAreFor(t *testing.T) {
	m := told(t)
	for _, who := range []string{"mia", "ann"} {
		by(m, who, "of-"+who)
		m.must(command.FinishTask{Task: "of-" + who + ".0", Attempt: 1, At: after(3)})
	}
	m.must(command.PutNoticeSettings{Settings: farm.NoticeSettings{Token: "mia", About: farm.Happenings(), Mail: true}, At: after(4)})
	m.must(command.RevokeToken{ID: "ann", At: after(5)})
	m.read(func(tx *Tx) error {
		owed, err := tx.NoticesOwed()
		if len(owed) != 0 {
			t.Errorf("still owed: %+v", owed)
		}
		return err
	})
	wantRefused(t, m, settings("ann"), farm.CodeNotFound)
}

func TestWhoWatchesAJobIsToldOnceThatItHasEnded(t *testing.T) {
	m := told(t)
	m.must(command.PutTeam{Team: farm.Team{ID: "others"}})
	m.must(command.PutToken{Token: farm.Token{ID: "eve", Team: "others", Role: farm.RoleAdmin, Hash: "hash eve", Person: true}})
	for _, id := range []string{"done", "gone"} {
		by(m, "mia", id)
		for _, who := range []string{"mia", "ann", "bo"} {
			m.must(command.WatchJob{Team: "team", Job: id, Token: who})
			m.must(command.WatchJob{Team: "team", Job: id, Token: who})
		}
		m.must(command.WatchJob{Team: "team", Job: id, Token: "bo", Stop: true})
	}
	wantRefused(t, m, command.WatchJob{Team: "others", Job: "done", Token: "eve"}, farm.CodeNotFound)
	wantRefused(t, m, command.WatchJob{Team: "team", Job: "done", Token: "eve"}, farm.CodeNotFound)
	wantRefused(t, m, command.WatchJob{Team: "team", Job: "none", Token: "mia"}, farm.CodeNotFound)
	m.must(command.FinishTask{Task: "done.0", Attempt: 1, At: after(3)})
	res := m.must(command.CancelJobs{Team: "team", IDs: []string{"gone"}, Force: true, At: after(4)})
	if want := (command.Changed{Kind: farm.EventNotice, Team: "team", ID: "ann ended gone"}); !slices.Contains(res.Changed, want) {
		t.Errorf("browsers are told %+v, want %+v", res.Changed, want)
	}
	wantRefused(t, m, command.WatchJob{Team: "team", Job: "done", Token: "mia"}, farm.CodeConflict)
	for who, want := range map[string]string{"mia": "finished done, ended gone", "ann": "ended done, ended gone", "bo": ""} {
		if got := m.waiting(who); got != want {
			t.Errorf("%s is told %q, want %q", who, got, want)
		}
	}
	m.read(func(tx *Tx) error {
		watches, err := tx.Watches("done", "mia")
		if watches {
			t.Error("a job that has ended is still watched")
		}
		return err
	})
}
