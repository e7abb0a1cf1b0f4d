package preflight

import (
	"context"

	"overcrank/aep"
	"overcrank/engine/footage"
	"overcrank/engine/scene"
)

// maxFiles limits the files of outlines that are read.
const maxFiles = 200

// outlines is what of a file of outlines is not drawn; "" for nothing, and for other files. It is read once.
func (f *Preflight) outlines(ctx context.Context, it *aep.Item) string {
	name, path := it.FileName(), it.Footage.File.Resolved
	if !scene.Outlines(name) || ctx.Err() != nil {
		return ""
	}
	what, read := f.files[path]
	if read || len(f.files) == maxFiles {
		return what
	}
	info, err := footage.Probe(ctx, path)
	switch {
	case ctx.Err() != nil:
		return ""
	case err != nil:
		what = "the vector file " + err.Error()
	case info.Lacks != "":
		what = info.Lacks + " in the vector file '" + name + "'"
	}
	f.files[path] = what
	return what
}
