package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// What After Effects says, and what becomes of the script, which has to be a file for it.
func TestSecretsDoNotOutliveAfterEffects(t *testing.T) {
	t.Parallel()
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
