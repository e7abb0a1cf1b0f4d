package templates

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"

	"overcrank/aep"
	"overcrank/coordinator/files"
	"overcrank/farm"
)

// Complete puts files that the caller's team keeps into the archive that a template is, which becomes its next version. What was in the archive stays as
// it is. CodeConflict for a template that is no archive, or has not been read.
func (c *Catalog) Complete(ctx context.Context, p farm.Principal, id string, pieces []Piece) (farm.Template, error) {
	if err := p.May(farm.ActChangeTemplates); err != nil {
		return farm.Template{}, err
	}
	t, err := c.Get(ctx, p, id)
	if err != nil {
		return farm.Template{}, err
	}
	if t.Type != aep.TypeZip || t.File == nil || t.Status != farm.TemplateUploaded {
		return farm.Template{}, farm.Errorf(farm.CodeConflict, "no files can be added to the template “%s” now: it is no .zip archive, or has not been read yet", t.DisplayName)
	}
	whole := t.File.Size
	for _, piece := range pieces {
		if whole += piece.File.Size; piece.File.Team != p.Team {
			return farm.Template{}, farm.Invalid("the template cannot be completed", farm.Field(piece.Name, "is not a file that your team keeps"))
		}
		if why := badPlace(piece.Name); !why.IsZero() {
			return farm.Template{}, farm.Invalid("the template cannot be completed", farm.Field(piece.Name, "%s", why))
		}
	}
	if whole > maxTemplate {
		return farm.Template{}, farm.Invalid("the template cannot be completed", farm.Field("files", "are more than %d GiB together", int64(maxTemplate)>>30))
	}
	obj, err := c.keepArchive(ctx, func(to io.Writer) error { return c.writeCompleted(ctx, to, *t.File, pieces) })
	if err != nil {
		return farm.Template{}, err
	}
	return c.Give(ctx, p, id, farm.StoredFile{FileRef: farm.FileRef{SHA256: obj.SHA256, Size: obj.Size}, Team: t.Team})
}

// writeCompleted writes the entries of an archive as they lie in it, and pieces behind them.
func (c *Catalog) writeCompleted(ctx context.Context, to io.Writer, has farm.FileRef, pieces []Piece) (err error) {
	from, err := c.proofs.OpenBlob(ctx, has)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	before, err := zip.NewReader(files.At{ReadSeeker: from}, has.Size)
	if err != nil {
		return fmt.Errorf("reading the archive of a template: %w", err)
	}
	archive, taken := zip.NewWriter(to), map[string]bool{}
	for _, entry := range before.File {
		if err := ctx.Err(); err != nil {
			return err
		}
		taken[placeKey(entry.Name)] = true
		if err := archive.Copy(entry); err != nil {
			return fmt.Errorf("copying %q of a template: %w", entry.Name, err)
		}
	}
	for _, piece := range pieces {
		if taken[placeKey(piece.Name)] {
			return farm.Errorf(farm.CodeConflict, "the template already has a file %q", piece.Name)
		}
		if err := c.writePiece(ctx, archive, piece); err != nil {
			return err
		}
	}
	return archive.Close()
}
