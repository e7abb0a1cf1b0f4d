package windows_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/installers/windows"
)

// TestAnExampleOfATransformIsBesideThePackage: it fits the package, and has places for a farm's own answers.
func TestAnExampleOfATransformIsBesideThePackage(t *testing.T) {
	t.Parallel()
	in := input(t, "0.1.0-123-gabcdef0")
	msi := build(t, in)
	example := filepath.Join(in.Dist, windows.TransformName(in.Version))
	made, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"SERVER", "https://farm.studio.example:8080", "JOIN", "ocj_PUT_YOUR_JOIN_TOKEN_HERE"} {
		if !bytes.Contains(made, []byte(place)) {
			t.Errorf("it does not hold %s", place)
		}
	}
	rows, err := windows.Table(t.Context(), msi, "Property")
	if err != nil {
		t.Fatal(err)
	}
	of := func(name string) string { return rows.Get("Property", name, "Value") }
	fits := of("ProductCode") + of("ProductVersion") + ";" + of("ProductCode") + of("ProductVersion") + ";" + of("UpgradeCode")
	if out, err := exec.CommandContext(t.Context(), "msiinfo", "suminfo", example).CombinedOutput(); err != nil || !strings.Contains(string(out), fits) {
		t.Errorf("msiinfo reads %s (%v), want %s", out, err, fits)
	}
	mode := func(path string) fs.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	if mode(example)&0o444 != 0o444 {
		t.Errorf("the example, which holds no secret, has the mode %v", mode(example))
	}

	own := filepath.Join(t.TempDir(), "answers.mst")
	if err := windows.WriteTransform(t.Context(), msi, own, []string{"SERVER=https://farm.example", "JOIN=ocj_secret"}); err != nil || mode(own) != 0o600 {
		t.Errorf("one with a token has the mode %v, %v", mode(own), err)
	}
	for _, wrong := range []string{"SERVER", "Server=x", "PURGE=1", "="} {
		if err := windows.WriteTransform(t.Context(), msi, filepath.Join(t.TempDir(), "wrong.mst"), []string{wrong}); err == nil {
			t.Errorf("%q is taken as an answer", wrong)
		}
	}
}
