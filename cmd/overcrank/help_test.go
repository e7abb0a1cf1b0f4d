package main

import (
	"bytes"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/farmtest"

	"github.com/alecthomas/kong"
)

// TestHelp holds what --help prints of each command that works with a farm to a golden file: people and scripts know commands and flags by it.
func TestHelp(t *testing.T) {
	t.Setenv("COLUMNS", "100")
	parser, err := newParser(&cli{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var describe func(node *kong.Node, words []string)
	describe = func(node *kong.Node, words []string) {
		if node.Hidden || node.Group != nil && node.Group.Key == "farm" {
			return
		}
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), append(words, "--help"), &stdout, &stderr); code != 0 || stderr.Len() > 0 {
			t.Errorf("%v --help: exit code %d\n%s", words, code, &stderr)
		}
		b.WriteString("$ overcrank " + strings.Join(append(words, "--help"), " ") + "\n" + stdout.String() + "\n")
		for _, child := range node.Children {
			describe(child, append(append([]string(nil), words...), child.Name))
		}
	}
	describe(parser.Model.Node, nil)
	farmtest.Golden(t, "help.txt", b.String())
}

// TestOldNamesOfCommandsWork holds each old name to its command: scripts go on working. Help and completion do not show it.
func TestOldNamesOfCommandsWork(t *testing.T) {
	for today, old := range oldNames() {
		words := strings.Fields(today)
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), append([]string{words[0], old}, "--help"), &stdout, &stderr); code != 0 || !strings.HasPrefix(stdout.String(), "Usage: overcrank "+today) {
			t.Errorf("%s %s --help: exit code %d\n%s%s", words[0], old, code, &stdout, &stderr)
		}
		stdout.Reset()
		if code := run(t.Context(), []string{words[0], "--help"}, &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), words[1]) || strings.Contains(stdout.String(), words[0]+" "+old) || strings.Contains(stdout.String(), "("+old) {
			t.Errorf("%s --help: exit code %d\n%s%s", words[0], code, &stdout, &stderr)
		}
		stdout.Reset()
		if code := run(t.Context(), []string{"complete", "--", words[0], old}, &stdout, &stderr); code != 0 || stdout.String() != ":these\n" {
			t.Errorf("%s %s is completed to %q, exit code %d\n%s", words[0], old, &stdout, code, &stderr)
		}
	}
}

func TestHelpIsACommandToo(t *testing.T) {
	for _, words := range [][]string{nil, {"jobs"}, {"jobs", "list"}} {
		var flag, command, stderr bytes.Buffer
		if run(t.Context(), append(append([]string(nil), words...), "--help"), &flag, &stderr) != 0 || run(t.Context(), append([]string{"help"}, words...), &command, &stderr) != 0 || flag.String() != command.String() {
			t.Errorf("%v: help prints\n%s\nand --help\n%s%s", words, &command, &flag, &stderr)
		}
	}
}

func TestAWrongCommandLineIsExitCodeTwo(t *testing.T) {
	t.Setenv("OVERCRANK_TOKEN", "x")
	for _, args := range [][]string{
		{"nonsense"},
		{"jobs", "--nonsense"},
		{"jobs", "--limit", "0"},
		{"jobs", "--from", "yesterday"},
		{"jobs", "--watch"},
		{"jobs", "cancel"},
		{"jobs", "download", "a", "b", "-o", "x"},
		{"submit"},
		{"submit", "--template", "x", "--frames", "a"},
		{"submit", "--template", "x", "--data", "layer=1"},
		{"submit", "--template", "x", "--json", "-o", "-"},
		{"templates", "add", "project.psd"},
		{"tokens", "create", "x", "--role", "king"},
		{"tokens", "create", "x", "--expires", "2020-01-01"},
		{"batches", "submit", "help_test.go"},
		{"batches", "submit", "help_test.go", "--template", "x", "--delimiter", "ab"},
		{"batches", "submit", "help_test.go", "--template", "x", "--file-name", "x"},
		{"completion", "csh"},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), args, &stdout, &stderr); code != exit.Usage || stderr.Len() == 0 || stdout.Len() > 0 {
			t.Errorf("%v: exit code %d, said %q and %q", args, code, &stdout, &stderr)
		}
	}
}

// TestMisspeltWordsAreExplained: a word that is nearly a command or a flag is told with what it may have been meant to be.
func TestMisspeltWordsAreExplained(t *testing.T) {
	for line, want := range map[string]string{
		"job":                         "there is no command 'job': did you mean 'jobs'?\nFor help, type: overcrank --help",
		"help job":                    "there is no command 'job': did you mean 'jobs'?\nFor help, type: overcrank --help",
		"jobs lst":                    "there is no command 'jobs lst': did you mean 'list'?\nFor help, type: overcrank jobs --help",
		"jobs --limit 5 wiat JOB":     "there is no command 'jobs wiat': did you mean 'wait'?",
		"help jobs shwo":              "there is no command 'jobs shwo': did you mean 'show'?",
		"cluster gossip-key rotat":    "there is no command 'cluster gossip-key rotat': did you mean 'rotate'?\nFor help, type: overcrank cluster gossip-key --help",
		"limits retir x":              "there is no command 'limits retir': there are 'list', 'set', 'delete'",
		"cancel JOB":                  "there is no command 'cancel': there are 'jobs cancel', 'batches cancel'\nFor help, type: overcrank --help",
		"xyzzy":                       "there is no command 'xyzzy'\nFor help, type: overcrank --help",
		"jobs list foo":               "'overcrank jobs list' takes no argument 'foo'\nFor help, type: overcrank jobs list --help",
		"jobs --staets error":         `unknown flag --staets, did you mean "--states"?` + "\nFor help, type: overcrank jobs --help",
		"--quite jobs":                `unknown flag --quite, did you mean "--quiet"?`,
		"jobs cancel --forc X":        `unknown flag --forc, did you mean "--force"?`,
		"agents tag":                  `expected "<machine>"` + "\nFor help, type: overcrank agents tag --help",
		"jobs \x1b[31mlist":           "there is no command 'jobs  [31mlist': among others there are",
		"templates ad x":              "there is no command 'templates ad': did you mean 'add' or 'download'?",
		"help templates add --naem x": `unknown flag --naem, did you mean "--name"?`,
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), strings.Split(line, " "), &stdout, &stderr)
		if code != exit.Usage || stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), "overcrank: "+want) {
			t.Errorf("overcrank %s: exit code %d\n%s%swant overcrank: %s", line, code, &stdout, &stderr, want)
		}
	}
}
