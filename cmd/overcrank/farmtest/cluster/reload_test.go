//go:build linux

package cluster_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/client"
	"overcrank/raftstore/porttest"
)

// reloads writes the file of settings anew and has the farm read it, until it says what came of it.
func reloads(f *farmtest.Farm, path, text, says string) {
	f.T.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		f.T.Fatal(err)
	}
	before := strings.Count(f.Said.String(), says)
	if err := f.Cmd.Process.Signal(syscall.SIGHUP); err != nil {
		f.T.Fatal(err)
	}
	f.Await("the farm to say "+says, func() bool { return strings.Count(f.Said.String(), says) > before })
}

// underSubmissions has several clients submit jobs on connections that they keep, until end is called. Each of them has to be taken.
func underSubmissions(f *farmtest.Farm, clients int) (end func()) {
	f.T.Helper()
	ctx, cancel := context.WithCancel(f.T.Context())
	var work sync.WaitGroup
	taken := make([]int, clients)
	for i := range clients {
		work.Go(func() {
			caller := &client.Client{Server: f.Server, Token: f.Token, Patience: farmtest.Patience, HTTP: &http.Client{Transport: &http.Transport{}}}
			defer caller.HTTP.CloseIdleConnections()
			body := map[string]any{"template": map[string]any{"src": "https://files.invalid/title.aep", "composition": "main"}, "hold": true}
			for ctx.Err() == nil {
				if _, err := caller.Submit(context.WithoutCancel(ctx), body); err != nil {
					f.T.Errorf("after %d submissions: %v", taken[i], err)
					return
				}
				taken[i]++
			}
		})
	}
	return func() {
		cancel()
		work.Wait()
		if slices.Contains(taken, 0) {
			f.T.Error("a client submitted nothing")
		}
	}
}

// TestSettingsAreTakenUpWhileTheFarmWorks changes the settings of a farm that renders and is submitted to. Nobody's request fails, and
// nothing is rendered twice.
func TestSettingsAreTakenUpWhileTheFarmWorks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "up.yaml")
	if err := os.WriteFile(path, []byte("min-free: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := farmtest.Up(t, t.TempDir(), "--config", path)
	slow := f.SubmitSlow(f.Card())
	f.Await("the job to render", func() bool {
		job, err := f.Job(t.Context(), slow)
		return err == nil && (job.Status == "render:dorender" && job.Progress > 5 || job.Status.Ended())
	})
	end := underSubmissions(f, 4)

	const taken, kept = "new settings are in force", "the old ones stay in force"
	port := porttest.Address(t)
	reloads(f, path, "min-free: 1\ncluster-listen: "+port+"\n", taken)
	f.Await("others to be told of the coordinators' port", func() bool {
		view, err := f.Cluster(t.Context())
		return err == nil && len(view.Members) == 1 && view.Members[0].Address == port
	})
	reloads(f, path, "min-free: 1\nstorage: /not/there\n", kept)
	reloads(f, path, "min-free: 1\nno-such-thing: 1\n", kept)
	reloads(f, path, "min-free: 1\ncluster-listen: "+port+"\nslots: 2\n", "take effect at the next start")
	reloads(f, path, "min-free: 1\ncluster-listen: "+port+"\nkeep-history: 1000h\n", taken)
	end()
	f.Finished(slow)
	var attempts []struct{ Attempt int }
	if err := json.Unmarshal(f.FarmAPI(http.MethodGet, "/jobs/"+slow+"/attempts", ""), &attempts); err != nil {
		t.Fatal(err)
	}
	for _, a := range attempts {
		if a.Attempt != 1 {
			t.Errorf("something was rendered a second time: %+v", attempts)
		}
	}
}

// TestAPlainFarmBecomesAFarmOfThreeWithoutDowntime begins with what most do: one process, whose files lie in its data folder and that nobody has
// told of others. Nothing is stopped on the way to three, every submission is taken, and what was rendered before is there on all.
func TestAPlainFarmBecomesAFarmOfThreeWithoutDowntime(t *testing.T) {
	t.Parallel()
	path, storage, port := filepath.Join(t.TempDir(), "up.yaml"), t.TempDir(), porttest.Address(t)
	if err := os.WriteFile(path, []byte("min-free: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := farmtest.Up(t, t.TempDir(), "--config", path)
	template := f.Card()
	before := f.Finished(f.SubmitCard(template, nil))
	end := underSubmissions(f, 2)

	reloads(f, path, "min-free: 1\npromote-after: 500ms\nstorage: "+storage+"\ncluster-listen: "+port+"\n", "new settings are in force")
	one := &memberNode{t: t, dir: f.Dir, api: strings.TrimPrefix(f.Server, "http://")}
	if said, err := one.cli(f.Token, "storage", "status", "--wait"); err != nil {
		t.Fatalf("%s, %v", said, err)
	}
	two := newMember(t, storage).joinBy(f.Token, one)
	three := newMember(t, storage).joinBy(f.Token, one)
	agree(t, f.Token, 3, one, two, three)
	end()
	after := f.Finished(f.SubmitCard(template, nil))
	for _, job := range []client.Job{before, after} {
		for _, n := range []*memberNode{one, two, three} {
			asked := job
			asked.OutputURL = "http://" + n.api + strings.TrimPrefix(job.OutputURL, f.Server)
			if info, err := os.Stat(f.Fetch(asked)); err != nil || info.Size() == 0 {
				t.Errorf("%s gives %v, %v", n.api, info, err)
			}
		}
	}
}
