package main

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestTheAgentsProgramLinksNoCoordinator keeps the program small: what only a coordinator needs is most of the other program.
func TestTheAgentsProgramLinksNoCoordinator(t *testing.T) {
	for _, system := range []string{"linux", "windows", "darwin"} {
		list := exec.Command("go", "list", "-deps", ".")
		list.Env = append(list.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			t.Fatalf("go list for %s: %v", system, err)
		}
		linked := strings.Fields(string(out))
		if !slices.Contains(linked, "overcrank/agent") {
			t.Errorf("for %s the program has no agent", system)
		}
		for _, path := range linked {
			for _, without := range []string{
				"overcrank/coordinator", "overcrank/raftstore", "overcrank/api", "overcrank/web",
				"github.com/hashicorp/raft", "github.com/gofiber", "github.com/valyala/fasthttp", "go.etcd.io/bbolt", "github.com/a-h/templ",
			} {
				if path == without || strings.HasPrefix(path, without+"/") {
					t.Errorf("for %s the program links %s", system, path)
				}
			}
		}
	}
}

// TestTheWordAgentMayBeLeftOut: 'overcrank agent status' and 'overcrank-agent status' are the same command.
func TestTheWordAgentMayBeLeftOut(t *testing.T) {
	for typed, want := range map[string]string{
		"":                                  "agent",
		"run":                               "agent run",
		"agent":                             "agent",
		"agent run":                         "agent run",
		"--coordinator https://a:1":         "agent --coordinator https://a:1",
		"--log-level debug status":          "--log-level debug agent status",
		"--log-level=debug -q status":       "--log-level=debug -q agent status",
		"--log-format json agent run":       "--log-format json agent run",
		"--log-level":                       "--log-level agent",
		"version --json":                    "version --json",
		"--quiet version":                   "--quiet version",
		"help":                              "help",
		"help status":                       "help agent status",
		"help agent status":                 "help agent status",
		"help version":                      "help version",
		"--help":                            "--help",
		"-h":                                "-h",
		"aerender -project a -comp version": "aerender -project a -comp version",
		"agent agent":                       "agent agent",
	} {
		args := strings.Fields(typed)
		before := slices.Clone(args)
		if got := strings.Join(whole(args), " "); got != want {
			t.Errorf("%q is taken for %q, want %q", typed, got, want)
		}
		if !slices.Equal(args, before) {
			t.Errorf("%q was changed to %q", before, args)
		}
	}
}

// TestBothWaysToTypeACommandSayTheSame runs the real parser: output, messages and exit codes are those of the whole program.
func TestBothWaysToTypeACommandSayTheSame(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		line string
		code int
		says string
	}{
		{"status --data-dir " + dir, 5, "no agent answers with the data folder"},
		{"statsu", 2, "there is no command 'agent statsu': did you mean 'status'?"},
		{"--nonsense", 2, "unknown flag --nonsense"},
		{"status --help", 0, "Usage: overcrank agent status"},
		{"config --data-dir " + dir, 0, "flag --data-dir"},
		{"version", 0, "overcrank-agent "},
	} {
		var first string
		for i, words := range [][]string{strings.Fields(c.line), append([]string{"agent"}, strings.Fields(c.line)...)} {
			if c.line == "version" {
				words = []string{"version"}
			}
			var out bytes.Buffer
			code := run(t.Context(), words, &out, &out)
			if code != c.code || !strings.Contains(out.String(), c.says) {
				t.Errorf("%v: exit code %d, said %q; want %d and %q", words, code, &out, c.code, c.says)
			}
			if i == 0 {
				first = out.String()
			} else if out.String() != first {
				t.Errorf("%v says\n%s\nand without the word agent\n%s", words, &out, first)
			}
		}
	}
}
