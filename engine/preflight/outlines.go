package preflight

import (
	"context"

	"overcrank/aep"
	"overcrank/engine/footage"
	"overcrank/engine/scene"
)

// maxFiles limits the files of outlines that are read.
const maxFiles = 200

// outlines is what a file of outlines would be drawn differently for.
type outlines struct {
	what  string   // is not drawn, "" for nothing
	fonts []string // that its text asks for and that are not there
}

// outlines are the findings of a file of outlines, which is read once; none for other files.
func (f *Preflight) outlines(ctx context.Context, use aep.Use) (list []aep.Finding) {
	if !scene.Outlines(use.Item.FileName()) || ctx.Err() != nil {
		return nil
	}
	path := use.Item.Footage.File.Resolved
	of, read := f.files[path]
	if !read {
		if len(f.files) == maxFiles {
			return nil
		}
		of = f.outlinesOf(ctx, use.Item)
		if ctx.Err() != nil {
			return nil
		}
		f.files[path] = of
	}
	about := aep.Finding{Composition: use.Comp.Name, Layer: f.project.DisplayName(use.Layer)}
	if of.what != "" {
		about.Kind, about.What = aep.FeatureFinding, of.what
		list = append(list, about)
	}
	for _, name := range of.fonts {
		about.Kind, about.What, about.Detail = aep.FontFinding, name, true
		list = append(list, about)
	}
	return list
}

func (f *Preflight) outlinesOf(ctx context.Context, it *aep.Item) (of outlines) {
	info, err := footage.ProbeWith(ctx, it.Footage.File.Resolved, f.opt.Fonts)
	switch {
	case err != nil:
		of.what = "the vector file " + err.Error()
	case info.Lacks != "":
		of.what = info.Lacks + " in the vector file '" + it.FileName() + "'"
	}
	for _, name := range info.Fonts {
		if f.opt.HasFont == nil || !f.opt.HasFont(name) {
			of.fonts = append(of.fonts, name)
		}
	}
	return of
}
