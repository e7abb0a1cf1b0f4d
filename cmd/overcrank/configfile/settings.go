package configfile

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// Setting is the value of a flag, and where it comes from.
type Setting struct {
	Name   string   `json:"name"`
	Value  []string `json:"value"` // one for each of a list, none when it is not set
	Source Source   `json:"source"`
	Place  string   `json:"place,omitempty"` // the flag, the policy, the variable, or the file and its line
}

// From says in words where the value comes from.
func (s Setting) From() string {
	if s.Place == "" {
		return string(s.Source)
	}
	return string(s.Source) + " " + s.Place
}

// secretTag marks flags whose values are not printed, in the structure that declares them.
const secretTag = "secret"

// Settings are the values that count for flags.
func (r *Resolver) Settings(ctx *kong.Context, flags []*kong.Flag) []Setting {
	all := make([]Setting, len(flags))
	for i, flag := range flags {
		all[i] = Setting{Name: flag.Name, Value: texts(flag.Target)}
		all[i].Source, all[i].Place = r.sourceOf(ctx, flag)
		if flag.Tag.Has(secretTag) && len(all[i].Value) > 0 {
			all[i].Value = []string{"(not shown)"}
		}
	}
	return all
}

// texts writes a flag's value.
func texts(v reflect.Value) []string {
	out := []string{}
	switch {
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			out = append(out, fmt.Sprint(v.Index(i).Interface()))
		}
	case v.Kind() != reflect.String || v.Len() > 0:
		out = append(out, fmt.Sprint(v.Interface()))
	}
	return out
}

// exampleTag holds what Example shows as the value of a flag without a default, in the structure that declares it.
const exampleTag = "example"

// Example is a file that sets nothing: each flag with what it is, its default, and a mark of comment before it.
func Example(title string, flags []*kong.Flag) string {
	var b strings.Builder
	b.WriteString("# " + title + "\n# Take the mark # away from a line to set what it says.\n")
	for _, flag := range flags {
		b.WriteString("\n")
		for _, line := range wrapped(flag.Help, 100) {
			b.WriteString("# " + line + "\n")
		}
		if flag.Enum != "" {
			b.WriteString("# One of " + strings.Join(flag.EnumSlice(), ", ") + ".\n")
		}
		shown := flag.Default
		if shown == "" {
			shown = flag.Tag.Get(exampleTag)
		}
		b.WriteString("#" + flag.Name + ":")
		switch {
		case flag.IsSlice():
			b.WriteString("\n")
			for _, item := range kong.SplitEscaped(shown, flag.Tag.Sep) {
				b.WriteString("#  - " + scalar(item) + "\n")
			}
		case shown != "":
			b.WriteString(" " + scalar(shown) + "\n")
		default:
			b.WriteString("\n")
		}
	}
	return b.String()
}

// scalar writes a value as YAML does.
func scalar(text string) string {
	b, err := yaml.Marshal(&yaml.Node{Kind: yaml.ScalarNode, Value: text})
	if err != nil {
		return text // a node of one text is always written
	}
	return strings.TrimSpace(string(b))
}

// wrapped breaks text into lines of at most width bytes, between words.
func wrapped(text string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}
