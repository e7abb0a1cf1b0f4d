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
	parser, err := newParser(&cli{})
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
		b.WriteString("$ overcrank " + strings.Join(append(words, "--help"), " ") + "\n" + withoutCommonFlags(stdout.String(), len(words)) + "\n")
		for _, child := range node.Children {
			describe(child, append(append([]string(nil), words...), child.Name))
		}
	}
	describe(parser.Model.Node, nil)
	farmtest.Golden(t, "help.txt", b.String())
}

// withoutCommonFlags leaves the flags that every command has out of the help of all but the program itself.
func withoutCommonFlags(help string, depth int) string {
	if depth == 0 {
		return help
	}
	before, rest, found := strings.Cut(help, "\nFlags:\n")
	if !found {
		return help
	}
	lines := strings.Split(rest, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "  -q, --quiet") {
			return before + "\nFlags:\n" + strings.Join(lines[i+1:], "\n")
		}
	}
	return help
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
