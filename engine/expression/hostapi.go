package expression

import (
	"strings"

	"github.com/dop251/goja"

	"overcrank/engine/sandbox"
)

// maxLibrary is the largest file that expressions may evaluate, in bytes.
const maxLibrary = 4 << 20

// defineHost defines $, of which expressions mainly use $.evalFile.
func (m *Machine) defineHost() {
	d := m.rt.NewObject()
	_ = d.Set("evalFile", func(c goja.FunctionCall) goja.Value { return m.evalFile(c.Argument(0).String()) })
	quiet := func(goja.FunctionCall) goja.Value { return goja.Undefined() }
	for _, name := range []string{"write", "writeln", "gc"} {
		_ = d.Set(name, quiet)
	}
	_ = d.Set("version", "4.5.6")
	_ = d.Set("os", "")
	_ = d.Set("global", m.rt.GlobalObject())
	_ = m.rt.Set("$", d)
	_ = m.rt.Set("alert", quiet)
}

// evalFile runs a file of the job that contains data or functions for expressions.
func (m *Machine) evalFile(name string) goja.Value {
	if m.host.ReadFile == nil {
		m.throw("$.evalFile: the file %q is not part of the job", short(baseName(name)))
	}
	b, err := m.host.ReadFile(name)
	if err != nil {
		m.throw("$.evalFile: the file %q can't be read: %v", short(baseName(name)), err)
	}
	if len(b) > maxLibrary {
		m.throw("$.evalFile: the file %q is too large", short(baseName(name)))
	}
	p, err := sandbox.Compile(baseName(name), string(b))
	if err != nil {
		m.throw("$.evalFile: %s: %s", short(baseName(name)), fault(err).Message)
	}
	v, err := m.rt.RunProgram(p)
	if err != nil {
		sandbox.Rethrow(err)
	}
	return v
}

func baseName(path string) string {
	path = strings.ReplaceAll(path, "\\", "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}
