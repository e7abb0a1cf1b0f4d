package agent

import (
	"archive/zip"
	"bytes"
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"overcrank/agent/internal/aerenderdouble"
	"overcrank/agent/inventory"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// startStudio runs an agent on a machine with After Effects 26, which leaves outcome behind when it applies a script.
func startStudio(t *testing.T, p *peer, part, outcome string) {
	t.Helper()
	t.Setenv(aerenderdouble.Env, part)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{DataDir: t.TempDir(), Coordinator: p.server.URL, JoinToken: joinToken(t), Name: "studio", Logger: slog.New(slog.DiscardHandler)}
	if err := cfg.complete(); err != nil {
		t.Fatal(err)
	}
	a, err := open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	take := a.stock.take
	a.stock.take = func(ctx context.Context, patience time.Duration) inventory.Report {
		report := take(ctx, patience)
		report.Engines = append(report.Engines, farm.EngineInfo{Kind: farm.EngineAfterEffects, Version: "26.0.2", Path: self})
		return report
	}
	a.stock.look(t.Context(), time.Minute)
	a.scriptCommand = func(engine, script string) []string { return []string{engine, "afterfx", script, outcome} }
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the agent ended with %v", err)
		}
	})
}

func TestAfterEffectsRendersAnIntermediateThatIsEncodedHere(t *testing.T) {
	needFFmpeg(t)
	p := newPeer(t)
	startStudio(t, p, "normal", "ok")
	film := lease(t, p, "film.1")
	film.Settings = farm.Settings{Engine: "ae2026", Codec: "video_prores_422"}
	film.Ext = "mov"
	p.send(wire.Message{Lease: &film})
	m := p.report(film.Attempt)
	if m.Finished == nil || m.Finished.Output.Frames != 25 || m.Finished.Output.ContentType != "video/quicktime" {
		t.Fatalf("%s\n%s", describe(m), p.logged(film.Attempt))
	}
	if log := p.logged(film.Attempt); !strings.Contains(log, "rendering with After Effects 26.0.2") {
		t.Errorf("log:\n%s", log)
	}
}

func TestAfterEffectsGivesTheFilledInProject(t *testing.T) {
	p := newPeer(t)
	startStudio(t, p, "normal", "ok")
	l := lease(t, p, "aep.1")
	l.Settings, l.Ext = farm.Settings{Type: "aep"}, "zip"
	l.Assets = []farm.Asset{{Type: "static", Name: "data.json", Src: "data:application/json,{}"}, {Type: "audio", LayerName: "x", Name: "a.wav", Src: "data:,RIFF"}}
	p.send(wire.Message{Lease: &l})
	m := p.report(l.Attempt)
	if m.Finished == nil {
		t.Fatalf("%s\n%s", describe(m), p.logged(l.Attempt))
	}
	p.mu.Lock()
	b := p.outputs["aep.1/1/result.zip"]
	p.mu.Unlock()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "(Assets)/1/a.wav data.json show.aep" {
		t.Errorf("the zip holds %s", got)
	}
}

func TestScriptThatFailsInAfterEffectsIsTheJobsFailure(t *testing.T) {
	for outcome, want := range map[string]string{
		"error: Layer 'title' not found in composition 'main' (asset 2)": "Layer 'title' not found in composition 'main' (asset 2)",
		"": "Render failed: After Effects ended without having run the script; scripting may be blocked on this machine",
	} {
		t.Run(want, func(t *testing.T) {
			p := newPeer(t)
			startStudio(t, p, "normal", outcome)
			l := lease(t, p, "job.1")
			p.send(wire.Message{Lease: &l})
			if m := p.report(l.Attempt); m.Failed == nil || m.Failed.Message != want {
				t.Fatalf("%s", describe(m))
			}
		})
	}
}
