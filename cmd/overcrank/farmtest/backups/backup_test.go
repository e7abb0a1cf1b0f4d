//go:build linux

package backups_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/titlecard"
)

// passphraseIn writes a passphrase into a file and gives its path.
func passphraseIn(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "passphrase")
	if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestABackupUnderLoadBecomesAFarmThatRenders backs a farm up while jobs come in, kills it, and goes on with the backup elsewhere.
func TestABackupUnderLoadBecomesAFarmThatRenders(t *testing.T) {
	t.Parallel()
	dir, pass := t.TempDir(), passphraseIn(t, "a passphrase for tests")
	f := farmtest.Up(t, filepath.Join(dir, "first"), "--lease", "15s")
	card := f.Card()
	still := map[string]any{"type": "image", "frames": 0}
	done := f.Finished(f.SubmitCard(card, still, titled("done before")))
	if code, _, stderr := f.Command("secrets", "set", "KEY", "--from-file", pass); code != 0 {
		t.Fatal(stderr)
	}

	// Jobs are acknowledged before the backup, while it is made, and after it.
	var mu sync.Mutex
	var acknowledged []string
	ctx, stop := context.WithCancel(t.Context())
	var submitting sync.WaitGroup
	defer submitting.Wait()
	defer stop()
	body := map[string]any{"template": map[string]string{"id": card, "composition": titlecard.Strip}, "settings": still, "hold": true}
	for range 4 {
		submitting.Go(func() {
			for ctx.Err() == nil {
				if job, err := f.Submit(ctx, body); err == nil {
					mu.Lock()
					acknowledged = append(acknowledged, job.ID)
					mu.Unlock()
				}
			}
		})
	}
	f.Await("some jobs to be acknowledged", func() bool { mu.Lock(); defer mu.Unlock(); return len(acknowledged) >= 40 })
	mu.Lock()
	before := append([]string(nil), acknowledged...)
	mu.Unlock()
	file := filepath.Join(dir, "farm.ocbackup")
	code, stdout, stderr := f.Command("backup", file, "--passphrase-file", pass, "--with-files", "--json")
	if code != 0 {
		t.Fatal(stderr)
	}
	var made struct {
		Index, Bytes int64
		Keys, Files  bool
	}
	if err := json.Unmarshal([]byte(stdout), &made); err != nil || made.Index == 0 || !made.Keys || !made.Files {
		t.Errorf("the backup is described as %s, %v", stdout, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 || info.Size() != made.Bytes {
		t.Errorf("the backup is %v, %v; want %d bytes for its owner alone", info, err, made.Bytes)
	}
	var cluster client.Cluster
	if code, text, stderr := f.Command("cluster", "status", "--json"); code != 0 || json.Unmarshal([]byte(text), &cluster) != nil {
		t.Fatal(text, stderr)
	}
	if known := cluster.Backups; len(known) != 1 || known[0].Bytes != made.Bytes || !strings.HasSuffix(known[0].Place, ":"+file) || known[0].CheckedAt == "" {
		t.Errorf("the farm remembers the backups %+v", known)
	}
	if code, list, stderr := f.Command("cluster", "backups"); code != 0 || !strings.Contains(list, "state, keys, files") || !strings.Contains(list, file) {
		t.Errorf("the backups are listed as %s %s", list, stderr)
	}
	stop()
	submitting.Wait()
	t.Logf("%d jobs before the backup, %d by its end", len(before), len(acknowledged))
	f.Kill()

	second := filepath.Join(dir, "second")
	if code, _, stderr := f.Command("restore", file, "--data-dir", second, "--passphrase-file", pass); code != 0 {
		t.Fatal(stderr)
	}
	restored := farmtest.Up(t, second, "--lease", "15s")
	for _, id := range before {
		if job, err := restored.Job(t.Context(), id); err != nil || job.Status != "queued" {
			t.Fatalf("job %s, acknowledged before the backup, is %+v, %v", id, job, err)
		}
	}
	restored.Fetch(restored.Finished(done.ID))
	if code, list, stderr := restored.Command("secrets"); code != 0 || !strings.Contains(list, "KEY") {
		t.Errorf("the secrets are %s %s", list, stderr)
	}
	if code, _, stderr := restored.Command("jobs", "release", before[0], before[len(before)-1]); code != 0 {
		t.Error(stderr)
	}
	restored.Finished(before[0])
	restored.Finished(before[len(before)-1])
	restored.Finished(restored.SubmitCard(card, still, titled("after it was restored")))
	restored.Stop()
	again := farmtest.Up(t, second, "--lease", "15s")
	again.Finished(before[0])
}

func TestBackupsThatAreNotRightLeaveNothing(t *testing.T) {
	t.Parallel()
	dir, pass := t.TempDir(), passphraseIn(t, "a passphrase for tests")
	f := farmtest.LaunchAs(t, "coordinator", filepath.Join(dir, "farm"))
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	other := farmtest.LaunchAs(t, "coordinator", filepath.Join(dir, "other"))
	other.Await("the other farm to be ready", func() bool { return client.Ready(t.Context(), other.Server) == nil })
	file, keyless := filepath.Join(dir, "farm.ocbackup"), filepath.Join(dir, "keyless.ocbackup")
	for _, args := range [][]string{{"backup", file, "--passphrase-file", pass}, {"backup", keyless, "--without-keys"}} {
		if code, _, stderr := f.Command(args...); code != 0 {
			t.Fatal(stderr)
		}
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	variant := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	altered := append([]byte(nil), whole...)
	altered[len(altered)/2] ^= 0xff
	target := filepath.Join(dir, "restored")
	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"a passphrase is missing":     {[]string{"restore", file, "--data-dir", target}, exit.Usage, "--passphrase-file"},
		"the passphrase is another":   {[]string{"restore", file, "--data-dir", target, "--passphrase-file", passphraseIn(t, "some other passphrase")}, exit.Failed, "is not that of this backup"},
		"the passphrase is too short": {[]string{"restore", file, "--data-dir", target, "--passphrase-file", passphraseIn(t, "short")}, exit.Usage, "12 characters"},
		"its end is missing":          {[]string{"restore", variant("cut", whole[:len(whole)*2/3]), "--data-dir", target, "--passphrase-file", pass}, exit.Failed, "ends early"},
		"bytes are altered":           {[]string{"restore", variant("altered", altered), "--data-dir", target, "--passphrase-file", pass}, exit.Failed, "damaged"},
		"it is something else":        {[]string{"restore", variant("text", []byte(strings.Repeat("words ", 99))), "--data-dir", target}, exit.Failed, "not a backup"},
		"the keys are another farm's": {[]string{"restore", keyless, "--data-dir", target, "--keys-from", other.Dir}, exit.Failed, "the backup is of the farm"},
		"the folder is in use":        {[]string{"restore", file, "--data-dir", f.Dir, "--passphrase-file", pass}, exit.Failed, "not empty"},
		"nothing seals the keys":      {[]string{"backup", filepath.Join(dir, "none")}, exit.Usage, "--without-keys"},
		"the backup is there already": {[]string{"backup", file, "--without-keys"}, exit.Usage, "--replace"},
	} {
		code, _, stderr := f.Command(test.args...)
		if code != test.code || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: exit code %d, want %d; it says %q, want %q in it", name, code, test.code, stderr, test.want)
		}
		for _, path := range []string{target, filepath.Join(dir, "none")} {
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("%s: %s is there", name, path)
			}
		}
		if half, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(half) > 0 {
			t.Errorf("%s: left behind: %v, %v", name, half, err)
		}
	}

	// A backup without keys becomes a farm once its keys are there.
	if code, _, stderr := f.Command("restore", keyless, "--data-dir", target); code != 0 || !strings.Contains(stderr, "farm.key") {
		t.Errorf("restoring without keys says %q", stderr)
	}
	said := farmtest.Refusal(t, "--data-dir", target, "--listen", "127.0.0.1:0")
	if !strings.Contains(said, "farm.key") {
		t.Errorf("a farm without its keys says %s", said)
	}
	// A folder that is there and empty is filled where it is, since it may be that of a disk; what a restoration left that was killed goes.
	with := filepath.Join(dir, "with keys")
	for _, sub := range []string{"lost+found", "restoring-1/state"} {
		if err := os.MkdirAll(filepath.Join(with, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	mounted, err := os.Stat(with)
	if err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := f.Command("restore", keyless, "--data-dir", with, "--keys-from", f.Dir); code != 0 {
		t.Fatal(stderr)
	}
	if now, err := os.Stat(with); err != nil || !os.SameFile(mounted, now) {
		t.Errorf("the folder is another: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(with, "restoring-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	f.Stop()
	restored := farmtest.LaunchAs(t, "coordinator", with)
	restored.Await("the restored farm to be ready", func() bool { return client.Ready(t.Context(), restored.Server) == nil })
}

// TestABackupThatBreaksOffIsNotKept lets a farm answer with the first part of a backup, and then end the connection or not.
func TestABackupThatBreaksOffIsNotKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := farmtest.LaunchAs(t, "coordinator", filepath.Join(dir, "farm"))
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	file := filepath.Join(dir, "farm.ocbackup")
	if code, _, stderr := f.Command("backup", file, "--without-keys"); code != 0 {
		t.Fatal(stderr)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, end := range map[string]func(){"in order": func() {}, "by a cut": func() { panic(http.ErrAbortHandler) }} {
		half := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(whole[:len(whole)/2])
			_ = http.NewResponseController(w).Flush()
			end()
		}))
		code, _, said := farmtest.Run(t, "backup", filepath.Join(dir, "half"), "--without-keys", "--server", half.URL, "--token", "oct_x")
		half.Close()
		if code == 0 || !strings.Contains(said, "back up the farm") {
			t.Errorf("a backup that ends %s: exit code %d, %s", name, code, said)
		}
		if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 2 {
			t.Errorf("a backup that ends %s leaves %v, %v", name, left, err)
		}
		if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) != 0 {
			t.Errorf("a backup that ends %s leaves %v, %v", name, left, err)
		}
	}
}
