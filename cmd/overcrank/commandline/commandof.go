package commandline

import (
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// commandOf leaves of commands, a pointer to a struct, only the one with which a command line begins: reading the flags and the help of some hundred
// others takes most of the time that a process needs to start. All commands stay where the line begins with something else, and for a hidden
// command, which is there to speak of the others.
func commandOf(commands any, line []string) []kong.Option {
	if len(line) == 0 {
		return nil
	}
	program := reflect.TypeOf(commands).Elem()
	var others []string
	known := false
	for i := range program.NumField() {
		field := program.Field(i)
		if _, is := field.Tag.Lookup("cmd"); !is {
			continue
		}
		name, named := field.Tag.Lookup("name")
		if !named {
			name = strings.ToLower(field.Name)
		}
		if _, hidden := field.Tag.Lookup("hidden"); name == line[0] && !hidden {
			known = true
		} else {
			others = append(others, field.Name)
		}
	}
	if !known || len(others) == 0 {
		return nil
	}
	return []kong.Option{kong.IgnoreFields(`^` + program.Name() + `\.(?:` + strings.Join(others, "|") + `)$`)}
}
