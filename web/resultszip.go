package web

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"

	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/farm/names"
)

// zipPiece is how much of a result is read at once, in bytes.
const zipPiece = 64 << 10

// resultsZip is a zip of results that is made while it is read, one after the other, without a copy of any. Films and pictures
// are packed already, so they are stored as they are.
type resultsZip struct {
	ctx  context.Context
	open func(ctx context.Context, outputName string) (*files.File, error)
	left []farm.Job
	made bytes.Buffer // what has not been read yet
	zip  *zip.Writer
	file *files.File // that is being packed
	into io.Writer
	buf  []byte
	call names.Files
	lost bytes.Buffer // why results are not in it
	done bool
}

// newResultsZip makes a zip of what open opens until ctx ends.
func newResultsZip(ctx context.Context, open func(ctx context.Context, outputName string) (*files.File, error)) *resultsZip {
	z := &resultsZip{ctx: ctx, open: open, buf: make([]byte, zipPiece)}
	z.zip = zip.NewWriter(&z.made)
	return z
}

// add puts a job's result into the zip; call it before the first Read.
func (z *resultsZip) add(job farm.Job) { z.left = append(z.left, job) }

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
	case z.file != nil:
		return z.pack()
	case len(z.left) > 0:
		job := z.left[0]
		z.left = z.left[1:]
		return z.begin(job)
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
func (z *resultsZip) begin(job farm.Job) error {
	file, err := z.open(z.ctx, job.OutputName)
	if code := farm.CodeOf(err); code == farm.CodeGone || code == farm.CodeNotFound {
		title := job.Name
		if title == "" {
			title = job.ID
		}
		fmt.Fprintf(&z.lost, "%s: %s\r\n", title, err)
		return nil
	}
	if err != nil {
		return err
	}
	z.file = file
	z.into, err = z.zip.CreateHeader(&zip.FileHeader{
		Name: z.call.Name(job.Name, job.ID, path.Ext(job.OutputName)), Method: zip.Store, Modified: job.FinishedAt,
	})
	return err
}

// pack packs the next piece of the open result.
func (z *resultsZip) pack() error {
	n, err := z.file.Read(z.buf)
	if n > 0 {
		if _, err := z.into.Write(z.buf[:n]); err != nil {
			return err
		}
		if err := z.zip.Flush(); err != nil {
			return err
		}
	}
	if errors.Is(err, io.EOF) {
		err = z.file.Close()
		z.file, z.into = nil, nil
	}
	return err
}

// Close implements io.Closer.
func (z *resultsZip) Close() error {
	if z.file == nil {
		return nil
	}
	return z.file.Close()
}
