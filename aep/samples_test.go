package aep_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep"
)

// samplesDir is the folder of real projects beside the repository.
func samplesDir(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skip("no go.mod above the test")
		}
		dir = up
	}
	samples := filepath.Join(dir, "..", "shared", "samples")
	if _, err := os.Stat(samples); err != nil {
		t.Skipf("the samples are not here: %v", err)
	}
	return samples
}

// sampleFiles are the samples of the given extensions, by path below the folder of samples.
func sampleFiles(t testing.TB, extensions ...string) (dir string, files []string) {
	t.Helper()
	dir = samplesDir(t)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		for _, e := range extensions {
			if strings.EqualFold(filepath.Ext(path), e) {
				rel, err := filepath.Rel(dir, path)
				files = append(files, rel)
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("the folder %s holds no sample of %v", dir, extensions)
	}
	return dir, files
}

func openSample(t testing.TB, parts ...string) *aep.Project {
	t.Helper()
	p, err := aep.Open(context.Background(), filepath.Join(append([]string{samplesDir(t)}, parts...)...), aep.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEverySampleOpens(t *testing.T) {
	dir, files := sampleFiles(t, ".aep", ".aet", ".aepx")
	for _, f := range files {
		if _, err := aep.Open(context.Background(), filepath.Join(dir, f), aep.DefaultLimits()); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
	t.Logf("samples: %d files opened", len(files))
}

// indexRows are the lines of the samples' index, without its head.
func indexRows(t testing.TB, dir string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "INDEX.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")[1:]
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
