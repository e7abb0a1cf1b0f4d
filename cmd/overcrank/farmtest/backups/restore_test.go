//go:build linux

package backups_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/titlecard"
)

// restoring gives the words that put a running farm back.
func restoring(file, pass string) []string {
	return []string{"restore", file, "--yes", "--passphrase-file", pass, "--json"}
}

func TestARunningFarmIsPutBackToABackup(t *testing.T) {
	t.Parallel()
	dir, pass := t.TempDir(), passphraseIn(t, "a passphrase for tests")
	f := farmtest.Up(t, filepath.Join(dir, "farm"), "--lease", "15s")
	card, still := f.Card(), map[string]any{"type": "image", "frames": 0}
	f.Finished(f.SubmitCard(card, still, titled("before")))
	held := map[string]any{"template": map[string]string{"id": card, "composition": titlecard.Strip}, "settings": still, "hold": true}
	waiting, err := f.Submit(t.Context(), held)
	if err != nil {
		t.Fatal(err)
	}
	said := func(args ...string) string {
		t.Helper()
		code, out, stderr := f.Command(args...)
		if code != 0 {
			t.Fatalf("%v: %s", args, stderr)
		}
		return out
	}
	said("secrets", "set", "KEY", "--from-file", pass)
	file := filepath.Join(dir, "farm.ocbackup")
	said("backup", file, "--passphrase-file", pass, "--with-files")

	later, err := f.Submit(t.Context(), held)
	if err != nil {
		t.Fatal(err)
	}
	f.Finished(f.SubmitCard(card, still, titled("after")))
	if code, _, stderr := f.Command("jobs", "cancel", waiting.ID); code != 0 {
		t.Fatal(stderr)
	}
	said("secrets", "rotate-key", "--drop-old")
	blobs, err := filepath.Glob(filepath.Join(f.Dir, "files", "blobs", "*", "*"))
	if err != nil || len(blobs) == 0 {
		t.Fatalf("the farm keeps %v: %v", blobs, err)
	}
	for _, blob := range blobs {
		if err := os.Remove(blob); err != nil {
			t.Fatal(err)
		}
	}

	for name, c := range map[string]struct {
		pass string
		code int
		says string
	}{
		"another passphrase": {passphraseIn(t, "some other passphrase"), exit.Failed, "is not that of this backup"},
		"no passphrase":      {"", exit.Failed, "none was given"},
	} {
		args := []string{"restore", file, "--yes"}
		if c.pass != "" {
			args = append(args, "--passphrase-file", c.pass)
		}
		if code, _, stderr := f.Command(args...); code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: exit code %d, %s", name, code, stderr)
		}
	}
	if code, _, stderr := f.Command("restore", file, "--passphrase-file", pass); code != exit.Usage || !strings.Contains(stderr, "--yes") {
		t.Errorf("without a word of agreement: exit code %d, %s", code, stderr)
	}
	if job, err := f.Job(t.Context(), later.ID); err != nil || job.ID != later.ID {
		t.Fatalf("a restoration that was refused has changed something: %+v, %v", job, err)
	}

	var done client.Restored
	if err := json.Unmarshal([]byte(said(restoring(file, pass)...)), &done); err != nil {
		t.Fatal(err)
	}
	if done.Files == 0 || done.RestoredAt <= done.Change {
		t.Errorf("restored: %+v", done)
	}
	if _, err := f.Job(t.Context(), later.ID); !client.IsStatus(err, http.StatusNotFound) {
		t.Errorf("a job from after the backup: %v", err)
	}
	said("jobs", "release", waiting.ID)
	f.Finished(waiting.ID)
	f.Finished(f.SubmitCard(card, still, titled("after it was put back")))
	if list := said("secrets"); !strings.Contains(list, "KEY") {
		t.Errorf("secrets: %s", list)
	}
	// The way back, and once more after a restart.
	said("restore", done.Before, "--yes")
	if _, err := f.Job(t.Context(), later.ID); err != nil {
		t.Errorf("what was replaced did not come back: %v", err)
	}
	f.Stop()
	again := farmtest.Up(t, f.Dir, "--lease", "15s")
	again.Token = f.Token
	if _, err := again.Job(t.Context(), later.ID); err != nil {
		t.Errorf("after a restart: %v", err)
	}
	again.Finished(again.SubmitCard(card, still, titled("after a restart")))
}

// TestThreeCoordinatorsArePutBackWhileTheyWork asks a follower to put the farm back, while jobs come in at all nodes and a machine
// renders, and kills the other follower in the middle.
func TestThreeCoordinatorsArePutBackWhileTheyWork(t *testing.T) {
	t.Parallel()
	s := farmtest.StartSeveral(t)
	s.Agents(1)
	leader, followers := s.Parted()
	asked, killed := followers[0], followers[1]
	pass, file := passphraseIn(t, "a passphrase for tests"), filepath.Join(t.TempDir(), "farm.ocbackup")
	template := asked.Card()
	film := func() string {
		t.Helper()
		job, err := s.Submit(t.Context(), map[string]any{
			"template": map[string]string{"id": template, "composition": titlecard.Composition}, "sequential": true, "settings": map[string]any{},
			"assets": []any{farmtest.Busy()},
		})
		if err != nil {
			t.Fatal(err)
		}
		return job.ID
	}
	running := film()
	s.Await("a film to be begun", func() bool {
		job, err := s.Job(t.Context(), running)
		if err == nil && job.Status.Ended() { // before anybody looked
			running = film()
		}
		return err == nil && job.Status == "render:dorender"
	})
	if code, _, stderr := asked.Command("backup", file, "--passphrase-file", pass, "--server", asked.Server, "--token", s.Token); code != 0 {
		t.Fatal(stderr)
	}
	later := film()

	var mu sync.Mutex
	type span struct{ sent, taken time.Time }
	taken := map[string]span{} // when each job was
	ctx, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	defer work.Wait()
	defer stop()
	body := map[string]any{"template": map[string]any{"src": "https://files.example/title.aep", "composition": "main"}, "hold": true}
	for _, n := range []*farmtest.Farm{leader, asked} {
		work.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				sent := time.Now()
				job, err := n.Submit(context.WithoutCancel(ctx), body)
				if err != nil {
					t.Errorf("submission %d: %v", i, err)
					return
				}
				mu.Lock()
				taken[job.ID] = span{sent, time.Now()}
				mu.Unlock()
			}
		})
	}
	count := func() int { mu.Lock(); defer mu.Unlock(); return len(taken) }
	s.Await("jobs to be taken", func() bool { return count() > 20 })
	killed.Kill()
	began := time.Now()
	args := append(restoring(file, pass), "--server", asked.Server, "--token", s.Token)
	code, out, stderr := asked.Command(args...)
	if code != 0 {
		t.Fatal(stderr)
	}
	ended := time.Now()
	t.Logf("put back within %v: %s", ended.Sub(began), out)
	n := count()
	s.Await("more jobs to be taken", func() bool { return count() > n+20 })
	stop()
	work.Wait()

	again(s, killed)
	for _, n := range s.Nodes {
		n.Await("the coordinator to serve", func() bool { return client.Ready(t.Context(), n.Server) == nil })
		if _, err := n.Job(t.Context(), running); err != nil {
			t.Errorf("a job of the backup: %v", err)
		}
		if _, err := n.Job(t.Context(), later); !client.IsStatus(err, http.StatusNotFound) {
			t.Errorf("a job from after the backup: %v", err)
		}
		for id, at := range taken {
			_, err := n.Job(t.Context(), id)
			switch {
			case at.taken.Before(began) && !client.IsStatus(err, http.StatusNotFound):
				t.Fatalf("a job that was taken before the farm was put back: %v", err)
			case at.sent.After(ended) && err != nil:
				t.Fatalf("a job that was taken after the farm was put back: %v", err)
			case err != nil && !client.IsStatus(err, http.StatusNotFound):
				t.Fatal(err)
			}
		}
	}
	// The machine goes on with what the backup knows of it, and gets new work.
	s.Await("the film to end", func() bool {
		job, err := s.Job(t.Context(), running)
		return err == nil && job.Status.Ended()
	})
	next := film()
	s.Await("another film to end", func() bool {
		job, err := s.Job(t.Context(), next)
		return err == nil && job.Status.Ended()
	})
	for _, id := range []string{running, next} {
		if job, err := s.Job(t.Context(), id); err != nil || job.Status != "finished" {
			t.Errorf("job %s is %+v, %v", id, job, err)
		}
	}
	sameEverywhere(s)
}

// again starts a node that was killed.
func again(s *farmtest.Several, killed *farmtest.Farm) {
	s.T.Helper()
	const folderAndAddress = 6 // words before the flags
	n, address := farmtest.StartProgram(s.T, farmtest.Program(s.T), "coordinator", killed.Dir, killed.Cmd.Args[folderAndAddress:]...)
	n.Client = &client.Client{Server: address, Token: s.Token, Patience: farmtest.Patience}
	for i := range s.Nodes {
		if s.Nodes[i] == killed {
			s.Nodes[i] = n
		}
	}
}

// sameEverywhere waits until all nodes have the same state at one index.
func sameEverywhere(s *farmtest.Several) {
	s.T.Helper()
	s.Await("all nodes to have the same state", func() bool {
		var view struct {
			Members []struct {
				Alive       bool
				Fingerprint string
			}
		}
		s.Read(s.Nodes[0], "/cluster", &view)
		for _, m := range view.Members {
			if !m.Alive || m.Fingerprint == "" || m.Fingerprint != view.Members[0].Fingerprint {
				return false
			}
		}
		return len(view.Members) == len(s.Nodes)
	})
}

// TestACoordinatorThatDiesWhileTheFarmIsPutBackLeavesTheOneOrTheOther kills the leader, or whoever was asked, at different moments.
func TestACoordinatorThatDiesWhileTheFarmIsPutBackLeavesTheOneOrTheOther(t *testing.T) {
	t.Parallel()
	c := farmtest.StartRig(t, 3)
	ctx := t.Context()
	submit := func(i int) string {
		t.Helper()
		var job struct{ ID string }
		body := `{"template": {"src": "https://files.example/title.aep", "composition": "main"}, "hold": true, "name": "` + strings.Repeat("long ", 40) + `"}`
		c.Await("a job to be taken", func() bool {
			status, err := c.Ask(ctx, i, http.MethodPost, "/api/v2/jobs", body, &job)
			return err == nil && status == http.StatusCreated
		})
		return job.ID
	}
	run := func(ctx context.Context, i int, args ...string) error {
		cmd := exec.CommandContext(ctx, farmtest.Program(t), append(args, "--server", c.Base(i), "--token", c.Token)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%v: %w: %s", args, err, out)
		}
		return nil
	}
	for range 30 {
		submit(c.Leader())
	}
	first := submit(c.Leader())
	pass, file := passphraseIn(t, "a passphrase for tests"), filepath.Join(t.TempDir(), "farm.ocbackup")
	if err := run(ctx, c.Leader(), "backup", file, "--passphrase-file", pass); err != nil {
		t.Fatal(err)
	}
	came := map[bool]int{}
	for round, after := range []int{30, 150, 250, 350, 500, 700} { // milliseconds
		lead := c.Leader()
		asked := (lead + 1) % 3
		later := submit(asked)
		result := make(chan error, 1)
		go func() { result <- run(ctx, asked, restoring(file, pass)...) }()
		time.Sleep(time.Duration(after) * time.Millisecond) // which moment that is does not matter: each has to be well
		gone := lead
		if round%2 == 1 {
			gone = asked
		}
		c.Kill(gone)
		err := <-result
		c.Start(gone)
		c.AwaitReady(gone)
		last := submit(c.Leader())
		there := make([]bool, 3)
		for i := range c.Nodes {
			for id, want := range map[string]bool{first: true, last: true, later: false} {
				var job struct{ ID string }
				status := 0
				c.Await("an answer about a job", func() bool {
					status, _ = c.Ask(ctx, i, http.MethodGet, "/api/v2/jobs/"+id, "", &job)
					return status == http.StatusOK || status == http.StatusNotFound
				})
				if id == later {
					there[i] = status == http.StatusOK
				} else if (status == http.StatusOK) != want {
					t.Fatalf("round %d, node %d: job %s is answered with %d", round, i, id, status)
				}
			}
		}
		if there[0] != there[1] || there[0] != there[2] {
			t.Fatalf("round %d: the nodes differ: %v", round, there)
		}
		if err == nil && there[0] {
			t.Fatalf("round %d: the farm was said to be put back, and is not", round)
		}
		came[there[0]]++
		t.Logf("round %d: after %v ms node %d was killed; put back %v; the command said %v", round, after, gone, !there[0], err)
		c.Await("the same state on all nodes", func() bool {
			var view struct {
				Members []struct{ Fingerprint string }
			}
			status, err := c.Ask(ctx, c.Leader(), http.MethodGet, "/api/farm/v1/cluster", "", &view)
			return err == nil && status == http.StatusOK && len(view.Members) == 3 && view.Members[0].Fingerprint != "" &&
				view.Members[0].Fingerprint == view.Members[1].Fingerprint && view.Members[0].Fingerprint == view.Members[2].Fingerprint
		})
	}
	t.Logf("%d rounds left the farm as it was, %d put it back", came[true], came[false])
}
