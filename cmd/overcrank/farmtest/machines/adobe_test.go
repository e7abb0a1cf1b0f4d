//go:build linux

package machines_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/durable"

	"overcrank/aep"
	"overcrank/agent/control"
	"overcrank/farm"
	"overcrank/frames"
)

// adobeStandIn builds a program of the farm that takes a stand-in for After Effects for one, and puts such a stand-in where the agents
// of this test find it. It plays a part, a second of a composition at 25 frames/s.
func adobeStandIn(t *testing.T, part string) (program string) {
	t.Helper()
	installed := filepath.Join(t.TempDir(), "Adobe After Effects 2026")
	aerender := filepath.Join(installed, "aerender")
	cmd := exec.Command("go", "build", "-o", aerender, "overcrank/agent/internal/aerenderdouble/aftereffects")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building the stand-in: %v\n%s", err, out)
	}
	if err := os.Link(aerender, filepath.Join(installed, "AfterFX")); err != nil {
		t.Fatal(err)
	}
	return farmtest.Under(t, farmtest.Variant(t, "standin"), "export AERENDER_DOUBLE="+part+" OVERCRANK_STANDIN='"+installed+"'")
}

// halfDrawn reports whether the agent on this data folder has put all pictures into its file of frames that After Effects has drawn.
func halfDrawn(t *testing.T, dir string) bool {
	t.Helper()
	kept, waiting := false, 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // moved between two looks
			return nil
		case err != nil:
			return err
		case filepath.Ext(path) == frames.Ext:
			kept = true
		case filepath.Ext(path) == ".tif":
			waiting++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return kept && waiting == 0
}

// secondProject is a composition of one second, which is all that the stand-in draws of a whole one.
func secondProject() *aep.Project {
	return &aep.Project{Version: aep.Version{Major: 24}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8, Items: []*aep.Item{
		{ID: 1, Name: "second", Kind: aep.ItemComposition, Comp: &aep.Composition{Width: 64, Height: 48, PixelAspect: 1, FrameRate: 25, Duration: 1, WorkAreaDuration: 1}},
	}}
}

// TestAFilmOfAfterEffectsIsGoneOnFrom: the artist comes back to a machine that renders a film as a whole with After Effects. What it has
// drawn stays, another machine with After Effects draws the rest, and the film is that of one machine.
func TestAFilmOfAfterEffectsIsGoneOnFrom(t *testing.T) {
	t.Parallel()
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir())
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	code, token, said := f.Command("agents", "invite", "--uses", "3")
	if code != 0 {
		t.Fatalf("%d: %s", code, said)
	}
	token = strings.TrimSpace(token)
	path := filepath.Join(t.TempDir(), "second.aep")
	if err := durable.Write(path, 0o600, func(w io.Writer) error { return aep.Write(w, secondProject()) }); err != nil {
		t.Fatal(err)
	}
	template := f.Register("aep", path).ID
	join := func(name, program string, flags ...string) (dir string) {
		dir = filepath.Join(t.TempDir(), name)
		farmtest.StartAgentOf(t, program, f, dir, token, flags...)
		f.Await(name+" to be linked", func() bool {
			status, err := control.Ask(t.Context(), dir)
			return err == nil && status.Linked
		})
		return dir
	}
	program := artistsProgram("draw")
	desk := join("desk", adobeStandIn(t, "half-way"), "--config", farmtest.Configuration(t, "idle-after: 0s\nprograms: ["+program+"]\n"))
	join("plain", farmtest.Program(t)) // without After Effects: it may put the film together, and draws nothing of it
	join("other", adobeStandIn(t, "one-by-one"))
	if code, _, said := f.Command("agents", "pause", "other"); code != 0 { // until it is needed
		t.Fatalf("%d: %s", code, said)
	}
	made, err := f.Submit(t.Context(), map[string]any{"template": map[string]string{"id": template, "composition": "second"}})
	if err != nil {
		t.Fatal(err)
	}
	f.Await("the desk to have half of the frames", func() bool {
		status := atDesk(f, desk, "status")
		return len(status.Working) > 0 && status.Working[0].Phase == "rendering" && status.Working[0].Progress > 46 && halfDrawn(t, desk)
	})
	startArtistsProgram(t, program)
	if code, _, said := f.Command("agents", "resume", "other"); code != 0 {
		t.Fatalf("%d: %s", code, said)
	}
	began := time.Now()
	f.Await("the desk to be left", func() bool {
		status := atDesk(f, desk, "status")
		return status.Presence.Presence == farm.PresenceAway && len(status.Working) == 0
	})
	t.Logf("the desk was left within %v", time.Since(began).Round(time.Millisecond))

	job := f.Finished(made.ID)
	log := f.LogOf(made.ID)
	if stayed(log) != 11 || !strings.Contains(log, "the frames 12 to 24 are there") || !strings.Contains(log, "rendering with After Effects 26.0.2") {
		t.Fatalf("frames that were done are not gone on from:\n%s", log)
	}
	if strings.Contains(log, "rendering with the embedded engine") {
		t.Errorf("two engines drew one film:\n%s", log)
	}
	film := f.Fetch(job)
	if _, width, height, frames, audio := farmtest.Probe(t, film); width != 64 || height != 48 || frames != 25 || !audio {
		t.Errorf("the film has %d frames of %d×%d pixels, sound: %v", frames, width, height, audio)
	}
	one, _ := f.Rendered(template, "second", true, nil)
	if log := f.LogOf(one.ID); strings.Contains(log, "frames together") {
		t.Errorf("frames that depend on each other were drawn to be kept:\n%s", log)
	}
	if want, got := shown(t, f.Fetch(one)), shown(t, film); want != got {
		t.Errorf("of one machine the film shows\n%s\nof two\n%s", want, got)
	}
}

var framesStay = regexp.MustCompile(`frames 0 to (\d+) stay`)

// stayed is the last frame that stayed when a machine gave its work back, by a job's log; -1 when none did.
func stayed(log string) int {
	m := framesStay.FindStringSubmatch(log)
	if m == nil {
		return -1
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return -1
	}
	return n
}

// shown is a hash of each frame of a film with its time, and one of its sound.
func shown(t *testing.T, path string) string {
	t.Helper()
	var all []byte
	for _, args := range [][]string{{"-map", "0:v", "-f", "framemd5"}, {"-map", "0:a", "-f", "md5"}} {
		out, err := exec.Command("ffmpeg", append(append([]string{"-v", "error", "-i", path}, args...), "-")...).Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("ffmpeg: %v: %s", err, exit.Stderr)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, out...)
	}
	return string(all)
}
