package coordinator

import (
	"context"

	"overcrank/coordinator/library"
	"overcrank/coordinator/preview"
	"overcrank/farm"
	"overcrank/raftstore"
)

// previewFarm is what previews ask of this coordinator.
type previewFarm struct{ c *Coordinator }

var _ preview.Farm = previewFarm{}

// Template implements preview.Farm.
func (f previewFarm) Template(ctx context.Context, p farm.Principal, id string) (farm.Template, error) {
	return f.c.templates.Get(ctx, p, id)
}

// FontsFor implements preview.Farm.
func (f previewFarm) FontsFor(t farm.Template) (fonts []farm.FileRef, err error) {
	err = f.c.state.View(func(tx *raftstore.Tx) (err error) {
		fonts, err = library.FontsFor(tx, farm.Job{Team: t.Team}, &t)
		return err
	})
	return fonts, err
}

// File implements preview.Farm.
func (f previewFarm) File(team, sha256 string) (ref farm.FileRef, err error) {
	err = f.c.state.View(func(tx *raftstore.Tx) error {
		kept, err := tx.File(team, sha256)
		ref = kept.FileRef
		return err
	})
	return ref, err
}
