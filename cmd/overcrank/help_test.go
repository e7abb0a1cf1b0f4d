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
