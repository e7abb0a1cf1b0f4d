// Package configfile lets the flags of a command be set in a file as well. A key of the file is a flag's name, its value what would
// be written behind the flag; several values are a list. A flag on the command line counts most, then a policy that
// administrators set by the system's means (for agents, on Windows), then its environment variable, then the file, then the default.
package configfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// File is a file that was read.
type File struct {
	Path   string
	values map[string]value
}

// value is what a file has for one flag.
type value struct {
	line int
	text []string
}

// Error is a mistake in a file, at a line of it.
type Error struct {
	Path string
	Line int // 0 when it is none of a certain line
	Err  error
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("%s, line %d: %v", e.Path, e.Line, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Read reads the file at path.
func Read(path string) (*File, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	return Parse(path, string(b))
}

// Parse reads the text of a file. path is for messages.
func Parse(path, text string) (*File, error) {
	f := &File{Path: path, values: map[string]value{}}
	var doc yaml.Node
	// Editors of Windows begin a file with a mark that is no part of it.
	decoder := yaml.NewDecoder(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return f, nil // nothing but comments
	} else if err != nil {
		return nil, &Error{Path: path, Err: errors.New(strings.TrimPrefix(err.Error(), "yaml: "))}
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, f.mistake(root, "a configuration is lines of the form key: value")
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, node := root.Content[i], root.Content[i+1]
		if before, twice := f.values[key.Value]; twice {
			return nil, f.mistake(key, "%q stands at line %d already", key.Value, before.line)
		}
		text, ok := scalars(node)
		if !ok {
			return nil, f.mistake(node, "%s takes a value or a list of values", key.Value)
		}
		f.values[key.Value] = value{line: key.Line, text: text}
	}
	return f, nil
}

// Keys are the keys that the file has a value for, in alphabetical order.
func (f *File) Keys() []string {
	var keys []string
	for key, v := range f.values {
		if len(v.text) > 0 {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// scalars are the values of a scalar or of a list of scalars.
func scalars(node *yaml.Node) (all []string, ok bool) {
	switch {
	case node.Kind == yaml.AliasNode:
		return scalars(node.Alias)
	case node.Kind == yaml.ScalarNode && node.Tag == "!!null":
		return nil, true
	case node.Kind == yaml.ScalarNode:
		return []string{node.Value}, true
	case node.Kind != yaml.SequenceNode:
		return nil, false
	}
	all = []string{}
	for _, item := range node.Content {
		if item.Kind != yaml.ScalarNode {
			return nil, false
		}
		all = append(all, item.Value)
	}
	return all, true
}

func (f *File) mistake(at *yaml.Node, format string, args ...any) error {
	return &Error{Path: f.Path, Line: at.Line, Err: fmt.Errorf(format, args...)}
}

// check refuses keys that are no flags, and values that their flags do not take.
func (f *File) check(flags []*kong.Flag) error {
	known := Settable(flags)
	var wrong []*Error
	for key, v := range f.values {
		i := slices.IndexFunc(known, func(flag *kong.Flag) bool { return flag.Name == key })
		var err error
		switch {
		case i < 0:
			err = unknown(key, known)
		case v.text != nil:
			_, err = v.of(known[i])
		}
		if err != nil {
			wrong = append(wrong, &Error{Path: f.Path, Line: v.line, Err: err})
		}
	}
	slices.SortFunc(wrong, func(a, b *Error) int { return a.Line - b.Line })
	var all error
	for _, err := range wrong {
		all = errors.Join(all, err)
	}
	return all
}

func unknown(key string, known []*kong.Flag) error {
	if near := nearest(key, known); near != "" {
		return fmt.Errorf("there is no setting %q; did you mean %s?", key, near)
	}
	return fmt.Errorf("there is no setting %q", key)
}

// of is the value as it would be written behind the flag.
func (v value) of(flag *kong.Flag) (string, error) {
	text := strings.Join(v.text, "")
	switch {
	case flag.IsSlice() && flag.Tag.Sep != -1:
		text = kong.JoinEscaped(v.text, flag.Tag.Sep)
	case len(v.text) != 1:
		return "", fmt.Errorf("%s takes one value", flag.Name)
	}
	if flag.Enum != "" && !flag.EnumMap()[text] {
		return "", fmt.Errorf("%s is one of %s, not %q", flag.Name, strings.Join(flag.EnumSlice(), ", "), text)
	}
	// It is tried on a value of its own, whose mapper does not begin with the name of the flag.
	try := &kong.DecodeContext{Value: flag.Value, Scan: kong.Scan().PushTyped(text, kong.FlagValueToken)}
	if err := flag.Mapper.Decode(try, reflect.New(flag.Target.Type()).Elem()); err != nil {
		return "", fmt.Errorf("%s: %w", flag.Name, err)
	}
	return text, nil
}

// nearest is the flag whose name looks most like key, "" when none does.
func nearest(key string, flags []*kong.Flag) string {
	best, distance := "", max(2, len(key)/3)+1
	for _, flag := range flags {
		if d := levenshtein.ComputeDistance(strings.ToLower(strings.ReplaceAll(key, "_", "-")), flag.Name); d < distance {
			best, distance = flag.Name, d
		}
	}
	return best
}

// Settable are those of a command's flags that a file may set.
func Settable(flags []*kong.Flag) []*kong.Flag {
	return slices.DeleteFunc(slices.Clone(flags), func(f *kong.Flag) bool {
		return f.Hidden || f.Name == Flag || f.Name == "help"
	})
}
