// Package reading is the process in which this program reads a project that anybody may have made, and looks at what the embedded engine
// would draw of it, see package reader; and that in which it draws a font, see package specimen.
package reading

import (
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"

	"overcrank/aep"
	"overcrank/cmd/overcrank/process"
	"overcrank/coordinator/reader"
	"overcrank/coordinator/specimen"
	"overcrank/engine/eval"
	"overcrank/engine/expression"
	"overcrank/engine/preflight"
	"overcrank/engine/text"
)

// Argument makes the program read one project and end.
const Argument = "read-template"

// Main is that process.
func Main(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	return reader.Main(ctx, stdin, stdout, look)
}

// FontArgument makes the program draw one font and end.
const FontArgument = "draw-font"

// FontMain is that process.
func FontMain(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	return specimen.Main(ctx, stdin, stdout)
}

// Program is this program with the argument that makes it call Main, for reader.Read.
func Program() ([]string, error) { return programWith(Argument) }

// FontProgram is this program with the argument that makes it call FontMain, for specimen.Draw.
func FontProgram() ([]string, error) { return programWith(FontArgument) }

func programWith(argument string) ([]string, error) {
	self, err := process.Itself()
	if err != nil {
		return nil, err
	}
	return []string{self, argument}, nil
}

// look implements reader.Look.
func look(ctx context.Context, p *aep.Project, job reader.Job) (*aep.Preflight, error) {
	if job.Beside != "" {
		// What could not be searched for is missing when it is rendered, too.
		_ = aep.Resolve(ctx, p, job.Beside, aep.DefaultLimits())
	}
	aep.Complete(p)
	opt := preflight.Options{Each: job.Each, All: job.All, Needs: job.Needs}
	var folders []string
	if own := os.Getenv("OVERCRANK_FONTS"); job.Fonts && own != "" {
		folders = []string{own}
	}
	fonts, err := text.OpenBook(folders...)
	if err != nil {
		return nil, err
	}
	opt.Fonts = fonts
	if job.Fonts {
		opt.HasFont = fonts.Has
	}
	files := expression.Folder{Path: cmp.Or(job.Beside, job.Scratch), Beside: filepath.Dir(p.Path)}
	opt.Expressions = func(e *eval.Evaluator) eval.Expressions {
		return expression.New(expression.Host{Project: p, Eval: e, Fonts: fonts, ReadData: expression.ReadData, ReadFile: files.Read})
	}
	return preflight.New(p, opt).All(ctx), nil
}
