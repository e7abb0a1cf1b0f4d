package configfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/alecthomas/kong"
)

// Flag is the name of the flag that says which file to read. A command that has it takes all of its flags from a file too.
const Flag = "config"

// Resolver gives the flags of one run of the parser what the file has for them.
type Resolver struct {
	usual func(command string) string // the file of a command when none is named, "" for none; it need not be there
	file  *File

	mistake  error
	system   func() (policies, error)
	policies policies
}

// NewResolver makes a resolver. usual is the file of a command when none is named, "" for none; it need not be there.
func NewResolver(usual func(command string) string) *Resolver {
	return &Resolver{usual: usual, system: readPolicies}
}

// Load reads the file of a command before the parser asks for values of it.
func (r *Resolver) Load(ctx *kong.Context, command *kong.Path) error {
	named := slices.IndexFunc(command.Flags, func(f *kong.Flag) bool { return f.Name == Flag })
	if named < 0 {
		return nil
	}
	if command.Node().Name == policed {
		var err error
		if r.policies, err = r.system(); err != nil {
			return err
		}
	}
	path, _ := ctx.FlagValue(command.Flags[named]).(string)
	given := path != ""
	if !given {
		path = r.usual(command.Node().Name)
	}
	if path == "" {
		return nil
	}
	f, err := Read(path)
	if errors.Is(err, fs.ErrNotExist) && !given {
		return nil
	}
	if err == nil {
		err = f.check(command.Flags)
	}
	if err != nil && r.Lenient(ctx) {
		r.mistake = err
		return nil
	}
	r.file = f
	return err
}

// EmptyTag marks flags for which an empty variable of the environment is a value, in the structure that declares them. For all others it is none.
const EmptyTag = "empty"

// LenientTag marks commands that do their work also with a file that has mistakes, in the structure that declares them: as if there was none.
const LenientTag = "lenient"

// Lenient tells whether the command that was typed does its work also with settings that have mistakes.
func (r *Resolver) Lenient(ctx *kong.Context) bool {
	selected := ctx.Selected()
	return selected != nil && selected.Tag != nil && selected.Tag.Has(LenientTag)
}

// Mistake is what is wrong with the file for which a lenient command was given none, nil when nothing is.
func (r *Resolver) Mistake() error { return r.mistake }

// Validate is for the parser of the command line.
func (r *Resolver) Validate(*kong.Application) error { return nil }

// Resolve is for the parser of the command line: the value of a flag, nil when the file has none for it or the environment has one.
func (r *Resolver) Resolve(_ *kong.Context, parent *kong.Path, flag *kong.Flag) (any, error) {
	if !slices.ContainsFunc(parent.Flags, func(f *kong.Flag) bool { return f.Name == Flag }) {
		return nil, nil
	}
	if v, err := r.policies.of(flag); v != nil || err != nil {
		return v, err
	}
	if r.file == nil || inEnvironment(flag) != "" {
		return nil, nil
	}
	v, set := r.file.values[flag.Name]
	if !set || v.text == nil {
		return nil, nil
	}
	return v.of(flag)
}

// File is the file that was read, nil when there was none.
func (r *Resolver) File() *File { return r.file }

// Source is where a flag's value comes from.
type Source string

// The sources of values, the one that counts most first.
const (
	SourceFlag        Source = "flag"
	SourcePolicy      Source = "policy"
	SourceEnvironment Source = "environment"
	SourceFile        Source = "file"
	SourceDefault     Source = "default"
)

// sourceOf tells where the value of a flag comes from, and the place there: the variable's name, the policy, the file and its line.
func (r *Resolver) sourceOf(ctx *kong.Context, flag *kong.Flag) (source Source, place string) {
	typed := slices.ContainsFunc(ctx.Path, func(p *kong.Path) bool { return p.Flag == flag && !p.Resolved })
	_, policy := r.policies.values[flag.Name]
	switch name := inEnvironment(flag); {
	case typed:
		return SourceFlag, "--" + flag.Name
	case policy:
		return SourcePolicy, r.policies.placeOf(flag)
	case name != "":
		return SourceEnvironment, name
	case r.file != nil && r.file.values[flag.Name].text != nil:
		return SourceFile, fmt.Sprintf("%s:%d", r.file.Path, r.file.values[flag.Name].line)
	}
	return SourceDefault, ""
}

// inEnvironment is the name of the variable that sets a flag, "" when none does.
func inEnvironment(flag *kong.Flag) string {
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return name
		}
	}
	return ""
}
