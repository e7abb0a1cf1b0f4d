package aep_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
)

// sampleFiles are the samples of the given extensions, by path below the folder of samples.
func sampleFiles(t testing.TB, extensions ...string) (dir string, files []string) {
	t.Helper()
	dir = aeptest.Samples(t)
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
	p, err := aep.Open(context.Background(), aeptest.Samples(t, parts...), aep.DefaultLimits())
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
