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
	port := freeAddress(t)
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
