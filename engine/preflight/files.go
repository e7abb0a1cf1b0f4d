package preflight

import (
	"context"
	"fmt"

	"overcrank/aep"
	"overcrank/engine/footage"
	"overcrank/engine/scene"
)

// maxFiles limits the files that are read.
const maxFiles = 200

// read is what was found in a file.
type read struct {
	info footage.Info
	err  error
}

// within are the findings within a file of outlines or a layer of a Photoshop file, which is read once; none for other files.
func (f *Preflight) within(ctx context.Context, use aep.Use) (list []aep.Finding) {
	it := use.Item
	if !scene.Outlines(it.FileName()) && it.Footage.Layer == "" || ctx.Err() != nil {
		return nil
	}
	key := fmt.Sprint(it.Footage.File.Resolved, it.Footage.LayerNumber, it.Footage.Layer)
	of, known := f.files[key]
	if !known {
		if len(f.files) == maxFiles {
			return nil
		}
		of = f.read(ctx, it)
		if ctx.Err() != nil {
			return nil
		}
		f.files[key] = of
	}
	about := aep.Finding{Kind: aep.FeatureFinding, Composition: use.Comp.Name, Layer: f.project.DisplayName(use.Layer)}
	if of.err != nil && it.Footage.Layer == "" {
		about.What = "the vector file " + of.err.Error()
		list = append(list, about)
	}
	for _, lack := range scene.FileLacks(use, of.info) {
		about.What, about.Detail = lack.What, lack.Detail
		list = append(list, about)
	}
	for _, name := range of.info.Fonts {
		if f.opt.HasFont == nil || !f.opt.HasFont(name) {
			about.Kind, about.What, about.Detail = aep.FontFinding, name, true
			list = append(list, about)
		}
	}
	return list
}

func (f *Preflight) read(ctx context.Context, it *aep.Item) (of read) {
	path := it.Footage.File.Resolved
	if it.Footage.Layer != "" {
		of.info, of.err = footage.PhotoshopLayer{Name: it.Footage.Layer, Number: it.Footage.LayerNumber}.Probe(path)
	} else {
		of.info, of.err = footage.ProbeWith(ctx, path, f.opt.Fonts)
	}
	return of
}
