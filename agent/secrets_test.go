package agent

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/agent/presence"
	"overcrank/agent/project"
	"overcrank/farm"
	"overcrank/farm/wire"
)

func TestALeaseIsRevealedInACopy(t *testing.T) {
	given := wire.Lease{
		Project: wire.Project{Src: "https://x.test/p.aep?t=${secrets.A}"},
		Assets: []farm.Asset{
			{Type: "image", LayerName: "x", Src: "https://x.test/${secrets.A}.png"}, {Type: "text", Value: json.RawMessage(`"say ${secrets.A}"`)},
			{Type: "script", Src: "data:,x", Parameters: []farm.AssetParameter{{Key: "k", Value: json.RawMessage(`["${secrets.B}"]`)}}},
		},
		Upload:  &farm.Upload{Provider: "s3", Prefix: "p/", Params: map[string]string{"bucket": "b", "accessKeySecret": "${secrets.B}"}},
		Secrets: wire.Secrets{"A": "a b", "B": `q"/+`},
	}
	got, err := revealed(given)
	if err != nil {
		t.Fatal(err)
	}
	if got.Project.Src != "https://x.test/p.aep?t=a%20b" || got.Assets[0].Src != "https://x.test/a%20b.png" || string(got.Assets[1].Value) != `"say a b"` ||
		string(got.Assets[2].Parameters[0].Value) != `["q\"/+"]` || got.Upload.Params["accessKeySecret"] != `q"/+` || got.Upload.Params["bucket"] != "b" {
		t.Errorf("the lease is revealed as %+v %+v", got.Assets, got.Upload)
	}
	if given.Upload.Params["accessKeySecret"] != "${secrets.B}" || given.Assets[2].Parameters[0].Value[2] != '$' {
		t.Error("the lease that was given has changed")
	}
	given.Secrets = nil
	if _, err := revealed(given); err == nil || !strings.Contains(err.Error(), "Secret 'A'") {
		t.Errorf("without values: %v", err)
	}
}

// What After Effects says, and what becomes of the script, which has to be a file for it.
func TestSecretsDoNotOutliveAfterEffects(t *testing.T) {
	const value = "s3cr3t-T0ken"
	p := newPeer(t)
	startStudio(t, p, "normal", "error: Layer '"+value+"' not found in composition 'main' (asset 0)")
	l := lease(t, p, "job.1")
	l.Assets = []farm.Asset{{Type: "text", LayerName: "${secrets.LAYER}", Value: json.RawMessage(`"x"`)}, {Type: "static", Name: "d.txt", Src: "http://127.0.0.1:1/${secrets.LAYER}"}}
	l.Secrets = wire.Secrets{"LAYER": value}
	p.send(wire.Message{Lease: &l})
	m := p.report(l.Attempt)
	if m.Failed == nil || strings.Contains(m.Failed.Message, value) || strings.Contains(p.logged(l.Attempt), value) {
		t.Fatalf("%s\n%s", describe(m), p.logged(l.Attempt))
	}
	l = lease(t, p, "job.2")
	l.Assets = []farm.Asset{{Type: "text", LayerName: "${secrets.LAYER}", Value: json.RawMessage(`"x"`)}}
	l.Secrets = wire.Secrets{"LAYER": value}
	p.send(wire.Message{Lease: &l})
	if m := p.report(l.Attempt); m.Failed == nil || m.Failed.Message != "Layer '[redacted]' not found in composition 'main' (asset 0)" {
		t.Fatalf("%s", describe(m))
	}
}

func TestTheScriptForAfterEffectsIsGoneWhenItHasBeenApplied(t *testing.T) {
	dir := t.TempDir()
	a := &agent{cfg: Config{DataDir: dir}, watch: presence.NewWatch(&shownDesk{}, presence.Rules{}, presence.Pause{}, slog.New(slog.DiscardHandler)), scriptCommand: func(_, script string) []string { return []string{"true"} }}
	at := newAttempt(a, wire.Lease{Attempt: wire.Attempt{Task: "t", Attempt: 1}}, &feed{wake: func() {}}, slog.New(slog.DiscardHandler))
	if err := os.MkdirAll(at.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	at.project = &project.Project{Path: filepath.Join(dir, "p.aep"), Dir: dir}
	at.script = "// a script that holds a value"
	if _, err := at.applyScript(t.Context()); err == nil {
		t.Error("a script that was not run went well")
	}
	left, err := filepath.Glob(filepath.Join(at.dir, "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
