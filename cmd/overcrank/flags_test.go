package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"github.com/alecthomas/kong"
)

// TestFlagsOfAFarmAreDocumented holds the tables of docs/operations/settings.md to the flags that the program takes.
func TestFlagsOfAFarmAreDocumented(t *testing.T) {
	const path, begin, end = "../../docs/operations/settings.md", "-update -->\n", "<!-- end of flags -->"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), begin)
	written, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the flags", path)
	}
	tables := flagTables(t)
	switch {
	case *farmtest.Update:
		if err := os.WriteFile(path, []byte(before+begin+tables+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case written != tables:
		t.Errorf("%s differs from what the program takes (go test ./cmd/overcrank -run TestFlags -update writes it anew); it should be:\n%s", path, tables)
	}
}

// flagTables is a table for every command that runs a part of a farm. The first has the flags that every command takes.
func flagTables(t *testing.T) string {
	t.Helper()
	t.Setenv("XDG_DATA_HOME", "")
	parser, err := newParser(&cli{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	root := parser.Model.Node
	var b strings.Builder
	table := func(title string, flags []*kong.Flag) {
		fmt.Fprintf(&b, "\n### %s\n\n| flag | environment | default | what it is |\n|---|---|---|---|\n", title)
		for _, f := range flags {
			if f.Hidden {
				continue
			}
			fmt.Fprintf(&b, "| `--%s` | %s | %s | %s |\n", f.Name, code(f.Envs...), defaultOf(f), strings.ReplaceAll(f.Help, "|", `\|`))
		}
	}
	command := func(name string) *kong.Node {
		i := slices.IndexFunc(root.Children, func(n *kong.Node) bool { return n.Name == name })
		if i < 0 {
			t.Fatalf("there is no command %q", name)
		}
		return root.Children[i]
	}
	coordinator, up := command("coordinator").Flags, command("up").Flags
	own := slices.DeleteFunc(slices.Clone(up), func(f *kong.Flag) bool {
		return slices.ContainsFunc(coordinator, func(other *kong.Flag) bool { return other.Name == f.Name })
	})
	table("Every command", root.Flags)
	table("`overcrank coordinator` and `overcrank up`", coordinator)
	table("`overcrank up` besides", own)
	table("`overcrank agent`", command("agent").Flags)
	b.WriteString("\n")
	return b.String()
}

func defaultOf(f *kong.Flag) string {
	switch {
	case f.Required:
		return "has to be given"
	case f.IsBool() && f.Default == "true":
		return "on"
	case f.IsBool():
		return "off"
	default:
		return code(f.Default)
	}
}

func code(words ...string) string {
	if len(words) == 0 || words[0] == "" {
		return ""
	}
	return "`" + strings.Join(words, "`, `") + "`"
}
