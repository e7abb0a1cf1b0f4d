//go:build linux

package clients_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/farmtest"
)

// shells complete a command line and print the words that they would offer. The line's last word is the one at the cursor.
var shells = map[string]string{
	"bash": `source <(overcrank completion bash)
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_overcrank
		printf '%s\n' "${COMPREPLY[@]}"`,
	"zsh": `compdef() { }
		compadd() { print -rl -- $candidates }
		_files() { print -rl -- * }
		source <(overcrank completion zsh)
		words=("$@") CURRENT=$#
		_overcrank`,
	"fish": `overcrank completion fish | source
		complete -C (string join ' ' -- $argv)`,
}

// complete asks a shell to complete words.
func complete(t *testing.T, shell, dir string, words ...string) []string {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil {
		t.Skip(shell + " is not on this machine")
	}
	args := []string{"-c", shells[shell]}
	if shell != "fish" {
		args = append(args, shell)
	}
	cmd := exec.Command(path, append(args, words...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(farmtest.Program(t))+":"+os.Getenv("PATH"), "HOME="+dir, "OVERCRANK_TOKEN=none", "OVERCRANK_SERVER=http://127.0.0.1:1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", shell, err, out)
	}
	var got []string
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		word, _, _ := strings.Cut(line, "\t")
		if word = strings.TrimSpace(word); word != "" {
			got = append(got, word)
		}
	}
	return got
}

func TestShellsCompleteCommandsFlagsAndFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "variants.csv"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for shell := range shells {
		t.Run(shell, func(t *testing.T) {
			for _, c := range []struct {
				words []string
				want  string
			}{
				{[]string{"overcrank", "templ"}, "templates"},
				{[]string{"overcrank", "jobs", "rel"}, "release"},
				{[]string{"overcrank", "tokens", "create", "x", "--ro"}, "--role"},
				{[]string{"overcrank", "tokens", "create", "x", "--role", "pr"}, "producer"},
				{[]string{"overcrank", "-q", "submit", "--codec", "video_prores_444"}, "video_prores_4444"},
				{[]string{"overcrank", "batches", "submit", "vari"}, "variants.csv"},
			} {
				if got := complete(t, shell, dir, c.words...); strings.Join(got, " ") != c.want {
					t.Errorf("%v is completed to %q, want %s", c.words, got, c.want)
				}
			}
		})
	}
}

func TestBashCompletesBehindAnEqualsSign(t *testing.T) {
	t.Parallel()
	// Bash takes --role=pr apart.
	got := complete(t, "bash", t.TempDir(), "overcrank", "tokens", "create", "x", "--role", "=", "pr")
	if strings.Join(got, " ") != "producer" {
		t.Errorf("completed to %q", got)
	}
}

func TestCompletionKnowsWhatTheFarmHas(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	id := f.Card()
	if _, err := f.RenameTemplate(t.Context(), id, "Spring; spot"); err != nil {
		t.Fatal(err)
	}
	f.Await("the template to be offered", func() bool { // whoever completes does not wait for a farm that is slow to answer
		_, stdout, _ := f.Command("complete", "--", "templates", "show", "spr")
		return stdout == "Spring; spot\tready\n:these\n"
	})
	_, stdout, _ := f.Command("complete", "--", "templates", "show", "--token=wrong", "spr")
	if stdout != ":these\n" {
		t.Errorf("with a wrong token %q is offered", stdout)
	}
}
