package coordinator_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"overcrank/coordinator/downloads/downloadstest"
	"overcrank/farm"
)

// TestPackagesOfAFolderAreHandedOut takes what a package of the system puts beside the coordinator, once, and again when it is upgraded.
func TestPackagesOfAFolderAreHandedOut(t *testing.T) {
	r := open(t)
	dir := filepath.Join(t.TempDir(), "packages")
	shipped := r.Downloads().Shipped(dir)
	has := func() (versions []string) {
		list, err := r.Downloads().List(t.Context(), r.admin)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			if d.AddedBy != dir || d.Kind != farm.DownloadPackage {
				t.Errorf("it has %+v", d)
			}
			versions = append(versions, d.Format+" "+d.Version)
		}
		return versions
	}
	shipped.Take(t.Context()) // there is no folder
	if got := has(); len(got) != 0 {
		t.Errorf("without a folder it has %v", got)
	}

	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, content string, at time.Time) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	deb := func(version string) string {
		return string(downloadstest.DEB(t, "Package: overcrank-agent\nVersion: "+version+"\nArchitecture: amd64\n"))
	}
	monday := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	write("overcrank-agent_0.2.0_amd64.deb", deb("0.2.0"), monday)
	write("overcrank-agent-0.2.0.pkg", string(downloadstest.PKG(t, `<i><product id="studio.overcrank.agent" version="0.2.0"/></i>`)), monday)
	write("damaged.msi", "no package", monday)
	write("SHA256SUMS", "passed over", monday)
	for range 2 {
		shipped.Take(t.Context())
		if got := has(); len(got) != 2 || got[0] != "pkg 0.2.0" || got[1] != "deb 0.2.0" {
			t.Fatalf("it has %v", got)
		}
	}
	list, err := r.Downloads().List(t.Context(), r.admin)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Downloads().Remove(t.Context(), r.admin, list[0].File.SHA256); err != nil {
		t.Fatal(err)
	}
	shipped.Take(t.Context())
	if got := has(); len(got) != 1 {
		t.Errorf("what was removed came back: %v", got)
	}
	shipped = r.Downloads().Shipped(dir) // as of a coordinator that begins to lead, or starts
	shipped.Take(t.Context())
	if got := has(); len(got) != 1 {
		t.Errorf("what was removed came back with another leader: %v", got)
	}
	write("overcrank-agent_0.2.0_amd64.deb", deb("0.3.0"), monday.Add(time.Hour))
	shipped.Take(t.Context())
	if got := has(); len(got) != 2 || got[0] != "deb 0.3.0" {
		t.Errorf("after an upgrade it has %v", got)
	}
}
