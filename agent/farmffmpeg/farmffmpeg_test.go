package farmffmpeg

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"overcrank/durable"
	"overcrank/farm/wire"
	"overcrank/faults/leaktest"
	"overcrank/ffmpeg"
	"overcrank/ffmpeg/build"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// handedOut is a farm that hands out files by what it says their hashes are.
type handedOut map[string][]byte

func (h handedOut) Download(_ context.Context, sum string, w io.Writer) error {
	content, is := h[sum]
	if !is {
		return errors.New("the farm does not have it")
	}
	_, err := w.Write(content)
	return err
}

// archive is a build of this machine's own ffmpeg.
func archive(t *testing.T, licence string) (content []byte, wanted wire.FFmpeg) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs may need libraries that lie elsewhere")
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	add := func(name string, content []byte) {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, program := range build.Programs(runtime.GOOS) {
		path, err := exec.LookPath(program)
		if err != nil {
			t.Skip("ffmpeg is not installed")
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		add(program, text)
	}
	add("LICENSE", []byte(licence))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), pinned(b.Bytes())
}

func pinned(content []byte) wire.FFmpeg {
	sum := sha256.Sum256(content)
	return wire.FFmpeg{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(content)), Version: "5.1"}
}

// machine runs a keeper; lacks says whether the machine's own ffmpeg will not do, room what is said about room.
func machine(t *testing.T, dir string, farm Farm, lacks bool, room func(int64) error) (k *Keeper, changes *atomic.Int64) {
	t.Helper()
	t.Setenv(ffmpeg.FolderVariable, "")
	changes = &atomic.Int64{}
	k = New(Config{
		DataDir: dir, Farm: farm, Room: room, Lacks: func() bool { return lacks }, Changed: func() { changes.Add(1) },
		RetryAfter: 10 * time.Millisecond, Log: slog.New(slog.DiscardHandler),
	})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
	return k, changes
}

func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for late := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func roomy(int64) error { return nil }

func TestTheFarmsFFmpegIsUsed(t *testing.T) {
	first, one := archive(t, "first")
	second, two := archive(t, "second")
	dir := t.TempDir()
	left := filepath.Join(Folder(dir), ".incoming-1")
	if err := os.MkdirAll(left, 0o700); err != nil { // of an agent that was killed
		t.Fatal(err)
	}
	k, _ := machine(t, dir, handedOut{one.SHA256: first, two.SHA256: second}, true, roomy)
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what an earlier agent left behind is still there: %v", err)
	}
	uses := func(w wire.FFmpeg) func() bool {
		return func() bool {
			path, err := ffmpeg.Path("ffmpeg")
			return err == nil && Hash(dir, path) == w.SHA256
		}
	}
	k.Want(one)
	await(t, "the first build", uses(one))
	if b, err := ffmpeg.Which(t.Context()); err != nil || b.Version == "" {
		t.Errorf("%+v, %v", b, err)
	}
	if text, err := os.ReadFile(filepath.Join(Folder(dir), one.SHA256, "LICENSE")); string(text) != "first" {
		t.Errorf("%q, %v", text, err)
	}
	k.Want(two)
	await(t, "the second build", uses(two))
	if err := errors.Join(os.Unsetenv(ffmpeg.FolderVariable), Adopt(dir)); err != nil || !uses(two)() {
		t.Errorf("a program beside the agent uses another one: %v", err)
	}
	New(k.cfg)
	if _, err := os.Stat(filepath.Join(Folder(dir), one.SHA256)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the build that is no longer used is kept: %v", err)
	}
	k.Want(wire.FFmpeg{})
	await(t, "the machine's own again", func() bool {
		path, err := ffmpeg.Path("ffmpeg")
		return err == nil && Hash(dir, path) == ""
	})
}

func TestAMachineWhoseFFmpegWillDoTakesNone(t *testing.T) {
	content, wanted := archive(t, "")
	dir := t.TempDir()
	k, changes := machine(t, dir, handedOut{wanted.SHA256: content}, false, roomy)
	k.Want(wanted)
	await(t, "the keeper to look", func() bool { return changes.Load() > 0 })
	if list, err := os.ReadDir(Folder(dir)); err == nil {
		t.Errorf("it fetched %v", list)
	}
}

func TestWhatIsNotTheBuildIsNotUsed(t *testing.T) {
	content, wanted := archive(t, "")
	short := wanted
	short.Size = 10
	evil := []byte("no archive")
	broken := func() []byte { // programs that this machine cannot start
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for _, name := range append(build.Programs(runtime.GOOS), "LICENSE") {
			if _, err := w.Create(name); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}()
	for name, c := range map[string]struct {
		wanted wire.FFmpeg
		sent   []byte
		room   error
		why    string
	}{
		"another file":          {wanted, evil, nil, "has the SHA-256"},
		"a longer file":         {short, content, nil, "longer than the farm says"},
		"no archive":            {pinned(evil), evil, nil, "not a build of ffmpeg"},
		"programs that fail":    {pinned(broken), broken, nil, "does not run on this machine"},
		"a full disk":           {wanted, content, durable.ErrNoRoom, durable.ErrNoRoom.Error()},
		"a hash that is a path": {wire.FFmpeg{SHA256: "../../etc", Size: 1}, nil, nil, "not a build of ffmpeg"},
		"too large":             {wire.FFmpeg{SHA256: wanted.SHA256, Size: 1 << 40}, nil, nil, "not a build of ffmpeg"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			k, _ := machine(t, dir, handedOut{c.wanted.SHA256: c.sent}, true, func(int64) error { return c.room })
			k.Want(c.wanted)
			await(t, "the reason", func() bool { return strings.Contains(k.Why(), c.why) })
			if sum, err := current(dir); sum != "" || err != nil || os.Getenv(ffmpeg.FolderVariable) != "" {
				t.Errorf("%q is used, %v", sum, err)
			}
		})
	}
}

// TestARefusedBuildIsFetchedOnce has the farm say again what it hands out, as it does to each new connection.
func TestARefusedBuildIsFetchedOnce(t *testing.T) {
	content, good := archive(t, "")
	evil := []byte("no archive")
	asked := &countedFarm{of: handedOut{pinned(evil).SHA256: evil, good.SHA256: content}}
	dir := t.TempDir()
	k, _ := machine(t, dir, asked, true, func(int64) error { return nil })
	k.Want(pinned(evil))
	await(t, "the refusal", func() bool { return k.Why() != "" })
	k.Want(pinned(evil))
	await(t, "the keeper to be told", func() bool { return len(k.woken) == 0 })
	k.Want(good)
	await(t, "the good build", func() bool { sum, _ := current(dir); return sum == good.SHA256 })
	if n := asked.times.Load(); n != 2 {
		t.Errorf("the farm was asked %d times for two builds", n)
	}
}

// countedFarm counts the downloads of a farm.
type countedFarm struct {
	of    Farm
	times atomic.Int64
}

func (c *countedFarm) Download(ctx context.Context, sha256 string, w io.Writer) error {
	c.times.Add(1)
	return c.of.Download(ctx, sha256, w)
}

func TestAFetchThatFailsIsRepeated(t *testing.T) {
	content, wanted := archive(t, "")
	dir := t.TempDir()
	var full atomic.Bool
	full.Store(true)
	k, _ := machine(t, dir, handedOut{wanted.SHA256: content}, true, func(int64) error {
		if full.Load() {
			return durable.ErrNoRoom
		}
		return nil
	})
	k.Want(wanted)
	await(t, "the full disk", func() bool { return k.Why() != "" })
	full.Store(false)
	await(t, "the build", func() bool { sum, _ := current(dir); return sum == wanted.SHA256 && k.Why() == "" })
}
