// Package completion completes half-typed command lines: what a shell asks for when Tab is pressed, and the scripts by which
// shells ask.
//
// It reads the commands and flags from the parser's model, so that it knows whatever the program knows. A field's tag "complete"
// says what its value is: "file", "job", "template" and so on; all but files are asked of the caller.
package completion

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Candidate is one way to complete a word.
type Candidate struct {
	Word string
	Help string // one line, or ""
}

// Source gives the candidates for a kind of value, with the flags that stand on the command line before it.
type Source func(kind string, flags map[string]string) []Candidate

// kindFile is the kind of value that the shell completes itself.
const kindFile = "file"

// Suggest completes the last of words, which are the words behind the program's name. files says that the shell is to complete
// the names of files.
func Suggest(model *kong.Application, words []string, source Source) (candidates []Candidate, files bool) {
	if len(words) == 0 {
		words = []string{""}
	}
	l := &line{node: model.Node, flags: map[string]string{}}
	for _, word := range words[:len(words)-1] {
		l.take(word)
	}
	last := words[len(words)-1]
	switch name, value, assigned := strings.Cut(last, "="); {
	case l.pending != nil:
		return l.value(l.pending.Value, last, "", source)
	case !l.plain && assigned && strings.HasPrefix(last, "--"):
		if flag := l.flag(name); flag != nil {
			return l.value(flag.Value, value, name+"=", source)
		}
		return nil, false
	case !l.plain && strings.HasPrefix(last, "-"):
		return l.flagNames(last), false
	}
	for _, child := range l.node.Children {
		if !l.plain && l.positional == 0 && !child.Hidden && strings.HasPrefix(child.Name, last) {
			candidates = append(candidates, Candidate{child.Name, firstLine(child.Help)})
		}
	}
	if arg := l.argument(); arg != nil {
		more, wantsFiles := l.value(arg, last, "", source)
		candidates, files = append(candidates, more...), wantsFiles
	}
	return candidates, files
}

// line is a command line as far as it has been read.
type line struct {
	node       *kong.Node
	positional int               // arguments of node that were read
	plain      bool              // behind "--", where nothing is a flag
	pending    *kong.Flag        // whose value is the next word
	flags      map[string]string // the values of flags, by name
}

func (l *line) take(word string) {
	switch name, value, assigned := strings.Cut(word, "="); {
	case l.pending != nil:
		l.flags[l.pending.Name], l.pending = word, nil
	case l.plain:
		l.positional++
	case word == "--":
		l.plain = true
	case strings.HasPrefix(word, "-") && word != "-":
		flag := l.flag(name)
		switch {
		case flag == nil:
		case assigned:
			l.flags[flag.Name] = value
		case !flag.IsBool():
			l.pending = flag
		}
	default:
		for _, child := range l.node.Children {
			if l.positional == 0 && (child.Name == word || slices.Contains(child.Aliases, word)) {
				l.node = child
				return
			}
		}
		l.positional++
	}
}

// nodes are where flags and arguments may come from: the command, those above it, and the one that it stands for by default.
func (l *line) nodes() []*kong.Node {
	var out []*kong.Node
	if l.node.DefaultCmd != nil {
		out = append(out, l.node.DefaultCmd)
	}
	for n := l.node; n != nil; n = n.Parent {
		out = append(out, n)
	}
	return out
}

// flag finds a flag by how it is typed: --name, -n.
func (l *line) flag(typed string) *kong.Flag {
	for _, node := range l.nodes() {
		for _, f := range node.Flags {
			if "--"+f.Name == typed || f.Short != 0 && "-"+string(f.Short) == typed {
				return f
			}
		}
	}
	return nil
}

func (l *line) flagNames(prefix string) []Candidate {
	var out []Candidate
	for _, node := range l.nodes() {
		for _, f := range node.Flags {
			if name := "--" + f.Name; !f.Hidden && strings.HasPrefix(name, prefix) {
				out = append(out, Candidate{name, firstLine(f.Help)})
			}
		}
	}
	slices.SortFunc(out, func(a, b Candidate) int { return strings.Compare(a.Word, b.Word) })
	return slices.Compact(out)
}

// argument is the argument that the next word would be.
func (l *line) argument() *kong.Value {
	node := l.node
	if node.DefaultCmd != nil {
		node = node.DefaultCmd
	}
	for i, arg := range node.Positional {
		if i == l.positional || arg.IsCumulative() && i < l.positional {
			return arg
		}
	}
	return nil
}

// value completes the value of a flag or an argument; before is what stands before it in the same word.
func (l *line) value(v *kong.Value, typed, before string, source Source) (candidates []Candidate, files bool) {
	kind := v.Tag.Get("complete")
	if kind == "" && slices.Contains([]string{"path", "existingfile", "existingdir"}, v.Tag.Type) {
		kind = kindFile
	}
	switch {
	case kind == kindFile:
		return nil, true
	case kind != "":
		candidates = source(kind, l.flags)
	case v.Enum != "":
		for _, word := range v.EnumSlice() {
			candidates = append(candidates, Candidate{Word: word})
		}
	}
	var out []Candidate
	for _, c := range candidates {
		if c.Word != "" && strings.HasPrefix(strings.ToLower(c.Word), strings.ToLower(typed)) {
			out = append(out, Candidate{before + c.Word, firstLine(c.Help)})
		}
	}
	return out, false
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
