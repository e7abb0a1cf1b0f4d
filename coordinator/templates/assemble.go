package templates

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"

	"overcrank/aep"
	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/farm/names"
)

// MostAssembled is how many files a template is put together of at most.
const MostAssembled = 10_000

// longestPlace is the length of a file's place within an archive at most, in bytes.
const longestPlace = 1024

// Piece is a stored file and its place within the archive of a template, with slashes.
type Piece struct {
	Name string
	File farm.StoredFile
}

// Assemble registers a template of type zip and puts its archive together of files that the caller's team keeps, so that files that the
// farm has are not sent again. The same pieces give the same archive, byte for byte: machines that have it fetch nothing.
func (c *Catalog) Assemble(ctx context.Context, p farm.Principal, displayName string, pieces []Piece) (farm.Template, error) {
	if err := p.May(farm.ActChangeTemplates); err != nil {
		return farm.Template{}, err
	}
	if err := checkPieces(p, pieces); err != nil {
		return farm.Template{}, err
	}
	obj, err := c.keepArchive(ctx, func(to io.Writer) error { return c.writeArchive(ctx, to, pieces) })
	if err != nil {
		return farm.Template{}, err
	}
	t, err := c.Create(ctx, p, New{Type: aep.TypeZip, DisplayName: displayName})
	if err != nil || t.File != nil {
		return t, err
	}
	return c.receiveAssembled(ctx, t, obj)
}

// checkPieces refuses what no archive may hold. The pieces are the caller's own.
func checkPieces(p farm.Principal, pieces []Piece) error {
	var wrong []farm.FieldError
	say := func(i int, key, format string, args ...any) {
		wrong = append(wrong, farm.Field(fmt.Sprintf("files[%d].%s", i, key), format, args...))
	}
	projects, taken := 0, map[string]int{}
	var whole int64
	for i, piece := range pieces {
		if piece.File.Team != p.Team {
			say(i, "src", "is not a file that your team keeps")
		}
		if why := badPlace(piece.Name); !why.IsZero() {
			say(i, "name", "%s", why)
		}
		key := placeKey(piece.Name)
		if before, twice := taken[key]; twice {
			say(i, "name", "is the place of files[%d] too", before)
		}
		taken[key] = i
		whole += piece.File.Size
		switch strings.ToLower(path.Ext(piece.Name)) {
		case ".aep", ".aet", ".aepx":
			projects++
		}
	}
	for i, piece := range pieces {
		for folder := path.Dir(placeKey(piece.Name)); folder != "." && folder != "/"; folder = path.Dir(folder) {
			if file, is := taken[folder]; is {
				say(i, "name", "has files[%d], which is a file, as a folder", file)
				break
			}
		}
	}
	switch {
	case projects == 0:
		wrong = append(wrong, farm.Field("files", "holds no project (.aep, .aet, .aepx)"))
	case whole > maxTemplate:
		wrong = append(wrong, farm.Field("files", "are more than %d GiB together", int64(maxTemplate)>>30))
	}
	if len(wrong) > 0 {
		return farm.Invalid("the template cannot be put together", wrong...)
	}
	return nil
}

// placeKey is a place as file systems compare them that do not tell capitals apart.
func placeKey(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// badPlace says what is wrong with the place of a file, "" for nothing.
func badPlace(name string) farm.Text {
	if len(name) > longestPlace {
		return farm.Say("is longer than %d bytes", longestPlace)
	}
	for step := range strings.SplitSeq(name, "/") {
		if !names.IsElement(step) {
			return farm.Say("has a step %.100q, which not every system can have as a file's name", step)
		}
	}
	return farm.Text{}
}

// keepArchive keeps what write makes.
func (c *Catalog) keepArchive(ctx context.Context, write func(to io.Writer) error) (files.Object, error) {
	in, out := io.Pipe()
	written := make(chan error, 1)
	go func() {
		err := write(out)
		out.CloseWithError(err)
		written <- err
	}()
	obj, err := c.files.PutBlob(ctx, in, files.Limits{Size: -1, Max: 2 * maxTemplate})
	in.CloseWithError(errors.New("the archive is no longer wanted")) // ends the writer where the store gave up
	var gone *farm.Error                                             // as of a piece that is no longer kept
	if wrong := <-written; errors.As(wrong, &gone) {
		return files.Object{}, wrong
	}
	if err != nil {
		return files.Object{}, files.ReceiveError("template", err)
	}
	return obj, nil
}

// writeArchive writes pieces as they are: footage is packed already. No time of day goes into the archive.
func (c *Catalog) writeArchive(ctx context.Context, to io.Writer, pieces []Piece) error {
	archive := zip.NewWriter(to)
	for _, piece := range pieces {
		if err := c.writePiece(ctx, archive, piece); err != nil {
			return err
		}
	}
	return archive.Close()
}

func (c *Catalog) writePiece(ctx context.Context, archive *zip.Writer, piece Piece) (err error) {
	from, err := c.proofs.OpenBlob(ctx, piece.File.FileRef)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := archive.CreateHeader(&zip.FileHeader{Name: piece.Name, Method: zip.Store})
	if err != nil {
		return fmt.Errorf("putting %q into a template: %w", piece.Name, err)
	}
	if _, err := io.Copy(to, from); err != nil {
		return fmt.Errorf("putting %q into a template: %w", piece.Name, err)
	}
	return ctx.Err()
}
