//go:build linux

package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"overcrank/cmd/overcrank/client"
	"overcrank/raftstore/porttest"
)

// reloads writes the file of settings anew and has the farm read it, until it says what came of it.
func (f *runningFarm) reloads(path, text, says string) {
	f.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
	before := strings.Count(f.said.String(), says)
	if err := f.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		f.t.Fatal(err)
	}
	f.await("the farm to say "+says, func() bool { return strings.Count(f.said.String(), says) > before })
}

// underSubmissions has several clients submit jobs on connections that they keep, until end is called. Each of them has to be taken.
func (f *runningFarm) underSubmissions(clients int) (end func() (taken int)) {
	f.t.Helper()
	ctx, cancel := context.WithCancel(f.t.Context())
	var work sync.WaitGroup
	taken := make([]int, clients)
	for i := range clients {
		work.Go(func() {
			caller := &client.Client{Server: f.Server, Token: f.Token, HTTP: &http.Client{Transport: &http.Transport{}}}
			defer caller.HTTP.CloseIdleConnections()
			body := map[string]any{"template": map[string]any{"src": "https://files.invalid/title.aep", "composition": "main"}, "hold": true}
			for ctx.Err() == nil {
				if _, err := caller.Submit(context.WithoutCancel(ctx), body); err != nil {
					f.t.Errorf("after %d submissions: %v", taken[i], err)
					return
				}
				taken[i]++
			}
		})
	}
	return func() (all int) {
		cancel()
		work.Wait()
		for _, n := range taken {
			if n == 0 {
				f.t.Error("a client submitted nothing")
			}
			all += n
		}
		return all
	}
}

// TestSettingsAreTakenUpWhileTheFarmWorks changes the settings of a farm that renders and is submitted to. Nobody's request fails, and
// nothing is rendered twice.
func TestSettingsAreTakenUpWhileTheFarmWorks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "up.yaml")
	if err := os.WriteFile(path, []byte("min-free: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := launchAs(t, "up", t.TempDir(), "--config", path)
	slow := f.submitSlow(f.card())
	f.await("the job to render", func() bool {
		job, err := f.Job(t.Context(), slow)
		return err == nil && job.Status == "render:dorender" && job.Progress > 5
	})
	end := f.underSubmissions(4)

	const taken, kept = "new settings are in force", "the settings stay as they were"
	port := porttest.Address(t)
	f.reloads(path, "min-free: 1\ncluster-listen: "+port+"\n", taken)
	f.await("others to be told of the coordinators' port", func() bool {
		view, err := f.Cluster(t.Context())
		return err == nil && len(view.Members) == 1 && view.Members[0].Address == port
	})
	f.reloads(path, "min-free: 1\nstorage: /not/there\n", kept)
	f.reloads(path, "min-free: 1\nno-such-thing: 1\n", kept)
	f.reloads(path, "min-free: 1\ncluster-listen: "+port+"\nslots: 2\n", "count from the next start on")
	f.reloads(path, "min-free: 1\ncluster-listen: "+port+"\nkeep-history: 1000h\n", taken)
	if n := end(); n < 10 {
		t.Errorf("only %d jobs were taken", n)
	}
	f.finished(slow)
	var attempts []struct{ Attempt int }
	if err := json.Unmarshal(f.farmAPI(http.MethodGet, "/jobs/"+slow+"/attempts", ""), &attempts); err != nil {
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
	path, storage, port := filepath.Join(t.TempDir(), "up.yaml"), t.TempDir(), porttest.Address(t)
	if err := os.WriteFile(path, []byte("min-free: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := launchAs(t, "up", t.TempDir(), "--config", path)
	template := f.card()
	before := f.finished(f.submitCard(template, nil))
	end := f.underSubmissions(2)

	f.reloads(path, "min-free: 1\npromote-after: 500ms\nstorage: "+storage+"\ncluster-listen: "+port+"\n", "new settings are in force")
	one := &memberNode{t: t, dir: f.dir, api: strings.TrimPrefix(f.Server, "http://")}
	if said, err := one.cli(f.Token, "storage", "status", "--wait"); err != nil {
		t.Fatalf("%s, %v", said, err)
	}
	two := newMember(t, storage).joinBy(f.Token, one)
	three := newMember(t, storage).joinBy(f.Token, one)
	agree(t, f.Token, 3, one, two, three)
	if n := end(); n < 10 {
		t.Errorf("only %d jobs were taken", n)
	}
	after := f.finished(f.submitCard(template, nil))
	for _, job := range []client.Job{before, after} {
		for _, n := range []*memberNode{one, two, three} {
			asked := job
			asked.OutputURL = "http://" + n.api + strings.TrimPrefix(job.OutputURL, f.Server)
			if info, err := os.Stat(f.download(asked)); err != nil || info.Size() == 0 {
				t.Errorf("%s gives %v, %v", n.api, info, err)
			}
		}
	}
}
