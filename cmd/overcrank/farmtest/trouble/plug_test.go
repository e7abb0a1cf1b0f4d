//go:build linux

package trouble_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/titlecard"
	"overcrank/interval"
)

// TestEveryAcknowledgedJobIsDeliveredOnceHoweverOftenTheFarmIsKilled kills the farm while jobs are submitted and rendered.
func TestEveryAcknowledgedJobIsDeliveredOnceHoweverOftenTheFarmIsKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := farmtest.Up(t, dir, "--lease", "15s")
	template := f.Card()
	var taken []string
	for range 2 {
		ctx, stop := context.WithCancel(t.Context())
		var submitting sync.WaitGroup
		submitting.Go(func() {
			var job client.Job
			for n := 0; interval.Wait(ctx, 100*time.Millisecond) == nil; {
				if n >= 2 { // and more only when these end before anybody looks
					if last, err := f.Job(ctx, job.ID); err != nil || !last.Status.Ended() {
						continue
					}
				}
				made, err := f.Submit(ctx, map[string]any{
					"template": map[string]string{"id": template, "composition": titlecard.Composition}, "assets": []any{farmtest.Busy()},
					"settings": map[string]any{"frames": []int{0, 40}},
				})
				if err == nil {
					job, n, taken = made, n+1, append(taken, made.ID)
				}
			}
		})
		f.Await("the engine to run", func() bool { return len(farmtest.Processes(dir, "aerender")) > 0 })
		_ = f.Cmd.Process.Kill()
		<-f.Done
		stop()
		submitting.Wait()
		f = farmtest.Up(t, dir, "--lease", "15s")
	}
	if len(taken) == 0 {
		t.Fatal("no job was taken")
	}
	for _, id := range taken {
		f.Finished(id)
	}
	delivered := map[string]int{}
	for _, name := range f.Results() {
		id, _, _ := strings.Cut(name, "-")
		delivered[id]++
	}
	for _, id := range taken {
		if delivered[id] != 1 {
			t.Errorf("job %s has %d results", id, delivered[id])
		}
	}
	f.Await("the folders of work to be empty", func() bool { return len(farmtest.Leftovers(t, dir)) == 0 })
}

func TestAllProcessesEndWithTheFarm(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := farmtest.Up(t, dir)
	f.SubmitEndless(f.Card())
	f.Await("the engine to run", func() bool { return len(farmtest.Processes(dir, "aerender")) > 0 })
	_ = f.Cmd.Process.Kill()
	<-f.Done
	f.Await("agent and engine to be gone", func() bool { return len(farmtest.Processes(dir)) == 0 })
}

func TestAnAgentThatSleepsBeyondItsLeaseDeliversOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := farmtest.Up(t, dir, "--lease", "15s") // long enough for an agent that a busy machine keeps waiting
	signal := func(s syscall.Signal) {
		for _, pid := range farmtest.Processes(dir, "agent", "--until-stdin-ends") {
			_ = syscall.Kill(pid, s)
		}
	}
	template := f.Card()
	var id string
	for queued := false; !queued; { // unless it was done before it slept
		id = f.Rendering(func() string { return f.SubmitSlow(template) })
		signal(syscall.SIGSTOP)
		f.Await("the lease to end", func() bool {
			job, err := f.Job(t.Context(), id)
			queued = err == nil && job.Status == "queued"
			return queued || err == nil && job.Status.Ended()
		})
		signal(syscall.SIGCONT)
		if !queued {
			f.Finished(id)
		}
	}
	f.Finished(id)
	delivered := f.Results()
	if others := slices.DeleteFunc(slices.Clone(delivered), func(name string) bool { return strings.HasPrefix(name, id+"-") }); len(delivered)-len(others) != 1 {
		t.Errorf("the results are %v", delivered)
	}
	f.Await("the log to tell what happened", func() bool { // the last of it stands there a moment after the end
		log := f.LogOf(id)
		return strings.Contains(log, "not been heard of") && laterAttempt.MatchString(log)
	})
}

var laterAttempt = regexp.MustCompile(`attempt [2-9] finished`)

func TestSecretsStandOnlyInTheirOwnFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := farmtest.Up(t, dir, "--log-level", "debug")
	f.Finished(f.SubmitCard(f.Card(), map[string]any{"type": "image", "frames": 30}))
	wrong := &client.Client{Server: f.Server, Token: f.Token + "x"}
	if _, err := wrong.Template(t.Context(), "x"); !client.IsStatus(err, 401) {
		t.Errorf("a wrong token gives %v, want 401", err)
	}
	f.Stop()
	homes := map[string]string{} // secret → its file
	for _, name := range []string{"admin.token", "farm.key"} {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		homes[strings.TrimSpace(string(raw))] = name
	}
	authority, err := os.ReadFile(filepath.Join(dir, "ca.key"))
	if err != nil {
		t.Fatal(err)
	}
	homes[strings.Split(string(authority), "\n")[1]] = "ca.key"
	var credential struct{ Key string }
	raw, err := os.ReadFile(filepath.Join(dir, "agent", "credential.json"))
	if err == nil {
		err = json.Unmarshal(raw, &credential)
	}
	if err != nil || credential.Key == "" {
		t.Fatalf("no key in %s, %v", raw, err)
	}
	homes[credential.Key] = filepath.Join("agent", "credential.json")
	homes["ocj_"] = "no file" // the token with which the agent came

	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is %v: others can read it", path, info.Mode())
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		for secret, home := range homes {
			if bytes.Contains(content, []byte(secret)) != (name == home) {
				t.Errorf("the secret of %s and %s: %v", home, name, name != home)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for secret, home := range homes {
		if strings.Contains(f.Said.String(), secret) {
			t.Errorf("the secret of %s stands in the log", home)
		}
	}
}

// TestAFarmOnAFullDiskGoesOnWhenThereIsRoom fills a small disk of its own to under the mark that the farm keeps free,
// while a job renders.
func TestAFarmOnAFullDiskGoesOnWhenThereIsRoom(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=96m"); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	data := filepath.Join(dir, "farm")
	f := farmtest.Up(t, data, "--min-free", "33554432")
	template := f.Card()
	id := f.Rendering(func() string { return f.SubmitWhole(template, 41) })
	filler := filepath.Join(dir, "filler")
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filler, make([]byte, int64(disk.Bavail)*disk.Bsize-(16<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	f.Await("the farm to say that its disk is full", func() bool {
		err := client.Ready(t.Context(), f.Server)
		return err != nil && strings.Contains(err.Error(), "free")
	})
	_, err := f.Submit(t.Context(), map[string]any{
		"template": map[string]string{"id": template, "composition": titlecard.Composition}, "settings": map[string]any{"type": "image", "frames": 30},
	})
	if !client.IsStatus(err, 503) || !strings.Contains(err.Error(), "make room") {
		t.Errorf("submit on a full disk: %v, want 503 that says what to do", err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	f.Await("the farm to be ready again", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	f.Finished(id)
	f.GoesOn(template)
}
