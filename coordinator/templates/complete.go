package templates

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"overcrank/aep"
	"overcrank/coordinator/files"
	"overcrank/farm"
)

// footageFolder is where After Effects collects the files of a project, and looks for them by their names.
const footageFolder = "(Footage)/"

// Complete puts files that the caller's team keeps, under the names of files that a template lacks, to what it has: into its archive, in which all else
// stays as it is, or with its project into an archive. That becomes the template's next version. CodeConflict for a template that has not been read, or
// that is a .mogrt.
func (c *Catalog) Complete(ctx context.Context, p farm.Principal, id string, pieces []Piece) (farm.Template, error) {
	if err := p.May(farm.ActChangeTemplates); err != nil {
		return farm.Template{}, err
	}
	t, err := c.Get(ctx, p, id)
	if err != nil {
		return farm.Template{}, err
	}
	if t.Type == aep.TypeMogrt || t.File == nil || t.Status != farm.TemplateUploaded || t.Introspection == nil {
		return farm.Template{}, farm.Errorf(farm.CodeConflict, "no files can be added to the template “%s” now: it is a .mogrt, or has not been read yet", t.DisplayName)
	}
	summary, err := c.Summary(ctx, *t.Introspection)
	if err != nil {
		return farm.Template{}, err
	}
	if pieces, err = placed(p, t, summary.MissingFiles(), pieces); err != nil {
		return farm.Template{}, err
	}
	obj, err := c.keepArchive(ctx, func(to io.Writer) error { return c.writeCompleted(ctx, to, t, pieces) })
	if err != nil {
		return farm.Template{}, err
	}
	return c.give(ctx, p, id, farm.FileRef{SHA256: obj.SHA256, Size: obj.Size, Name: archiveName(t)})
}

// placed gives files their places in an archive. It refuses what the template does not lack, which would help nothing.
func placed(p farm.Principal, t farm.Template, lacks []string, pieces []Piece) ([]Piece, error) {
	if len(lacks) == 0 {
		return nil, farm.Errorf(farm.CodeConflict, "the template “%s” lacks no files", t.DisplayName)
	}
	var wrong []farm.FieldError
	var out []Piece
	whole, given := t.File.Size, map[string]bool{}
	for i, piece := range pieces {
		at := slices.IndexFunc(lacks, func(lack string) bool { return strings.EqualFold(lack, piece.Name) })
		switch {
		case at < 0:
			wrong = append(wrong, farm.Field(fmt.Sprintf("files[%d].name", i), "is not the name of a file that the template lacks: %s", listOf(lacks)))
			continue
		case given[lacks[at]]:
			wrong = append(wrong, farm.Field(fmt.Sprintf("files[%d].name", i), "is given twice"))
		case piece.File.Team != p.Team:
			wrong = append(wrong, farm.Field(fmt.Sprintf("files[%d].src", i), "is not a file that your team keeps"))
		}
		piece.Name, given[lacks[at]] = footageFolder+lacks[at], true
		if why := badPlace(piece.Name); !why.IsZero() {
			wrong = append(wrong, farm.Field(fmt.Sprintf("files[%d].name", i), "%s", why))
		}
		whole += piece.File.Size
		out = append(out, piece)
	}
	switch {
	case len(pieces) == 0:
		wrong = append(wrong, farm.Field("files", "are missing; give at least one"))
	case whole > maxTemplate:
		wrong = append(wrong, farm.Field("files", "are more than %d GiB together", int64(maxTemplate)>>30))
	}
	if len(wrong) > 0 {
		return nil, farm.Invalid("the template cannot be completed", wrong...)
	}
	return out, nil
}

// mostListed is how many names a refusal holds.
const mostListed = 10

func listOf(names []string) string {
	if len(names) > mostListed {
		return strings.Join(names[:mostListed], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// writeCompleted writes what a template has, the entries of an archive as they lie in it, and pieces behind that.
func (c *Catalog) writeCompleted(ctx context.Context, to io.Writer, t farm.Template, pieces []Piece) (err error) {
	if t.FileType() == aep.TypeProject {
		project, err := c.projectPiece(ctx, *t.File)
		if err != nil {
			return err
		}
		return c.writeArchive(ctx, to, append([]Piece{project}, pieces...))
	}
	from, err := c.proofs.OpenBlob(ctx, *t.File)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	before, err := zip.NewReader(files.At{ReadSeeker: from}, t.File.Size)
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
