package coordinator_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator"
	"overcrank/coordinator/backup"
	"overcrank/farm"
	"overcrank/farm/wire"
)

var passphrase = farm.NewConfidential("a passphrase for tests")

// backUp gives a backup of the farm.
func (r *rig) backUp(wish coordinator.BackupWish) []byte {
	r.t.Helper()
	content, _, err := r.Backup(r.t.Context(), r.admin, wish)
	if err != nil {
		r.t.Fatal(err)
	}
	text, err := io.ReadAll(content)
	if err := errors.Join(err, content.Close()); err != nil {
		r.t.Fatal(err)
	}
	return text
}

func (r *rig) hold(content []byte, pass farm.Confidential) (*coordinator.HeldBackup, error) {
	return r.HoldBackup(r.t.Context(), r.admin, bytes.NewReader(content), pass)
}

// putBack puts the farm back to a backup.
func (r *rig) putBack(content []byte) coordinator.Restored {
	r.t.Helper()
	held, err := r.hold(content, passphrase)
	if err != nil {
		r.t.Fatal(err)
	}
	done, err := held.PutBack(r.t.Context(), func(coordinator.RestoringStep, int64, int64) {})
	if err := errors.Join(err, held.Close()); err != nil {
		r.t.Fatal(err)
	}
	return done
}

func keyed() coordinator.BackupWish { return coordinator.BackupWish{Passphrase: passphrase} }

func TestOnlyTheFarmsOwnBackupsArePutBack(t *testing.T) {
	t.Parallel()
	r, other := open(t), open(t)
	r.submit()
	good, foreign := r.backUp(keyed()), other.backUp(keyed())
	later := r.submit()
	altered := bytes.Clone(good)
	altered[len(altered)-40] ^= 1
	for name, c := range map[string]struct {
		content []byte
		pass    farm.Confidential
		code    farm.Code
		why     error
	}{
		"of another farm":    {foreign, passphrase, farm.CodeConflict, nil},
		"cut off":            {good[:len(good)-1], passphrase, farm.CodeInvalid, backup.ErrTruncated},
		"altered":            {altered, passphrase, farm.CodeInvalid, nil},
		"no backup":          {[]byte("something else, quite long enough to be looked at"), passphrase, farm.CodeInvalid, backup.ErrNotABackup},
		"another passphrase": {good, farm.NewConfidential("some other passphrase"), farm.CodeInvalid, backup.ErrPassphrase},
		"no passphrase":      {good, farm.Confidential{}, farm.CodeInvalid, backup.ErrNoPassphrase},
	} {
		held, err := r.hold(c.content, c.pass)
		if held != nil || farm.CodeOf(err) != c.code || c.why != nil && !errors.Is(err, c.why) {
			t.Errorf("%s: %v, %v", name, held, err)
		}
		if err != nil && strings.Contains(err.Error(), passphrase.Reveal()) {
			t.Errorf("%s: the passphrase is told: %v", name, err)
		}
	}
	artist := r.admin
	artist.FirstTeam = false
	if _, err := r.HoldBackup(t.Context(), artist, bytes.NewReader(good), passphrase); farm.CodeOf(err) != farm.CodeForbidden {
		t.Errorf("for somebody else: %v", err)
	}
	r.job(later.ID)
	if left, _ := filepath.Glob(filepath.Join(r.cfg.DataDir, "restoring-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestLeasesOfBeforeAndAfterAFarmIsPutBack(t *testing.T) {
	t.Parallel()
	r := open(t)
	kept, dropped := r.enrol("kept"), r.enrol("dropped")
	kept.connect()
	known := r.submit()
	l := kept.lease()
	events := r.Watch(t.Context(), r.admin)
	content := r.backUp(keyed())
	// What is leased behind the backup is forgotten; the number of its attempt is not given out again.
	lost := r.submit()
	waits := r.submit(func(j *farm.Job) { j.RequireTags = []string{"none"} })
	dropped.connect()
	was := dropped.lease()
	later := r.enrol("later")

	r.putBack(content)
	for _, s := range []*station{kept, dropped} {
		select {
		case <-s.gone:
		case <-time.After(patience):
			t.Fatal("a session outlived the state")
		}
	}
	deadline := time.After(patience)
	for heard := false; !heard; {
		select {
		case e := <-events:
			heard = e.Lost
		case <-deadline:
			t.Fatal("watchers are not told that they missed something")
		}
	}
	for _, id := range []string{lost.ID, waits.ID} {
		_, err := r.Job(t.Context(), r.admin, id)
		wantCode(t, err, farm.CodeNotFound)
	}
	r.eventually("the farm's work is taken up", func() bool { return r.Ready() == nil && r.Cluster().Leads() })

	if w := dropped.connect(was.Attempt); len(w.Drop) != 1 || w.Drop[0] != was.Attempt {
		t.Errorf("an attempt that the state does not know is answered with %+v", w)
	}
	if w := kept.connect(l.Attempt); len(w.Drop) != 0 {
		t.Errorf("an attempt that the backup knows is answered with %+v", w)
	}
	kept.finish(l, "film")
	if job := r.job(known.ID); job.Status != farm.JobFinished || r.output(job) != "film" {
		t.Errorf("the job of the backup: %+v", job)
	}
	later.connect() // a machine that came behind the backup is one of the farm's all the same
	again := r.submit()
	var next wire.Lease
	r.eventually("new work is given to one of them", func() bool {
		for _, s := range []*station{kept, dropped, later} {
			select {
			case m := <-s.toAgent:
				if m.Lease != nil {
					next = *m.Lease
					s.finish(next, "again")
					return true
				}
			default:
			}
		}
		return false
	})
	r.eventually("new work is done", func() bool { return r.job(again.ID).Status == farm.JobFinished })
	if next.Attempt.Attempt <= was.Attempt.Attempt {
		t.Errorf("attempt %d follows attempt %d", next.Attempt.Attempt, was.Attempt.Attempt)
	}
}

// TestAnAttemptOfBeforeIsNotTakenForOneOfAfter lets one machine have the same task before and behind the change.
func TestAnAttemptOfBeforeIsNotTakenForOneOfAfter(t *testing.T) {
	t.Parallel()
	r := open(t)
	s := r.enrol("box")
	job := r.submit()
	content := r.backUp(keyed())
	s.connect()
	was := s.lease()
	r.putBack(content)
	<-s.gone
	r.eventually("the farm's work is taken up", func() bool { return r.Ready() == nil && r.Cluster().Leads() })
	s.connect()
	now := s.lease()
	if now.Task != was.Task || now.Attempt == was.Attempt {
		t.Fatalf("the leases are %+v and %+v", was.Attempt, now.Attempt)
	}
	_, err := r.Results().Receive(t.Context(), s.agent, was.Attempt, "out."+was.Ext, strings.NewReader("stale"), 5, "")
	wantCode(t, err, farm.CodeConflict)
	s.say(wire.Message{Failed: &wire.Failed{Attempt: was.Attempt, Message: "stale"}})
	s.settled(was.Attempt)
	if got := r.job(job.ID); got.Status != farm.JobRendering {
		t.Fatalf("a report of before the change made the job %s", got.Status)
	}
	s.finish(now, "fresh")
	if got := r.job(job.ID); got.Status != farm.JobFinished || r.output(got) != "fresh" {
		t.Errorf("the job is %+v", got)
	}
}

// TestALeaseThatABackupBringsBackIsNoFailure finishes an attempt that a backup has as leased: the machine knows nothing of it afterwards.
func TestALeaseThatABackupBringsBackIsNoFailure(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]bool{"the machine comes back": true, "the machine stays away": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t, func(cfg *coordinator.Config) { cfg.Lease = time.Hour })
			s := r.enrol("box")
			s.connect()
			job := r.submit()
			l := s.lease()
			content := r.backUp(keyed())
			s.finish(l, "film")
			r.putBack(content)
			<-s.gone
			r.eventually("the farm's work is taken up", func() bool { return r.Ready() == nil && r.Cluster().Leads() })
			if back {
				s.connect()
			} else {
				r.cfg.Lease = time.Second
				r.restart()
			}
			r.eventually("the attempt has ended", func() bool {
				return r.tasks(job.ID)[0].Status == farm.TaskReady || r.tasks(job.ID)[0].Attempt > l.Attempt.Attempt
			})
			if task := r.tasks(job.ID)[0]; task.Failures != 0 {
				t.Errorf("the task counts %d failures", task.Failures)
			}
		})
	}
}

func TestSecretsAndWebhooksOfABackupWorkAgain(t *testing.T) {
	t.Parallel()
	r := open(t)
	hook := listen(t, taken)
	r.secret("TOKEN", "value of before")
	s := r.enrol("box")
	s.connect()
	content := r.backUp(coordinator.BackupWish{Passphrase: passphrase, Files: true})
	keyless := r.backUp(coordinator.BackupWish{})
	if _, err := r.Secrets().ChangeKey(t.Context(), r.admin, true); err != nil {
		t.Fatal(err)
	}
	if _, err := r.hold(keyless, farm.Confidential{}); farm.CodeOf(err) != farm.CodeConflict || !strings.Contains(err.Error(), "--keys-from") {
		t.Errorf("secrets that nothing opens: %v", err)
	}
	r.putBack(content)
	<-s.gone
	r.eventually("the farm's work is taken up", func() bool { return r.Ready() == nil && r.Cluster().Leads() })
	s.connect()
	job := r.submit(referring("TOKEN"), func(j *farm.Job) { j.Webhook = &farm.Webhook{URL: hook.URL} })
	l := s.lease()
	if len(l.Secrets) != 1 || l.Secrets["TOKEN"] != "value of before" {
		t.Errorf("the lease has %d secrets", len(l.Secrets))
	}
	s.finish(l, "film")
	r.eventually("the webhook is called", func() bool { return len(hook.heard()) == 1 })
	if got := r.job(job.ID).Status; got != farm.JobFinished {
		t.Errorf("the job is %s", got)
	}
	r.restart()
	s.connect()
	r.submit(referring("TOKEN"))
	if l := s.lease(); l.Secrets["TOKEN"] != "value of before" {
		t.Error("after a restart the secret does not open")
	}
}

func TestFilesThatAreMissingComeBackAndOthersStay(t *testing.T) {
	t.Parallel()
	r := open(t)
	put := func(text string) farm.StoredFile {
		t.Helper()
		f, err := r.StoredFiles().Put(t.Context(), r.admin, "a.txt", strings.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	gone, stays := put("gone"), put("stays")
	path := func(f farm.StoredFile) string {
		return filepath.Join(r.cfg.DataDir, "files", "blobs", f.SHA256[:2], f.SHA256)
	}
	content := r.backUp(coordinator.BackupWish{Passphrase: passphrase, Files: true})
	if err := errors.Join(os.Remove(path(gone)), os.WriteFile(path(stays), []byte("other"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if done := r.putBack(content); done.Files != 1 {
		t.Errorf("%d files were missing", done.Files)
	}
	for f, want := range map[string]string{path(gone): "gone", path(stays): "other"} {
		if text, err := os.ReadFile(f); err != nil || string(text) != want {
			t.Errorf("%s holds %q, %v", f, text, err)
		}
	}
}

func TestWhatARestorationReplacesIsKept(t *testing.T) {
	t.Parallel()
	r := open(t)
	content := r.backUp(keyed())
	var last coordinator.Restored
	var jobs []string
	for range 5 {
		jobs = append(jobs, r.submit().ID)
		last = r.putBack(content)
	}
	kept, err := filepath.Glob(filepath.Join(r.cfg.DataDir, "before-restore-*.ocbackup"))
	if err != nil || len(kept) != 3 || kept[2] != last.Before {
		t.Fatalf("kept are %v, the last is %s: %v", kept, last.Before, err)
	}
	text, err := os.ReadFile(last.Before)
	if err != nil {
		t.Fatal(err)
	}
	r.putBack(text)
	r.job(jobs[4])
	if _, err := r.Job(t.Context(), r.admin, jobs[3]); farm.CodeOf(err) != farm.CodeNotFound {
		t.Errorf("a job that was gone before: %v", err)
	}
}

func TestAFollowerPutsTheFarmBackWithKeysThatAllTake(t *testing.T) {
	t.Parallel()
	s := openSeveral(t)
	leader, followers := s.parted()
	asked := followers[0]
	leader.secret("TOKEN", "value")
	box := leader.enrol("box")
	content := asked.backUp(keyed())
	if _, err := asked.Secrets().ChangeKey(t.Context(), asked.admin, true); err != nil {
		t.Fatal(err)
	}
	later := asked.submit()
	asked.putBack(content)
	for _, r := range s.nodes {
		if err := r.Fresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, err := r.Job(t.Context(), r.admin, later.ID)
		wantCode(t, err, farm.CodeNotFound)
	}
	// Whoever leads opens the secrets.
	if err := leader.Cluster().TransferLead(t.Context(), leader.admin, ""); err != nil {
		t.Fatal(err)
	}
	leader.eventually("another leads", func() bool { return !leader.Cluster().Leads() })
	next, _ := s.parted()
	box.r = next
	box.connect()
	next.submit(referring("TOKEN"))
	if l := box.lease(); l.Secrets["TOKEN"] != "value" {
		t.Error("the secret does not open at the next leader")
	}
}
