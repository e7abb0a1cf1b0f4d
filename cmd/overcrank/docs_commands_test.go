package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestCommandsOfTheDocumentationParse holds every command line of README.md, docs and the examples, in blocks of code and within
// sentences, to the commands and flags that the program takes.
func TestCommandsOfTheDocumentationParse(t *testing.T) {
	for _, set := range os.Environ() { // what is set on this machine must not stand in for a flag that a page forgot
		if name, _, _ := strings.Cut(set, "="); strings.HasPrefix(name, "OVERCRANK_") {
			t.Setenv(name, "")
			if err := os.Unsetenv(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	pages := []string{filepath.Join("..", "..", "README.md")}
	err := filepath.WalkDir(filepath.Join("..", "..", "docs"), func(path string, _ fs.DirEntry, err error) error {
		if slices.Contains([]string{".md", ".sh"}, filepath.Ext(path)) {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var into cli
	parser, err := newParser(&into, nil, kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) {}),
		kong.NamedMapper("existingfile", kong.MapperFunc(anyPath)), kong.NamedMapper("existingdir", kong.MapperFunc(anyPath)))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, path := range pages {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range commandsOf(string(text)) {
			seen++
			into = cli{}
			forget(parser.Model.Node)
			_, err := parser.Parse(c.args)
			if err != nil && c.named && (strings.HasPrefix(err.Error(), "expected ") || strings.HasPrefix(err.Error(), "missing ")) {
				continue
			}
			if err != nil {
				t.Errorf("%s: overcrank %s: %v", path, strings.Join(c.args, " "), err)
			}
		}
	}
	if seen < 150 {
		t.Errorf("only %d command lines were found", seen)
	}
}

// writtenCommand is a command line of the program as a page writes it.
type writtenCommand struct {
	args []string
	// named is whether it stands within a sentence, where it may name the command without what it needs.
	named bool
}

// forget has a parser know nothing of what it parsed before.
func forget(node *kong.Node) {
	for _, f := range node.Flags {
		f.Set = false
	}
	for _, p := range node.Positional {
		p.Set = false
	}
	for _, child := range node.Children {
		forget(child)
	}
}

// anyPath takes paths of files that are on no machine but the reader's.
func anyPath(ctx *kong.DecodeContext, target reflect.Value) error {
	if target.Kind() != reflect.Slice {
		return ctx.Scan.PopValueInto("path", target.Addr().Interface())
	}
	for ctx.Scan.Peek().IsValue() {
		var path string
		if err := ctx.Scan.PopValueInto("path", &path); err != nil {
			return err
		}
		target.Set(reflect.Append(target, reflect.ValueOf(path)))
	}
	return nil
}

var (
	fencedCode = regexp.MustCompile("(?ms)^ *```[^\n]*\n(.*?)^ *```$")
	inlineCode = regexp.MustCompile("`((?:bin/)?overcrank [^`\n]+)`")
	codeLine   = regexp.MustCompile(`(?m)^(?: {4,}|\t)\S.*$`)
)

// commandsOf are the command lines of the program on a page, or in a script.
func commandsOf(page string) (out []writtenCommand) {
	add := func(code string, named bool) {
		for _, args := range commandLines(code) {
			out = append(out, writtenCommand{args, named})
		}
	}
	if strings.HasPrefix(page, "#!") {
		add(page, false)
		return out
	}
	for _, m := range fencedCode.FindAllStringSubmatch(page, -1) {
		add(m[1], false)
	}
	page = fencedCode.ReplaceAllString(page, "")
	add(strings.Join(codeLine.FindAllString(page, -1), "\n"), false)
	for _, m := range inlineCode.FindAllStringSubmatch(page, -1) {
		add(m[1], true)
	}
	return out
}

// commandLines are the arguments of each call of the program in shell code. Words that a page leaves out (…) and names in capitals that
// stand for a command are not looked at.
func commandLines(code string) (out [][]string) {
	for _, words := range shellCommands(code) {
		for len(words) > 0 && (words[0] == "sudo" || words[0] == "then" || words[0] == "do" || regexp.MustCompile(`^\w+=`).MatchString(words[0])) {
			words = words[1:]
		}
		if len(words) < 2 || !slices.Contains([]string{"overcrank", "bin/overcrank"}, words[0]) || regexp.MustCompile(`^[A-Z]+$`).MatchString(words[1]) {
			continue
		}
		args := slices.DeleteFunc(slices.Clone(words[1:]), func(w string) bool { return w == "…" || w == "..." })
		out = append(out, args)
	}
	return out
}

// shellCommands splits shell code into simple commands and their words: quotes are taken off, comments and redirections left out.
func shellCommands(code string) (commands [][]string) {
	var (
		words    []string
		word     strings.Builder
		begun    bool
		redirect bool // the next word is a file
	)
	endWord := func() {
		if begun && !redirect {
			words = append(words, word.String())
		}
		redirect = redirect && !begun
		word.Reset()
		begun = false
	}
	endCommand := func() {
		endWord()
		if len(words) > 0 {
			commands = append(commands, words)
		}
		words, redirect = nil, false
	}
	letters := []rune(strings.ReplaceAll(code, "\\\n", " "))
	for i := 0; i < len(letters); i++ {
		switch c := letters[i]; {
		case c == '#' && !begun:
			for i+1 < len(letters) && letters[i+1] != '\n' {
				i++
			}
		case c == '\'' || c == '"':
			begun = true
			for i++; i < len(letters) && letters[i] != c; i++ {
				word.WriteRune(letters[i])
			}
		case c == '$' && i+1 < len(letters) && letters[i+1] == '(':
			endCommand() // what stands before $( is an assignment, as a rule
			i++
		case strings.ContainsRune("\n|&;()`", c):
			endCommand()
		case c == '<' || c == '>':
			endWord()
			redirect = true
		case c == ' ' || c == '\t':
			endWord()
		default:
			begun = true
			word.WriteRune(c)
		}
	}
	endCommand()
	return commands
}
