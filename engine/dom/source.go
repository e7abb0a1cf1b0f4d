package dom

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

const (
	maxIncludes     = 64
	maxIncludeBytes = 8 << 20
)

// directive is a preprocessor line of ExtendScript, which may be a comment as in "//@include".
var directive = regexp.MustCompile(`^\s*(?:#|//\s*@)(include|includepath|target|targetengine|engine|strict|show|script)\b\s*(.*)$`)

// source is a script with its includes inserted, and the origin of each of its lines.
type source struct {
	name  string
	text  string
	lines []place
}

type place struct {
	file string
	line int
}

func (s *source) place(line int) (file string, n int) {
	if line < 1 || line > len(s.lines) {
		return s.name, line
	}
	p := s.lines[line-1]
	return p.file, p.line
}

// readSource carries out the preprocessor lines, which JavaScript does not have.
func readSource(name, script, folder string) (*source, error) {
	s := &source{name: name}
	var b strings.Builder
	in := includer{folder: folder, into: s, out: &b}
	if err := in.add(name, script, 0); err != nil {
		return nil, err
	}
	s.text = b.String()
	return s, nil
}

type includer struct {
	folder string
	into   *source
	out    *strings.Builder
	count  int
	bytes  int
}

func (in *includer) add(name, text string, depth int) error {
	text = strings.TrimPrefix(text, "\ufeff")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	for i, line := range strings.Split(text, "\n") {
		m := directive.FindStringSubmatch(line)
		if m != nil && m[1] == "include" {
			if err := in.include(name, i+1, m[2], depth); err != nil {
				return err
			}
			line = ""
		} else if m != nil {
			line = ""
		}
		in.out.WriteString(line)
		in.out.WriteByte('\n')
		in.into.lines = append(in.into.lines, place{name, i + 1})
	}
	return nil
}

func (in *includer) include(name string, line int, arg string, depth int) error {
	file := strings.Trim(strings.TrimRight(strings.TrimSpace(arg), "; \t"), `"'<>`)
	fail := func(why string) error {
		return &ScriptError{Message: fmt.Sprintf("#include %q: %s", file, why), File: name, Line: line}
	}
	if in.count++; in.count > maxIncludes || depth > 16 {
		return fail("too many includes")
	}
	if in.folder == "" {
		return fail("outside the job's folder")
	}
	root, err := os.OpenRoot(in.folder)
	if err != nil {
		return fail("the job's folder can't be opened")
	}
	defer func() { _ = root.Close() }()
	rel, ok := within(in.folder, file)
	if !ok {
		return fail("outside the job's folder")
	}
	info, err := root.Stat(rel)
	if err != nil || !info.Mode().IsRegular() {
		return fail("no such file in the job's folder")
	}
	if in.bytes += int(info.Size()); in.bytes > maxIncludeBytes {
		return fail("the includes are too large")
	}
	text, err := root.ReadFile(rel)
	if err != nil {
		return fail("can't be read")
	}
	return in.add(filepath.Base(rel), string(text), depth+1)
}

// within is a path relative to folder. Relative paths start at folder. os.Root takes care of symbolic links: it follows
// none out of it.
func within(folder, path string) (rel string, ok bool) {
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		rel = filepath.Clean(path)
		return rel, filepath.IsLocal(rel)
	}
	abs, err := filepath.Abs(folder)
	if err != nil {
		return "", false
	}
	bases := []string{abs}
	if real, err := filepath.EvalSymlinks(abs); err == nil && real != abs {
		bases = append(bases, real)
	}
	for _, base := range bases {
		if rel, err := filepath.Rel(base, path); err == nil && filepath.IsLocal(rel) {
			return rel, true
		}
	}
	return "", false
}
