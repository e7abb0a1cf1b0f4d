//go:build linux

package films_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/durable"

	"overcrank/aep"
	"overcrank/cmd/overcrank/titlecard"
)

// startWorkshop starts a coordinator and so many agents of its farm, each a process of its own, and waits until all are there.
func startWorkshop(t testing.TB, program string, agents int, environment ...string) *farmtest.Farm {
	t.Helper()
	f := farmtest.LaunchProgram(t, program, "coordinator", t.TempDir())
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	var invited struct{ JoinToken string }
	if err := json.Unmarshal(f.FarmAPI(http.MethodPost, "/join-tokens", fmt.Sprintf(`{"uses": %d}`, agents)), &invited); err != nil {
		t.Fatal(err)
	}
	for i := range agents {
		cmd := exec.Command(program, "agent", "--data-dir", filepath.Join(f.Dir, fmt.Sprint("agent", i)), "--coordinator", f.Server,
			"--name", fmt.Sprint("machine ", i+1), "--gossip-listen", "", "--config", os.DevNull, "--idle-after", "0")
		cmd.Env = append(append(os.Environ(), environment...), "OVERCRANK_AGENT_JOIN_TOKEN="+invited.JoinToken)
		cmd.Stderr = f.Said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait()
		})
	}
	f.Await("all agents to be free", func() bool { // a film is split among those
		list, err := f.Agents(t.Context(), "free", "")
		return err == nil && len(list.Items) == agents
	})
	return f
}

func TestAFilmThatMachinesShareIsThatOfOneMachine(t *testing.T) {
	t.Parallel()
	f := startWorkshop(t, farmtest.Program(t), 3)
	template := f.Card()
	// The shared one first: what the composition takes is not known yet, and might turn out to be too little to be shared.
	shared, _ := f.Rendered(template, titlecard.Composition, false, nil)
	one, _ := f.Rendered(template, titlecard.Composition, true, nil)
	if log := f.LogOf(shared.ID); !strings.Contains(log, "the render is split into ") || !strings.Contains(log, "putting 150 frames of ") {
		t.Errorf("the job was not shared:\n%s", log)
	}
	want, err := os.ReadFile(f.Fetch(one))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(f.Fetch(shared))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("the film that machines shared differs from that of one: %d and %d bytes", len(got), len(want))
	}
}

// BenchmarkSplitJob renders a film with engines that wait half a second with each frame and a second at their start, on four
// agents: unsplit, and then split. It reports both times and how many times as fast the split job is.
func BenchmarkSplitJob(b *testing.B) {
	program := farmtest.Program(b)
	const frames = 240
	path := filepath.Join(b.TempDir(), "long.aep")
	if err := durable.Write(path, 0o600, func(w io.Writer) error { return aep.Write(w, longProject(frames)) }); err != nil {
		b.Fatal(err)
	}
	f := startWorkshop(b, program, 4, "OVERCRANK_PACE_FRAME=500ms", "OVERCRANK_PACE_START=1s")
	template := f.Register("aep", path).ID
	var unsplit, split time.Duration
	for b.Loop() {
		_, one := f.Rendered(template, "long", true, nil)
		_, four := f.Rendered(template, "long", false, nil)
		unsplit, split = unsplit+one, split+four
		b.Logf("unsplit %s, split %s: %.2f times as fast", one.Round(10*time.Millisecond), four.Round(10*time.Millisecond), one.Seconds()/four.Seconds())
	}
	b.ReportMetric(unsplit.Seconds()/float64(b.N), "s(unsplit)")
	b.ReportMetric(split.Seconds()/float64(b.N), "s(split)")
	b.ReportMetric(unsplit.Seconds()/split.Seconds(), "times")
}

// longProject is a small composition of so many frames at 24 frames/s, in which a bar moves.
func longProject(frames int) *aep.Project {
	length := float64(frames) / 24
	position := &aep.Property{Match: "ADBE Position", Enabled: true, Value: aep.Numbers{10, 45, 0}, Expression: "[10 + 10*time, 45]", ExpressionOn: true}
	group := &aep.Property{Match: "ADBE Transform Group", Group: true, Enabled: true, Children: []*aep.Property{position}}
	bar := &aep.Layer{ID: 1, Name: "bar", Source: 2, Kind: aep.LayerAV, Enabled: true, Out: length, Stretch: 100,
		Props: &aep.Property{Match: "ADBE AV Layer", Group: true, Enabled: true, Children: []*aep.Property{group}}}
	return &aep.Project{Version: aep.Version{Major: 24}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8, Items: []*aep.Item{
		{ID: 1, Name: "long", Kind: aep.ItemComposition, Comp: &aep.Composition{Width: 160, Height: 90, PixelAspect: 1, FrameRate: 24, FrameTicks: 1, TicksPerSecond: 24,
			Duration: length, WorkAreaDuration: length, Layers: []*aep.Layer{bar}}},
		{ID: 2, Name: "red", Kind: aep.ItemFootage, Footage: &aep.Footage{Kind: aep.FootageSolid, Width: 20, Height: 40, PixelAspect: 1, Color: [3]float64{1, 0, 0}, HasVideo: true}},
	}}
}
