package templates

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"overcrank/aep"
	"overcrank/coordinator/files"
	"overcrank/coordinator/reader"
	"overcrank/farm"
	"overcrank/raftstore/command"
)

// read reads the file of a template. A project that comes alone to a template which was completed is put together with the files of the version
// before that it asks for, and read again; cmd says so then.
func (r *reading) read(ctx context.Context, t farm.Template, cmd *command.FinishTemplate) (*reader.Result, error) {
	alone, err := r.introspect(ctx, t)
	if err != nil || t.FileType() != aep.TypeProject || !r.catalog.farm.KnowsCompleted() {
		return alone, err
	}
	completed, err := r.catalog.carry(ctx, t, alone.Summary)
	switch {
	case errors.Is(err, files.ErrNotFound), errors.Is(err, files.ErrDamaged), errors.Is(err, zip.ErrFormat):
		r.log.Warn("a project gets no files of the version before, whose archive cannot be read", "template", t.ID, "error", err)
		return alone, nil
	case err != nil || completed == nil:
		return alone, err
	}
	t.File = completed
	whole, err := r.introspect(ctx, t)
	var refusal *aep.Refusal
	if errors.As(err, &refusal) { // together they may be more than a template may hold
		r.log.Warn("a project gets no files of the version before, with which it cannot be read", "template", t.ID, "error", err)
		return alone, nil
	}
	cmd.Completed = completed
	return whole, err
}

// carry puts a project that came alone into an archive with the files that it lacks and that the version before had; nil where there is none.
func (c *Catalog) carry(ctx context.Context, t farm.Template, summary json.RawMessage) (whole *farm.FileRef, err error) {
	if len(t.Versions) == 0 {
		return nil, nil
	}
	before := t.Versions[len(t.Versions)-1]
	if !before.Kept || !strings.HasSuffix(before.File.Name, farm.ArchiveEnding) {
		return nil, nil
	}
	var s aep.Summary
	if err := json.Unmarshal(summary, &s); err != nil {
		return nil, fmt.Errorf("%w: its answer cannot be read: %w", reader.ErrCrash, err)
	}
	lacks := s.MissingFiles()
	if len(lacks) == 0 {
		return nil, nil
	}
	blob, err := c.proofs.OpenBlob(ctx, before.File)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, blob.Close()) }()
	had, err := zip.NewReader(files.At{ReadSeeker: blob}, before.File.Size)
	if err != nil {
		return nil, fmt.Errorf("reading the archive of a template: %w", err)
	}
	carried := entriesOf(had, lacks)
	if len(carried) == 0 {
		return nil, nil
	}
	obj, err := c.keepArchive(ctx, func(to io.Writer) error { return c.writeCarried(ctx, to, *t.File, carried) })
	if err != nil {
		return nil, err
	}
	c.log.Info("a project that came alone gets files of the version before", "template", t.ID, "files", len(carried), "lacking", len(lacks)-len(carried))
	return &farm.FileRef{SHA256: obj.SHA256, Size: obj.Size, Name: archiveName(t)}, nil
}

// entriesOf are the files of an archive that have one of the names, each under the place at which a project finds it by its name.
func entriesOf(had *zip.Reader, lacks []string) []*zip.File {
	byName := map[string]*zip.File{}
	for _, entry := range had.File {
		name := placeKey(path.Base(entry.Name))
		if _, taken := byName[name]; !taken && !entry.FileInfo().IsDir() {
			byName[name] = entry
		}
	}
	var out []*zip.File
	for _, lack := range lacks {
		entry, place := byName[placeKey(lack)], footageFolder+lack
		if entry == nil || !badPlace(place).IsZero() {
			continue
		}
		moved := *entry
		moved.Name = place
		out = append(out, &moved)
	}
	return out
}

// writeCarried writes a project and entries of another archive, as they lie in it.
func (c *Catalog) writeCarried(ctx context.Context, to io.Writer, project farm.FileRef, carried []*zip.File) error {
	piece, err := c.projectPiece(ctx, project)
	if err != nil {
		return err
	}
	archive := zip.NewWriter(to)
	if err := c.writePiece(ctx, archive, piece); err != nil {
		return err
	}
	for _, entry := range carried {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := archive.Copy(entry); err != nil {
			return fmt.Errorf("copying %q of a template: %w", entry.Name, err)
		}
	}
	return archive.Close()
}

// projectPiece is the file of a project under the name that it has in an archive.
func (c *Catalog) projectPiece(ctx context.Context, project farm.FileRef) (Piece, error) {
	head, err := c.headOf(ctx, project)
	if err != nil {
		return Piece{}, err
	}
	name := "project.aepx"
	if head == "RIFX" {
		name = "project.aep"
	}
	return Piece{Name: name, File: farm.StoredFile{FileRef: project}}, nil
}

// archiveName is what the archive is called that a project was completed to.
func archiveName(t farm.Template) string {
	name := files.Part(t.DisplayName)
	if !strings.HasSuffix(name, farm.ArchiveEnding) {
		name += farm.ArchiveEnding
	}
	return name
}
