//go:build linux

package cluster_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/client"
	"overcrank/raftstore/porttest"
)

// storage is what `overcrank storage status` says.
func storage(f *farmtest.Farm, words ...string) (now client.Storage) {
	f.T.Helper()
	code, stdout, stderr := f.Command(append([]string{"storage", "status", "--json"}, words...)...)
	if err := json.Unmarshal([]byte(stdout), &now); err != nil || code != 0 {
		f.T.Fatalf("ended with %d, %v\n%s%s", code, err, stdout, stderr)
	}
	return now
}

// TestAFarmOfOneBecomesOneOfTwoWhileItWorks gives a farm that keeps its files in its data folder shared storage and a port for others,
// while it renders and is submitted to. Its files move meanwhile, across a kill -9 as well; then a second coordinator comes.
func TestAFarmOfOneBecomesOneOfTwoWhileItWorks(t *testing.T) {
	t.Parallel()
	settings, mount := filepath.Join(t.TempDir(), "up.yaml"), t.TempDir()
	if err := os.WriteFile(settings, []byte("min-free: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := farmtest.Up(t, t.TempDir(), "--config", settings)
	card := f.Card()
	before := f.Finished(f.SubmitCard(card, map[string]any{"type": "image", "frames": 10}))
	film, err := os.ReadFile(f.Fetch(before))
	if err != nil {
		t.Fatal(err)
	}
	// The move cannot end before this goes.
	inTheWay := filepath.Join(mount, "outputs", path.Base(before.OutputURL))
	if err := os.MkdirAll(filepath.Join(inTheWay, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	running := f.SubmitSlow(card)
	f.Await("the job to render", func() bool {
		job, err := f.Job(t.Context(), running)
		return err == nil && (job.Status == "render:dorender" && job.Progress > 5 || job.Status.Ended())
	})
	end := underSubmissions(f, 2)
	reloads(f, settings, "min-free: 1\nstorage: "+mount+"\ncluster-listen: "+porttest.Address(t)+"\n", "new settings are in force")
	f.Finished(f.SubmitCard(card, map[string]any{"type": "image", "frames": 3}))
	f.Finished(running)
	end()
	same := func(f *farmtest.Farm) {
		t.Helper()
		before.OutputURL = f.Server + "/outputs/" + path.Base(before.OutputURL)
		if again, err := os.ReadFile(f.Fetch(before)); err != nil || string(again) != string(film) {
			t.Errorf("the film of before has %d bytes, %v; it had %d", len(again), err, len(film))
		}
		if log := f.LogOf(before.ID); !strings.Contains(log, "finished") {
			t.Errorf("the log of before says %q", log)
		}
	}
	same(f)
	f.Await("the move to wait for one file", func() bool {
		move := storage(f).Move
		return move != nil && move.FilesLeft == 1 && strings.Contains(move.Trouble, path.Base(before.OutputURL))
	})
	if code, stdout, stderr := f.Command("cluster", "invite"); code == 0 || !strings.Contains(stderr, "are being moved") || !strings.Contains(stderr, "files") {
		t.Errorf("an invitation meanwhile ended with %d\n%s%s", code, stdout, stderr)
	}
	if _, stdout, stderr := f.Command("cluster", "status"); !strings.Contains(stdout+stderr, "are being moved to") {
		t.Errorf("meanwhile the status says\n%s%s", stdout, stderr)
	}

	f.Kill()
	if err := os.RemoveAll(inTheWay); err != nil {
		t.Fatal(err)
	}
	f = farmtest.Up(t, f.Dir, "--config", settings)
	same(f)
	if now := storage(f, "--wait"); !now.Shared || now.Move != nil || !strings.Contains(now.Where, mount) {
		t.Errorf("at the end it says %+v", now)
	}
	same(f)
	f.Await("the folder to have no results any more", func() bool {
		_, err := os.Stat(filepath.Join(f.Dir, "files", "outputs"))
		return errors.Is(err, fs.ErrNotExist)
	})
	code, token, stderr := f.Command("cluster", "invite")
	if code != 0 {
		t.Fatal(stderr)
	}
	invitation := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(invitation, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	two := newMember(t, mount).start("--join", "https://"+strings.TrimPrefix(f.Server, "http://"), "--cluster-token-file", invitation)
	two.awaitReady()
	f.Server = "http://" + two.api
	same(f)
}
