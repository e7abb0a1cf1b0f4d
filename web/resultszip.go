package web

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/farm/names"
)

// zipPiece is how much of a result is read at once, in bytes.
const zipPiece = 64 << 10

// resultsZip is a zip of results that is made while it is read, one after the other, without a copy of any. Films and pictures
// are packed already, so they are stored as they are; the pictures of a sequence get a folder of their own.
type resultsZip struct {
	ctx  context.Context
	open func(ctx context.Context, outputName string) (*files.File, error)
	left []packed
	made bytes.Buffer // what has not been read yet
	zip  *zip.Writer
	file *files.File   // that is being packed
	over []*files.File // of pictures that stand in the place of some of it
	from io.Reader     // what is left of it, or of the picture of a sequence that is being packed; nil between these
	into io.Writer
	rest []*zip.File // pictures of the sequence that come next
	home string      // the folder of the sequence
	buf  []byte
	call names.Files
	lost bytes.Buffer // why results are not in it
	done bool
}

// packed is a job whose result goes into a zip, and what it is called there. The pictures of later jobs stand in the place of those of a sequence that
// have the same number.
type packed struct {
	job   farm.Job
	name  string
	later []farm.Job
}

// newResultsZip makes a zip of what open opens until ctx ends.
func newResultsZip(ctx context.Context, open func(ctx context.Context, outputName string) (*files.File, error)) *resultsZip {
	z := &resultsZip{ctx: ctx, open: open, buf: make([]byte, zipPiece)}
	z.zip = zip.NewWriter(&z.made)
	return z
}

// add puts a job's result into the zip under a name, to which the extension comes; call it before the first Read.
func (z *resultsZip) add(job farm.Job, name string) {
	z.left = append(z.left, packed{job: job, name: name})
}

// Read implements io.Reader.
func (z *resultsZip) Read(p []byte) (int, error) {
	for z.made.Len() == 0 {
		if z.done {
			return 0, io.EOF
		}
		if err := z.step(); err != nil {
			return 0, err
		}
	}
	return z.made.Read(p)
}

// step packs a piece of a result, or begins the next.
func (z *resultsZip) step() error {
	if err := z.ctx.Err(); err != nil {
		return fmt.Errorf("packing results: %w", err)
	}
	switch {
	case z.from != nil:
		return z.pack()
	case len(z.rest) > 0:
		picture := z.rest[0]
		z.rest = z.rest[1:]
		return z.beginPicture(picture)
	case z.file != nil:
		return z.Close()
	case len(z.left) > 0:
		next := z.left[0]
		z.left = z.left[1:]
		return z.begin(next)
	case z.lost.Len() > 0:
		w, err := z.zip.Create(z.call.Name("not in here", "", ".txt"))
		if err == nil {
			_, err = z.lost.WriteTo(w)
		}
		return err
	}
	z.done = true
	return z.zip.Close()
}

// begin opens the result of a job. One that the farm does not have is noted.
func (z *resultsZip) begin(next packed) error {
	job := next.job
	file, err := z.open(z.ctx, job.OutputName)
	if code := farm.CodeOf(err); code == farm.CodeGone || code == farm.CodeNotFound {
		fmt.Fprintf(&z.lost, "%s: %s\r\n", cmp.Or(next.name, job.ID), err)
		return nil
	}
	if err != nil {
		return err
	}
	z.file = file
	if job.Sequence() {
		return z.beginSequence(next)
	}
	z.from = file
	z.into, err = z.zip.CreateHeader(&zip.FileHeader{
		Name: z.call.Name(next.name, job.ID, path.Ext(job.OutputName)), Method: zip.Store, Modified: job.FinishedAt,
	})
	return err
}

// beginSequence lists the pictures of a sequence.
func (z *resultsZip) beginSequence(next packed) error {
	var err error
	if z.rest, err = picturesIn(z.file, next.job); err != nil {
		return err
	}
	for _, job := range next.later {
		file, err := z.open(z.ctx, job.OutputName)
		if err != nil {
			return fmt.Errorf("the frames of job %s in the place of earlier ones: %w", job.ID, err)
		}
		z.over = append(z.over, file)
		pictures, err := picturesIn(file, job)
		if err != nil {
			return err
		}
		z.rest = replaced(z.rest, pictures)
	}
	z.home = z.call.Name(next.name, next.job.ID, "")
	return nil
}

// picturesIn are the pictures of a sequence in its file.
func picturesIn(file *files.File, job farm.Job) ([]*zip.File, error) {
	archive, err := zip.NewReader(files.At{ReadSeeker: file}, file.Size)
	if err != nil {
		return nil, fmt.Errorf("reading the sequence of job %s: %w", job.ID, err)
	}
	return slices.DeleteFunc(archive.File, func(f *zip.File) bool { return strings.HasSuffix(f.Name, "/") }), nil
}

// replaced are pictures with later ones in the place of those of the same name.
func replaced(pictures, later []*zip.File) []*zip.File {
	names := make(map[string]*zip.File, len(later))
	for _, f := range later {
		names[f.Name] = f
	}
	for i, f := range pictures {
		pictures[i] = cmp.Or(names[f.Name], f)
	}
	return pictures
}

// stillName begins the names of the pictures of a sequence as agents pack them; the number of the frame follows.
const stillName = "frame_"

// beginPicture begins a picture of a sequence. It keeps its number, and is called as its folder is.
func (z *resultsZip) beginPicture(picture *zip.File) (err error) {
	header := picture.FileHeader
	number, _ := strings.CutPrefix(names.Element(picture.Name, "frame"), stillName)
	header.Name = z.home + "/" + z.home + "_" + number
	header.Extra = nil
	if z.from, err = picture.OpenRaw(); err == nil {
		z.into, err = z.zip.CreateRaw(&header)
	}
	if err != nil {
		return fmt.Errorf("packing %s: %w", picture.Name, err)
	}
	return nil
}

// pack packs the next piece of the open result.
func (z *resultsZip) pack() error {
	n, err := z.from.Read(z.buf)
	if n > 0 {
		if _, err := z.into.Write(z.buf[:n]); err != nil {
			return err
		}
		if err := z.zip.Flush(); err != nil {
			return err
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
		z.from, z.into = nil, nil
	}
	return err
}

// Close implements io.Closer.
func (z *resultsZip) Close() error {
	if z.file == nil {
		return nil
	}
	err := z.file.Close()
	for _, file := range z.over {
		err = errors.Join(err, file.Close())
	}
	z.file, z.over = nil, nil
	return err
}
