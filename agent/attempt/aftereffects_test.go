package attempt

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/agent/adobe"
	"overcrank/agent/presence"
	"overcrank/agent/project"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// studio is a machine with After Effects, whose desk shows what is given; a script is applied by command.
func studio(t *testing.T, seen presence.Sight, fonts adobe.Fonts, command ...string) *Machine {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	ae := adobe.New(1, presence.NewWatch(desk(seen), presence.Rules{}, presence.Pause{}, log), fonts, nil, log)
	ae.Script = func(string, string) []string { return command }
	return &Machine{Name: "studio", WorkDir: t.TempDir(), Log: log, AfterEffects: ae}
}

// desk shows always the same.
type desk presence.Sight

func (d desk) Look(context.Context, presence.Want) (presence.Sight, error) {
	seen := presence.Sight(d)
	seen.Processes = slices.Clone(seen.Processes) // who looks writes to it
	return seen, nil
}

func (desk) Close() error { return nil }

// filling is an attempt that is about to have its script applied.
func (m *Machine) filling(t *testing.T) *afterEffects {
	t.Helper()
	at := newAttempt(m, wire.Lease{Attempt: wire.Attempt{Task: "t", Attempt: 1}}, &Feed{wake: func() {}}, m.Log)
	if err := os.MkdirAll(at.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return &afterEffects{attempt: at, scene: scene{project: &project.Project{Path: filepath.Join(dir, "p.aep"), Dir: dir}, script: "// a script that holds a value"}}
}

func TestTheScriptForAfterEffectsIsGoneWhenItHasBeenApplied(t *testing.T) {
	t.Parallel()
	e := studio(t, presence.Sight{}, adobe.Fonts{}, "true").filling(t)
	if _, err := e.apply(t.Context()); err == nil {
		t.Error("a script that was not run went well")
	}
	left, err := filepath.Glob(filepath.Join(e.dir, "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestAnOpenAfterEffectsIsNeverEntered: while the artist has one open, no script of ours is run, whatever the rules say.
func TestAnOpenAfterEffectsIsNeverEntered(t *testing.T) {
	t.Parallel()
	m := studio(t, presence.Sight{Processes: []presence.Process{{PID: 1, Name: "AfterFX.exe"}}}, adobe.Fonts{})
	asked := false
	m.AfterEffects.Script = func(string, string) []string { asked = true; return []string{"true"} }
	e := m.filling(t)
	_, err := e.apply(t.Context())
	failed := e.explain(err)
	if asked || !failed.Cancelled || !failed.Retry || failed.Message != "Given back by machine 'studio': AfterFX.exe is running" {
		t.Errorf("%v: %+v", err, failed)
	}
}

func TestFontsOfAJobAreThereForAfterEffectsAndThenGone(t *testing.T) {
	t.Parallel()
	fonts := adobe.NewFonts("linux", t.TempDir())
	if _, err := fonts.Install("x.ttf", "x.ttf"); err == nil || fonts.Clear() != nil {
		t.Error("a system without After Effects has a folder for its fonts")
	}
	fonts.Folder = t.TempDir()
	names := func() []string {
		entries, err := os.ReadDir(fonts.Folder)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, strings.TrimPrefix(e.Name(), fonts.Prefix))
		}
		return names
	}
	at := newAttempt(studio(t, presence.Sight{}, fonts),
		wire.Lease{Attempt: wire.Attempt{Task: "job.1", Attempt: 2}, Fonts: []farm.FileRef{{Name: "a.ttf"}, {Name: "gone.ttf"}}},
		&Feed{}, slog.New(slog.DiscardHandler))
	if err := os.MkdirAll(filepath.Join(at.dir, "fonts"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(at.dir, "fonts", "a.ttf"), filepath.Join(fonts.Folder, "overcrank-other-b.ttf"), filepath.Join(fonts.Folder, "own.ttf")} {
		if err := os.WriteFile(path, []byte("font"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	others := []string{"overcrank-other-b.ttf", "own.ttf"}

	remove := at.installFonts()
	if got := names(); !slices.Equal(got, slices.Sorted(slices.Values(append([]string{"job.1-2-a.ttf"}, others...)))) {
		t.Errorf("while it renders: %q", got)
	}
	if w := at.warned(); len(w) != 1 || !strings.Contains(w[0], "Font 'gone.ttf' could not be installed") {
		t.Errorf("warned of %q", w)
	}
	remove()
	if got := names(); !slices.Equal(got, others) {
		t.Errorf("afterwards: %q", got)
	}

	at.installFonts() // and the agent is killed
	if err := fonts.Clear(); err != nil {
		t.Error(err)
	}
	if got := names(); !slices.Equal(got, others) {
		t.Errorf("after the next start: %q", got)
	}
}
