//go:build linux

package clients_test

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep/aeptest"
	"overcrank/cmd/overcrank/farmtest"

	"golang.org/x/image/font/gofont/goregular"

	"overcrank/api/apitest"
	"overcrank/api/openapi"
)

// runIn runs a program in a folder, and fails with what it says when it does.
func runIn(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestTheDocumentsPassTheLinters has both documents looked at by the programs with which others look at theirs.
func TestTheDocumentsPassTheLinters(t *testing.T) {
	t.Parallel()
	programs := filepath.Join(farmtest.NodeTools(t, "clients"), "node_modules", ".bin")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".spectral.yaml"), []byte("extends: [\"spectral:oas\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, load := range map[string]func() (openapi.Document, error){"public.json": openapi.Public, "farm.json": openapi.Farm} {
		d, err := load()
		if err != nil {
			t.Fatal(err)
		}
		text, err := d.JSON("https://farm.studio", "1.2.3")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
		runIn(t, dir, filepath.Join(programs, "redocly"), "lint", "--extends=recommended", "--format=stylish", name)
		runIn(t, dir, filepath.Join(programs, "spectral"), "lint", "--ruleset", ".spectral.yaml", "--fail-severity=error", "--display-only-failures", name)
	}
}

// TestTypeScriptClientsWork makes types of both documents that the farm serves, and walks through the farm with them.
func TestTypeScriptClientsWork(t *testing.T) {
	modules := filepath.Join(farmtest.NodeTools(t, "clients"), "node_modules")
	programs := filepath.Join(modules, ".bin")
	t.Setenv("PROJECT", farmtest.SmallCard(t))
	f := farmtest.Up(t, t.TempDir())
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "typed", "typescript"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private": true, "type": "module"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"public": openapi.PathPublic, "farm": openapi.PathFarm} {
		runIn(t, dir, filepath.Join(programs, "openapi-typescript"), servedDocument(f, path), "-o", filepath.Join(dir, name+".d.ts"))
	}
	runIn(t, dir, filepath.Join(programs, "tsc"), "--project", ".")
	if out, err := shell(f, dir, "node", "out/main.js"); err != nil || strings.TrimSpace(out) != "done" {
		t.Errorf("the client says %q: %v", out, err)
	}
}

// TestPythonClientsWork makes a client in Python, has its types checked, and walks through the farm with it.
func TestPythonClientsWork(t *testing.T) {
	farmtest.Require(t, "python")
	t.Setenv("PROJECT", farmtest.SmallCard(t))
	f := farmtest.Up(t, t.TempDir())
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "typed", "python"))); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"client.py": openapi.PathPublic, "farmclient.py": openapi.PathFarm} {
		document, err := os.ReadFile(servedDocument(f, path))
		if err != nil {
			t.Fatal(err)
		}
		program, err := pythonClient(document)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(program), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runIn(t, dir, "mypy", "--strict", "main.py", "client.py", "farmclient.py")
	if out, err := shell(f, dir, "python3", "main.py"); err != nil || strings.TrimSpace(out) != "done" {
		t.Errorf("the client says %q: %v", out, err)
	}
}

// TestTypedClientsWork generates a client in Go of each of the interface's documents and walks through the farm with it.
func TestTypedClientsWork(t *testing.T) {
	font := filepath.Join(t.TempDir(), "Go-Regular.ttf")
	if err := os.WriteFile(font, goregular.TTF, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PROJECT", farmtest.SmallCard(t))
	t.Setenv("FONT", font)
	for _, name := range []string{"own", "farm", "published"} {
		t.Run(name, func(t *testing.T) {
			document := apitest.Shared("spec", "wire.openapi.json")
			if document == "" && name == "published" {
				t.Skip("../shared/spec/wire.openapi.json is absent: there is no published contract to make a client of")
			}
			f := farmtest.Up(t, t.TempDir())
			switch name {
			case "own":
				document = servedDocument(f, openapi.PathPublic)
			case "farm":
				document = servedDocument(f, openapi.PathFarm)
			}
			program := typedClient(t, name, document)
			if out, err := shell(f, t.TempDir(), program); err != nil || strings.TrimSpace(out) != "done" {
				t.Errorf("the client says %q: %v", out, err)
			}
		})
	}
}

// servedDocument is a file that holds a document that the farm serves.
func servedDocument(f *farmtest.Farm, path string) string {
	f.T.Helper()
	res, err := http.Get(f.Server + path)
	if err != nil {
		f.T.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		f.T.Fatal(err)
	}
	file := filepath.Join(f.T.TempDir(), "openapi.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		f.T.Fatal(err)
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
		cmd.Dir, cmd.Env = in, append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	run(".", "tool", "-modfile="+filepath.Join(aeptest.Repository(t), "tools", "client.mod"), "oapi-codegen",
		"-generate", "types,client", "-package", "main", "-o", filepath.Join(dir, "client.gen.go"), document)
	program := filepath.Join(dir, "client")
	run(dir, "build", "-o", program, ".")
	return program
}
