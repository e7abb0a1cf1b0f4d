package windows_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"overcrank/installers/version"
	"overcrank/installers/windows"
)

var update = flag.Bool("update", false, "write the golden files anew")

// tools are the programs that make packages.
func tools(t *testing.T) {
	t.Helper()
	for _, tool := range []string{"wixl", "msibuild", "msiinfo", "msiextract", "osslsigncode"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is missing, which the package is made with: scripts/require msi installs it", tool)
		}
	}
}

// smallProgram is a program for Windows that does nothing, compiled once.
var smallProgram = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "overcrank-small-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		return nil, err
	}
	made := filepath.Join(dir, "small.exe")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", made, source)
	cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return os.ReadFile(made)
})

// input is what a package is made of that holds small programs in place of ours.
func input(t *testing.T, text string) windows.Input {
	t.Helper()
	tools(t)
	v, err := version.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	v.Time = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	small, err := smallProgram()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	programs := filepath.Join(folder, "windows-amd64")
	if err := os.Mkdir(programs, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"overcrank-agent.exe", "overcrank-launcher.exe"} {
		if err := os.WriteFile(filepath.Join(programs, name), small, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	licences := filepath.Join(folder, "licences.txt")
	if err := os.WriteFile(licences, []byte("Apache License\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return windows.Input{Dist: t.TempDir(), Version: v, Programs: folder, Licences: licences}
}

func build(t *testing.T, in windows.Input) string {
	t.Helper()
	made, err := windows.Build(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(in.Dist, windows.Name(in.Version)); !slices.Contains(made, want) {
		t.Fatalf("made %v, without %s", made, want)
	}
	return filepath.Join(in.Dist, windows.Name(in.Version))
}

// changing are the cells that differ between two packages of the same sources: sizes, hashes and times of programs.
var changing = map[string][]string{
	"File":                {"FileSize"},
	"MsiFileHash":         {"HashPart1", "HashPart2", "HashPart3", "HashPart4"},
	"_SummaryInformation": {"Value"},
}

func TestTablesOfThePackage(t *testing.T) {
	t.Parallel()
	msi := build(t, input(t, "0.1.0-123-gabcdef0"))
	listed, err := exec.CommandContext(t.Context(), "msiinfo", "tables", msi).Output()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	names := strings.Fields(string(listed))
	slices.Sort(names)
	for _, name := range names {
		if slices.Contains([]string{"_SummaryInformation", "_ForceCodepage", "Icon", "Binary", "_Validation"}, name) {
			continue
		}
		rows, err := windows.Table(t.Context(), msi, name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "## %s\n", name)
		var lines []string
		for _, row := range rows {
			var cells []string
			for column, value := range row {
				if slices.Contains(changing[name], column) {
					value = "…"
				}
				if value != "" {
					cells = append(cells, column+"="+value)
				}
			}
			slices.Sort(cells)
			lines = append(lines, strings.Join(cells, "  "))
		}
		slices.Sort(lines)
		text.WriteString(strings.Join(lines, "\n") + "\n\n")
	}
	golden := filepath.Join("testdata", "tables.txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if text.String() != string(want) {
		t.Errorf("the tables differ from %s (-update writes it anew):\n%s", golden, text.String())
	}
}
