//go:build linux

package main

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/goregular"

	"overcrank/api/apitest"
	"overcrank/api/openapi"
)

// TestTypedClientsWork generates a client in Go of each of the interface's documents and walks through the farm with it.
func TestTypedClientsWork(t *testing.T) {
	font := filepath.Join(t.TempDir(), "Go-Regular.ttf")
	if err := os.WriteFile(font, goregular.TTF, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PROJECT", titleCardZip(t))
	t.Setenv("FONT", font)
	for _, name := range []string{"own", "farm", "published"} {
		t.Run(name, func(t *testing.T) {
			document := apitest.Shared("spec", "wire.openapi.json")
			if document == "" && name == "published" {
				t.Skip("../shared/spec/wire.openapi.json is absent: there is no published contract to make a client of")
			}
			f := startUp(t, t.TempDir())
			switch name {
			case "own":
				document = f.servedDocument(openapi.PathPublic)
			case "farm":
				document = f.servedDocument(openapi.PathFarm)
			}
			program := typedClient(t, name, document)
			if out, err := f.shell(t.TempDir(), program); err != nil || strings.TrimSpace(out) != "done" {
				t.Errorf("the client says %q: %v", out, err)
			}
		})
	}
}

// servedDocument is a file that holds a document that the farm serves.
func (f *runningFarm) servedDocument(path string) string {
	f.t.Helper()
	res, err := http.Get(f.Server + path)
	if err != nil {
		f.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	file := filepath.Join(f.t.TempDir(), "openapi.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		f.t.Fatal(err)
	}
	return file
}

// typedClient builds the program of testdata/typed with a client that is generated of a document.
func typedClient(t *testing.T, name, document string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "typed", name))); err != nil {
		t.Fatal(err)
	}
	run := func(in string, args ...string) {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = in
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	run(".", "tool", "-modfile="+filepath.Join("..", "..", "tools", "client.mod"), "oapi-codegen",
		"-generate", "types,client", "-package", "main", "-o", filepath.Join(dir, "client.gen.go"), document)
	program := filepath.Join(dir, "client")
	run(dir, "build", "-o", program, ".")
	return program
}
