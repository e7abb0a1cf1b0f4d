package preflight

import (
	"context"
	"fmt"
	"path"
	"strings"

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

// within are the findings within a file of a kind that may hold what is not drawn, which is read once; none for other files.
func (f *Preflight) within(ctx context.Context, use aep.Use) (list []aep.Finding) {
	it := use.Item
	outlines := scene.Outlines(it.FileName())
	if !outlines && it.Footage.Layer == "" && !printed(it.FileName()) || ctx.Err() != nil {
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
	if of.err != nil && outlines && it.Footage.Layer == "" {
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

// printed tells by its name whether a file is a picture of a kind that may have the colours of inks.
func printed(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".psd", ".psb", ".jpg", ".jpeg", ".jpe", ".tif", ".tiff":
		return true
	}
	return false
}

func (f *Preflight) read(ctx context.Context, it *aep.Item) (of read) {
	file := it.Footage.File.Resolved
	if it.Footage.Layer != "" {
		of.info, of.err = footage.PhotoshopLayer{Name: it.Footage.Layer, Number: it.Footage.LayerNumber}.Probe(file)
	} else {
		of.info, of.err = footage.ProbeWith(ctx, file, f.opt.Fonts)
	}
	return of
}
