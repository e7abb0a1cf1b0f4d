package preflight

import (
	"context"
	"fmt"
	"path"
	"slices"
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

// within is what is not drawn of a file, and which of its fonts are not there. A file of a kind that may hold either is read once; there is none of
// others.
func (f *Preflight) within(ctx context.Context, use aep.Use) (lacks []scene.Lack, fonts []aep.Finding) {
	it := use.Item
	outlines := scene.Outlines(it.FileName())
	if !outlines && it.Footage.Layer == "" && !printed(it.FileName()) || ctx.Err() != nil {
		return nil, nil
	}
	key := fmt.Sprint(it.Footage.File.Resolved, it.Footage.LayerNumber, it.Footage.Layer)
	of, known := f.files[key]
	if !known {
		if len(f.files) == maxFiles {
			f.unread[key] = true
			return nil, nil
		}
		of = f.read(ctx, it)
		if ctx.Err() != nil {
			return nil, nil
		}
		f.files[key] = of
	}
	lacks = scene.FileLacks(use, of.info)
	if of.err != nil && outlines && it.Footage.Layer == "" {
		lacks = slices.Insert(lacks, 0, scene.FileLack(use, "the vector file "+of.err.Error()))
	}
	for _, name := range of.info.Fonts {
		if f.opt.HasFont == nil || !f.opt.HasFont(name) {
			fonts = append(fonts, aep.Finding{Kind: aep.FontFinding, Composition: use.Comp.Name, Layer: f.project.DisplayName(use.Layer), What: name, Detail: true})
		}
	}
	return lacks, fonts
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
