//go:build linux

package machines_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/coordinator/downloads/downloadstest"
)

// TestMachinesAreInstalledFromWhatTheFarmKeeps adds packages, gets one with an invitation in its name, and has a machine join by that name.
func TestMachinesAreInstalledFromWhatTheFarmKeeps(t *testing.T) {
	t.Parallel()
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir())
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	out := t.TempDir()
	if code, _, said := f.Command("agents", "package", "--for", "deb", "--out", out); code == 0 || !strings.Contains(said, "agents packages add dist/") {
		t.Errorf("a farm without packages: %d: %s", code, said)
	}
	dist := t.TempDir()
	write := func(name string, content []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dist, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	deb := downloadstest.DEB(t, "Package: overcrank-agent\nVersion: 0.2.0\nArchitecture: amd64\n")
	write("overcrank-agent_0.2.0_amd64.deb", deb)
	write("overcrank-agent-0.2.0.pkg", downloadstest.PKG(t, `<i><product id="studio.overcrank.agent" version="0.2.0"/></i>`))
	write("overcrank_0.2.0_amd64.deb", []byte("a coordinator's, which is passed over"))
	write("SHA256SUMS", []byte(strings.Repeat("0", 64)+"  overcrank-agent_0.2.0_amd64.deb\n"))
	if code, _, said := f.Command("agents", "packages", "add", dist); code == 0 || !strings.Contains(said, "SHA256SUMS") {
		t.Errorf("a package that was changed: %d: %s", code, said)
	}
	sum := sha256.Sum256(deb)
	write("SHA256SUMS", []byte(hex.EncodeToString(sum[:])+"  overcrank-agent_0.2.0_amd64.deb\n"))
	if code, table, said := f.Command("agents", "packages", "add", dist); code != 0 || strings.Count(table, "0.2.0") < 2 {
		t.Fatalf("adding: %d: %s%s", code, table, said)
	}
	for _, bad := range []string{filepath.Join(dist, "SHA256SUMS"), filepath.Join(dist, "overcrank_0.2.0_amd64.deb"), t.TempDir()} {
		if code, _, said := f.Command("agents", "packages", "add", bad); code == 0 || !strings.Contains(said, "make packages") {
			t.Errorf("adding %s: %d: %s", bad, code, said)
		}
	}

	code, text, said := f.Command("agents", "package", "--for", "deb", "--out", out, "--uses", "2", "--tags", "room-4", "--json")
	var made struct {
		File, JoinToken string
		Commands        []struct{ Tool, Text string }
	}
	if err := json.Unmarshal([]byte(text), &made); err != nil || code != 0 || len(made.Commands) == 0 {
		t.Fatalf("%d: %v: %s", code, err, said)
	}
	if got, err := os.ReadFile(made.File); err != nil || string(got) != string(deb) {
		t.Errorf("the package is another: %v", err)
	}
	// What the package's script does.
	dir := filepath.Join(t.TempDir(), "suite-4")
	config := filepath.Join(t.TempDir(), "agent.yaml")
	if code, _, said := farmtest.Run(t, "agent", "configure", "--config", config, "--data-dir", dir, "--package", made.File); code != 0 {
		t.Fatalf("configuring: %d: %s", code, said)
	}
	w := farmtest.StartAgent(t, f, dir, "", "--config", config, "--idle-after", "0")
	f.Await("the machine to be linked", func() bool { return strings.Contains(w.Said.String(), "linked to the farm") })
	if list, err := f.Agents(t.Context(), "", "room-4"); err != nil || len(list.Items) != 1 {
		t.Errorf("the machines are %+v, %v", list.Items, err)
	}
	if strings.Contains(f.Said.String(), made.JoinToken) {
		t.Error("the farm's log holds the token")
	}

	if code, _, said := f.Command("agents", "packages", "remove", "overcrank-agent-0.2.0.pkg"); code != 0 {
		t.Errorf("removing: %d: %s", code, said)
	}
	if _, table, _ := f.Command("agents", "packages"); strings.Contains(table, ".pkg") || !strings.Contains(table, ".deb") {
		t.Errorf("the farm keeps\n%s", table)
	}
}
