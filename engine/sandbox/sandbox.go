// Package sandbox makes JavaScript runtimes for untrusted code: without files, network or processes, with limited
// recursion, and with limits for built-in functions that could run for hours and cannot be interrupted.
package sandbox

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

// Limits of a single built-in call, and of source.
const (
	MaxString  = 64 << 20 // UTF-16 units of a string made by repeating, padding or joining
	MaxLength  = 10 << 20 // elements that a built-in processes without calling back
	MaxSource  = 16 << 20 // bytes of source
	MaxNesting = 1500     // nested brackets in a source
	MaxChain   = 20000    // operators in a row, in one statement
	MaxCalls   = 1200     // nested calls
)

// patternTime limits one match of a regular expression; those with back references can take for ever.
const patternTime = time.Second

// boundPatterns sets the time limit of the regular expression library, which has one for the whole process.
var boundPatterns = sync.OnceFunc(func() { regexp2.DefaultMatchTimeout = patternTime })

// New makes a runtime with the guards in place.
func New() *goja.Runtime {
	boundPatterns()
	rt := goja.New()
	rt.SetMaxCallStackSize(MaxCalls)
	rt.SetParserOptions(parser.WithDisableSourceMaps)
	g := guard{rt, new(bool)}
	g.strings()
	g.arrays()
	g.nested()
	g.calls()
	return rt
}

// Check refuses a source that is too long, or nested so deeply that compiling it would exhaust the stack.
func Check(source string) error {
	if len(source) > MaxSource {
		return fmt.Errorf("source of %d bytes: at most %d are allowed", len(source), MaxSource)
	}
	depth, chain := 0, 0
	var quote byte
	for i := 0; i < len(source); i++ {
		c := source[i]
		switch {
		case quote != 0:
			// Text in quotes is not code. A line end closes it too, for an apostrophe in a comment.
			switch c {
			case '\\':
				i++
			case quote, '\n':
				quote = 0
			}
			continue
		case c == '"' || c == '\'':
			quote = c
			continue
		}
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(0, depth-1)
			chain++
		case '!', '~', '+', '-', '*', '/', '%', '=', '?', ':', '&', '|', '^', '<', '>':
			chain++
		case ';', ',', '\n':
			chain = 0
		}
		if depth > MaxNesting {
			return fmt.Errorf("brackets are nested deeper than %d", MaxNesting)
		}
		if chain > MaxChain {
			return fmt.Errorf("more than %d operators in one statement", MaxChain)
		}
	}
	return nil
}

// Compile checks, parses and compiles a source.
func Compile(name, source string) (*goja.Program, error) {
	if err := Check(source); err != nil {
		return nil, err
	}
	tree, err := parser.ParseFile(nil, name, source, 0, parser.WithDisableSourceMaps)
	if err != nil {
		return nil, err
	}
	return goja.CompileAST(tree, false)
}

// Fault is an error in a source, and its position.
type Fault struct {
	Message string
	File    string // "" when unknown
	Line    int    // 1-based, 0 when unknown
}

// FaultOf extracts the fault from an error of compiling or running.
func FaultOf(err error) Fault {
	var list parser.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return Fault{Message: "SyntaxError: " + list[0].Message, File: list[0].Position.Filename, Line: list[0].Position.Line}
	}
	var syntax *goja.CompilerSyntaxError
	if errors.As(err, &syntax) {
		f := Fault{Message: "SyntaxError: " + syntax.Message}
		if syntax.File != nil {
			pos := syntax.File.Position(syntax.Offset)
			f.File, f.Line = pos.Filename, pos.Line
		}
		return f
	}
	var thrown *goja.Exception
	if errors.As(err, &thrown) {
		f := Fault{Message: thrownMessage(thrown.Value())}
		f.File, f.Line = innermost(thrown.Stack())
		return f
	}
	var stopped *goja.InterruptedError
	if errors.As(err, &stopped) {
		f := Fault{Message: fmt.Sprint(stopped.Value())}
		f.File, f.Line = innermost(stopped.Stack())
		return f
	}
	var overflow *goja.StackOverflowError
	if errors.As(err, &overflow) {
		f := Fault{Message: "too much recursion"}
		f.File, f.Line = innermost(overflow.Stack())
		return f
	}
	return Fault{Message: err.Error()}
}

func thrownMessage(v goja.Value) (message string) {
	defer func() {
		if recover() != nil {
			message = "an error that can't be shown"
		}
	}()
	o, ok := v.(*goja.Object)
	if !ok {
		return v.String()
	}
	m := o.Get("message")
	if m == nil || goja.IsUndefined(m) {
		return v.String()
	}
	name := o.Get("name")
	if name == nil || name.String() == "Error" || goja.IsUndefined(name) {
		return m.String()
	}
	return name.String() + ": " + m.String()
}

func innermost(frames []goja.StackFrame) (file string, line int) {
	for _, f := range frames {
		pos := f.Position()
		if pos.Line > 0 && !strings.HasPrefix(f.SrcName(), "<") {
			return pos.Filename, pos.Line
		}
	}
	return "", 0
}
