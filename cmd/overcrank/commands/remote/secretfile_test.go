package remote

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/terminal"
)

func TestASecretsFileIsItsOwnersAlone(t *testing.T) {
	dir := t.TempDir()
	var said bytes.Buffer
	to := SecretFile{Out: filepath.Join(dir, "key")}
	if err := to.Validate(); err != nil {
		t.Fatal(err)
	}
	if err := to.Give(&terminal.Output{Writer: &said, Errors: &said}, "a secret"); err != nil {
		t.Fatal(err)
	}
	wantPrivate(t, to.Out, "a secret\n")
	if strings.Contains(said.String(), "a secret") {
		t.Errorf("what is kept in a file is printed too: %s", said.String())
	}
	if err := to.Validate(); err == nil || !strings.Contains(err.Error(), to.Out) {
		t.Errorf("a file that is there would be written over: %v", err)
	}
}

func TestASecretThatAShellWritesIntoAFileIsMadePrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "redirected")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var said bytes.Buffer
	if err := (SecretFile{}).Give(&terminal.Output{Writer: file, Errors: &said}, "a secret"); err != nil {
		t.Fatal(err)
	}
	wantPrivate(t, path, "a secret\n")
	if !strings.Contains(said.String(), "readable by this user alone") {
		t.Errorf("it says %q", said.String())
	}
}

func wantPrivate(t *testing.T, path, content string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("%s has the permissions %v", path, info.Mode().Perm())
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != content {
		t.Errorf("%s holds %q, %v", path, got, err)
	}
}

// TestASecretIsNotMadeWhereItCannotBeKept: its folder is looked for before the farm is asked.
func TestASecretIsNotMadeWhereItCannotBeKept(t *testing.T) {
	to := SecretFile{Out: filepath.Join(t.TempDir(), "missing", "token")}
	if err := to.Validate(); err == nil || !strings.Contains(err.Error(), "there is no folder "+filepath.Dir(to.Out)) {
		t.Errorf("got %v", err)
	}
}

// TestAnAnswerAsJSONKeepsItsSecretInTheFile: --json says what is printed, not where the secret goes.
func TestAnAnswerAsJSONKeepsItsSecretInTheFile(t *testing.T) {
	answer := json.RawMessage(`{"id":"A","uses":1,"signIn":{"url":"http://farm/a-secret","expiresAt":null}}`)
	to := SecretFile{Out: filepath.Join(t.TempDir(), "link")}
	var printed, said bytes.Buffer
	if err := to.GiveAnswer(&terminal.Output{Writer: &printed, Errors: &said}, answer, "http://farm/a-secret"); err != nil {
		t.Fatal(err)
	}
	wantPrivate(t, to.Out, "http://farm/a-secret\n")
	if got, want := strings.TrimSpace(printed.String()), `{"id":"A","signIn":{"expiresAt":null},"uses":1}`; got != want {
		t.Errorf("it prints %s, want %s", got, want)
	}
	printed.Reset()
	if err := (SecretFile{}).GiveAnswer(&terminal.Output{Writer: &printed, Errors: &said}, answer, "http://farm/a-secret"); err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(printed.String()); got != string(answer) {
		t.Errorf("without a file it prints %s, not the answer", got)
	}
}
