package remote

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/alecthomas/kong"
)

func TestTheTokenThatWasTypedCounts(t *testing.T) {
	dir := t.TempDir()
	typed, usual := filepath.Join(dir, "typed"), filepath.Join(dir, "usual")
	for _, path := range []string{typed, usual} {
		if err := os.WriteFile(path, []byte(filepath.Base(path)+" file\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		token, file string // in the environment
		args        []string
		want        string
	}{
		{"", "", []string{"--token", "typed"}, "typed"},
		{"", "", []string{"--token-file", typed}, "typed file"},
		{"usual", "", nil, "usual"},
		{"", usual, nil, "usual file"},
		{"usual", usual, nil, "usual"},
		{"usual", "", []string{"--token-file", typed}, "typed file"},
		{"usual", usual, []string{"--token-file", typed}, "typed file"},
		{"usual", usual, []string{"--token", "typed"}, "typed"},
		{"", usual, []string{"--token", "typed"}, "typed"},
	} {
		t.Setenv("OVERCRANK_TOKEN", c.token)
		t.Setenv("OVERCRANK_TOKEN_FILE", c.file)
		var parsed Flags
		parser, err := kong.New(&parsed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		got, err := parsed.Client()
		if err != nil || got.Token != c.want {
			t.Errorf("with %q and %q around, %v speaks as %v (%v), want %q", c.token, c.file, c.args, got, err, c.want)
		}
	}
}
