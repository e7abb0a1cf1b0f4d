package update

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"aead.dev/minisign"

	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/launcher"
	"overcrank/release"
	"overcrank/release/releasetest"
)

// bench is a machine with a launcher's state, and who makes releases for it.
type bench struct {
	t        *testing.T
	launch   launcher.Launch
	roots    []minisign.PublicKey
	signer   release.Signer
	program  []byte
	fails    []error // of the next downloads
	fetched  int
	finished int
	away     atomic.Bool
	trial    error
}

func newBench(t *testing.T) *bench {
	t.Helper()
	house := releasetest.New(t)
	roots, err := release.Roots(house.Roots)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t: t, launch: launcher.Launch{Folder: t.TempDir(), Version: "1.0.0", Launcher: launcher.Version}, roots: roots,
		signer: house.Signer, program: []byte("the program of 1.1.0")}
}

// released signs a release and gives what the farm says of it.
func (b *bench) released(change func(*release.Manifest)) wire.Update {
	b.t.Helper()
	folder := b.t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "agent"), b.program, 0o755); err != nil {
		b.t.Fatal(err)
	}
	m := release.Manifest{Product: release.Agent, Version: "1.1.0", Number: 5, NotBefore: time.Now().Add(-time.Hour), Expires: time.Now().Add(time.Hour),
		Protocol: release.Protocol{Min: wire.Version, Max: wire.Version}, Files: []release.File{{System: runtime.GOOS, Arch: release.Universal, Name: "agent"}}}
	if change != nil {
		change(&m)
	}
	r, err := release.Sign(folder, m, b.signer)
	if err != nil {
		b.t.Fatal(err)
	}
	d := r.Documents
	return wire.Update{Release: r.Version, Documents: []farm.ReleaseDocument{{Name: release.ManifestName, Content: d.Manifest}, {Name: release.ManifestSignatureName, Content: d.ManifestSignature},
		{Name: release.KeysName, Content: d.Keys}, {Name: release.KeysSignatureName, Content: d.KeysSignature}}}
}

// Download gives the program, or the next of fails.
func (b *bench) Download(_ context.Context, sum string, w io.Writer) error {
	b.fetched++
	if len(b.fails) > 0 {
		err := b.fails[0]
		b.fails = b.fails[1:]
		return err
	}
	if h := sha256.Sum256(b.program); hex.EncodeToString(h[:]) != sum && sum != "" {
		b.t.Logf("another content than %s", sum)
	}
	_, err := w.Write(b.program)
	return err
}

func (b *bench) updater() *Updater {
	welcomed := make(chan struct{})
	close(welcomed)
	return New(Config{
		Launch: &b.launch, Version: "1.0.0", Roots: func() ([]minisign.PublicKey, error) { return b.roots, nil }, Farm: b, Welcomed: welcomed,
		Finish: func(context.Context, string) (func(), error) {
			b.finished++
			return func() { b.finished-- }, nil
		},
		Trial:   func(context.Context) error { return b.trial },
		Away:    b.away.Load,
		Changed: func() {}, RetryAfter: time.Millisecond, Log: slog.New(slog.DiscardHandler),
	})
}

// run runs an updater until it ends by itself, or has refused the release.
func run(t *testing.T, u *Updater, wanted wire.Update) error {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	u.cfg.Changed = func() {
		if u.Told().State == farm.UpdateRefused {
			stop()
		}
	}
	u.Want(wanted)
	err := u.Run(ctx)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Fatalf("nothing came of it: %+v", u.Told())
	}
	return err
}

func TestAReleaseIsStagedAndProved(t *testing.T) {
	b := newBench(t)
	u := b.updater()
	if told := u.Told(); told != (wire.Updating{Version: "1.0.0", Mode: farm.UpdatedByFarm}) {
		t.Errorf("at first it says %+v", told)
	}
	b.fails = []error{errors.New("the farm is away")}
	if err := run(t, u, b.released(nil)); !errors.Is(err, ErrRestart) {
		t.Fatalf("the update ended with %v: %+v", err, u.Told())
	}
	state, err := launcher.Read(b.launch.Folder)
	if err != nil || state.Pending == nil || state.Pending.Version != "1.1.0" || b.finished != 1 {
		t.Fatalf("staged is %+v, %v; work was finished %d times", state.Pending, err, b.finished)
	}
	if told := u.Told(); told.State != farm.UpdateInstalling || told.Release != "1.1.0" {
		t.Errorf("it restarts and says %+v", told)
	}

	// The launcher starts it on trial.
	b.launch.Version, b.launch.Trial = "1.1.0", true
	next := b.updater()
	if told := next.Told(); told.State != farm.UpdateInstalling || told.Version != "1.1.0" {
		t.Errorf("on trial it says %+v", told)
	}
	ctx, stop := context.WithCancel(t.Context())
	next.cfg.Changed = stop
	if err := next.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if told := next.Told(); told.State != farm.UpdateDone || !told.Rendered {
		t.Errorf("a frame was rendered, and it says %+v", told)
	}
	if state, err := launcher.Read(b.launch.Folder); err != nil || state.Current == nil || state.Current.Version != "1.1.0" {
		t.Errorf("the launcher keeps %+v, %v", state, err)
	}
}

func TestAReleaseThatDoesNotRenderEndsItsTrial(t *testing.T) {
	b := newBench(t)
	if err := run(t, b.updater(), b.released(nil)); !errors.Is(err, ErrRestart) {
		t.Fatal(err)
	}
	b.launch.Version, b.launch.Trial, b.trial = "1.1.0", true, errors.New("no frame came")
	if err := b.updater().Run(t.Context()); err == nil || !strings.Contains(err.Error(), "no frame came") {
		t.Errorf("the trial ended with %v", err)
	}
	if state, err := launcher.Read(b.launch.Folder); err != nil || state.Current != nil {
		t.Errorf("the launcher keeps %+v, %v", state.Current, err)
	}
}

func TestReleasesThatAMachineRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*release.Manifest)
		spoil  func(b *bench, u *wire.Update)
		words  string
	}{
		"bad signature":      {nil, func(_ *bench, u *wire.Update) { u.Documents[0].Content = append(u.Documents[0].Content, ' ') }, release.ErrSignature.Error()},
		"truncated document": {nil, func(_ *bench, u *wire.Update) { u.Documents = u.Documents[:3] }, release.ErrTruncated.Error()},
		"wrong product": {nil, func(b *bench, u *wire.Update) {
			text := strings.Replace(string(u.Documents[0].Content), release.Agent, "something", 1)
			u.Documents[0].Content, u.Documents[1].Content = []byte(text), minisign.Sign(b.signer.Key, []byte(text))
		}, release.ErrProduct.Error()},
		"another version than the farm says": {nil, func(_ *bench, u *wire.Update) { u.Release = "1.2.0" }, "its manifest says 1.1.0"},
		"expired": {func(m *release.Manifest) {
			m.NotBefore, m.Expires = time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour)
		}, nil, release.ErrExpired.Error()},
		"a replayed old manifest": {func(m *release.Manifest) { m.Version, m.Number = "0.9.0", 3 }, func(b *bench, _ *wire.Update) {
			if err := run(b.t, b.updater(), b.released(nil)); !errors.Is(err, ErrRestart) {
				b.t.Fatal(err)
			}
		}, release.ErrOlder.Error()},
		"a newer launcher":           {func(m *release.Manifest) { m.MinLauncher = launcher.Version + 1 }, nil, launcher.ErrLauncher.Error()},
		"no program for this system": {func(m *release.Manifest) { m.Files[0].System, m.Files[0].Arch = "windows", "arm64" }, nil, release.ErrNoFile.Error()},
		"truncated program":          {nil, func(b *bench, _ *wire.Update) { b.program = b.program[:5] }, release.ErrTruncated.Error()},
		"another program":            {nil, func(b *bench, _ *wire.Update) { b.program[0]++ }, release.ErrDamaged.Error()},
		"a longer program":           {nil, func(b *bench, _ *wire.Update) { b.program = append(b.program, 'x') }, release.ErrDamaged.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			wanted := b.released(test.change)
			if test.spoil != nil {
				test.spoil(b, &wanted)
			}
			u := b.updater()
			if err := run(t, u, wanted); err != nil {
				t.Fatalf("it ended with %v", err)
			}
			if told := u.Told(); told.State != farm.UpdateRefused || !strings.Contains(told.Reason, test.words) {
				t.Errorf("it says %+v, want %q", told, test.words)
			}
			if left, err := filepath.Glob(filepath.Join(b.launch.Folder, "versions", ".incoming-*")); err != nil || len(left) > 0 {
				t.Errorf("it leaves %v, %v", left, err)
			}
		})
	}
}

func TestAReleaseThatWasRolledBackIsNotTakenAgain(t *testing.T) {
	b := newBench(t)
	state := `{"bad":["1.1.0"],"outcome":{"version":"1.1.0","number":5,"reason":"it ended with exit status 1","at":"2026-11-23T12:00:00Z"}}`
	if err := os.WriteFile(filepath.Join(b.launch.Folder, "state.json"), []byte(state), 0o600); err != nil {
		t.Fatal(err)
	}
	u := b.updater()
	want := wire.Updating{Version: "1.0.0", Mode: farm.UpdatedByFarm, Release: "1.1.0", State: farm.UpdateRolledBack, Reason: "it ended with exit status 1"}
	if told := u.Told(); told != want {
		t.Errorf("it says %+v", told)
	}
	u.Want(b.released(nil))
	if err := u.follow(t.Context()); err != nil || u.Told() != want {
		t.Errorf("asked again: %v, %+v", err, u.Told())
	}
}

func TestAMachineGoesOnWhenItsLauncherRefusesARelease(t *testing.T) {
	b := newBench(t)
	if err := os.WriteFile(filepath.Join(b.launch.Folder, "state.json"), []byte(`{"bad":["1.1.0"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	u := b.updater()
	if err := run(t, u, b.released(nil)); err != nil || b.finished != 0 || b.fetched != 0 {
		t.Errorf("refused by the launcher: %v; it takes no work: %v; it was fetched %d times", err, b.finished != 0, b.fetched)
	}
	if told := u.Told(); told.State != farm.UpdateRefused || told.Reason == "" {
		t.Errorf("it says %+v", told)
	}
}

func TestAReleaseThatIsNoLongerWantedIsLeftAlone(t *testing.T) {
	b := newBench(t)
	u := b.updater()
	for range 1000 {
		b.fails = append(b.fails, errors.New("the farm is away"))
	}
	u.Want(b.released(nil))
	ended := make(chan error, 1)
	go func() { ended <- u.follow(t.Context()) }()
	for u.Told().Reason == "" {
		time.Sleep(time.Millisecond)
	}
	u.Want(wire.Update{})
	if err := <-ended; err != nil {
		t.Errorf("no longer wanted: %v", err)
	}
	// The farm takes it back while the machine pauses, and has to know why for longer.
	if told := u.Told(); told.State != farm.UpdateRetrying || told.Failures == 0 || told.Reason == "" {
		t.Errorf("no longer wanted, it says %+v", told)
	}
}

// TestFailuresAreCounted: the farm sees each of them, also when the machine is asked again in between.
func TestFailuresAreCounted(t *testing.T) {
	b := newBench(t)
	u := b.updater()
	u.cfg.RetryAfter = time.Hour
	for n := 1; n <= 3; n++ {
		b.fails = []error{errors.New("the farm is away")}
		ctx, stop := context.WithCancel(t.Context())
		u.cfg.Changed = func() {
			if u.Told().State == farm.UpdateRetrying {
				stop()
			}
		}
		u.Want(b.released(nil))
		if err := u.follow(ctx); err != nil || u.Told().Failures != n || u.Told().State != farm.UpdateRetrying {
			t.Fatalf("after %d failures: %v, %+v", n, err, u.Told())
		}
		stop()
	}
	if err := run(t, u, b.released(nil)); !errors.Is(err, ErrRestart) {
		t.Errorf("the update ended with %v", err)
	}
}

// TestAReleaseThatRunsAlreadyIsNotFetched: the launcher keeps it as the current one.
func TestAReleaseThatRunsAlreadyIsNotFetched(t *testing.T) {
	b := newBench(t)
	if err := run(t, b.updater(), b.released(nil)); !errors.Is(err, ErrRestart) {
		t.Fatal(err)
	}
	b.launch.Version, b.launch.Trial, b.fetched = "1.1.0", true, 0
	if err := b.launch.Healthy(""); err != nil {
		t.Fatal(err)
	}
	b.launch.Version, b.launch.Trial = "1.0.0", false
	u := b.updater()
	if err := run(t, u, b.released(nil)); err != nil || b.fetched != 0 || !strings.Contains(u.Told().Reason, launcher.ErrRuns.Error()) {
		t.Errorf("it was fetched %d times: %v, %+v", b.fetched, err, u.Told())
	}
}

// TestAMachineThatCannotRenderSaysSo: it keeps the release, and the farm learns that nothing was rendered, also after the next start.
func TestAMachineThatCannotRenderSaysSo(t *testing.T) {
	b := newBench(t)
	if err := run(t, b.updater(), b.released(nil)); !errors.Is(err, ErrRestart) {
		t.Fatal(err)
	}
	b.launch.Version, b.launch.Trial, b.trial = "1.1.0", true, fmt.Errorf("%w: ffmpeg is missing", ErrNotRendered)
	u := b.updater()
	ctx, stop := context.WithCancel(t.Context())
	u.cfg.Changed = stop
	if err := u.Run(ctx); err != nil {
		t.Fatal(err)
	}
	b.launch.Trial = false
	want := wire.Updating{Version: "1.1.0", Mode: farm.UpdatedByFarm, Release: "1.1.0", State: farm.UpdateDone, Reason: "no frame was rendered: ffmpeg is missing"}
	if again := b.updater().Told(); u.Told() != want || again != want {
		t.Errorf("it says %+v, and after the next start %+v", u.Told(), again)
	}

	// Somebody installs ffmpeg, and the farm still wants this release.
	b.trial = nil
	u = b.updater()
	u.Want(b.released(nil))
	if err := u.follow(t.Context()); err != nil || !u.Told().Rendered || u.Told().Reason != "" {
		t.Errorf("asked again: %v, %+v", err, u.Told())
	}
	b.trial = errors.New("no frame came")
	u = b.updater()
	u.Want(b.released(nil))
	if err := u.follow(t.Context()); err != nil || u.Told().State != farm.UpdateRefused || !strings.Contains(u.Told().Reason, "no frame came") {
		t.Errorf("the release does not render: %v, %+v", err, u.Told())
	}
}

// TestTheLauncherLearnsThatTheFarmIsAway: the time of a trial stands meanwhile.
func TestTheLauncherLearnsThatTheFarmIsAway(t *testing.T) {
	b := newBench(t)
	if err := run(t, b.updater(), b.released(nil)); !errors.Is(err, ErrRestart) {
		t.Fatal(err)
	}
	b.launch.Version, b.launch.Trial = "1.1.0", true
	welcomed := make(chan struct{})
	u := b.updater()
	u.cfg.Welcomed = welcomed
	ctx, stop := context.WithCancel(t.Context())
	u.cfg.Changed = stop
	ended := make(chan error, 1)
	go func() { ended <- u.Run(ctx) }()
	says := func(want bool) {
		t.Helper()
		for state := (launcher.State{}); state.Pending == nil || state.Pending.Away != want; time.Sleep(5 * time.Millisecond) {
			var err error
			if state, err = launcher.Read(b.launch.Folder); err != nil || t.Context().Err() != nil {
				t.Fatal(err)
			}
		}
	}
	b.away.Store(true)
	says(true)
	b.away.Store(false)
	says(false)
	close(welcomed)
	if err := <-ended; err != nil || u.Told().State != farm.UpdateDone {
		t.Errorf("welcomed at last: %v, %+v", err, u.Told())
	}
}

// TestAReleaseThatTheFarmWasAwayForIsTakenAgain: it was not the release's fault.
func TestAReleaseThatTheFarmWasAwayForIsTakenAgain(t *testing.T) {
	b := newBench(t)
	state := `{"outcome":{"version":"1.1.0","number":5,"away":true,"reason":"the farm could not be reached","at":"2026-11-23T12:00:00Z"}}`
	if err := os.WriteFile(filepath.Join(b.launch.Folder, "state.json"), []byte(state), 0o600); err != nil {
		t.Fatal(err)
	}
	u := b.updater()
	if told := u.Told(); told.State != farm.UpdateRetrying || told.Release != "1.1.0" || told.Failures != 1 || told.Reason == "" {
		t.Errorf("it says %+v", told)
	}
	if err := run(t, u, b.released(nil)); !errors.Is(err, ErrRestart) {
		t.Errorf("asked again: %v, %+v", err, u.Told())
	}
}

func TestWhoIsUpdatedByOthers(t *testing.T) {
	b := newBench(t)
	u := b.updater()
	cfg := u.cfg
	cfg.Managed = true
	if u := New(cfg); u.Told().Mode != farm.UpdatedByOthers || u.Run(t.Context()) != nil {
		t.Errorf("managed: %+v", u.Told())
	}
	cfg.Managed, cfg.Launch = false, nil
	if u := New(cfg); u.Told() != (wire.Updating{Version: "1.0.0", Mode: farm.UpdatedByHand}) || u.Run(t.Context()) != nil {
		t.Errorf("without a launcher: %+v", u.Told())
	}
}

func TestADownloadKeepsItsPace(t *testing.T) {
	b := newBench(t)
	b.program = make([]byte, 3*paceStep)
	wanted := b.released(nil)
	wanted.BytesPerSecond = 16 * paceStep // the first step is free, the others take a sixteenth of a second each
	began := time.Now()
	if err := run(t, b.updater(), wanted); !errors.Is(err, ErrRestart) {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 100*time.Millisecond {
		t.Errorf("%s took %s", fmt.Sprint(len(b.program), " bytes"), took)
	}
}
