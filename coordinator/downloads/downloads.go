// Package downloads keeps the files that a farm hands out: packages that people install machines with, and the ffmpeg that machines fetch.
package downloads

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"overcrank/coordinator/files"
	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// MaxFile is how large a download may be, in bytes.
const MaxFile = 512 << 20

// Downloads are the files that a farm hands out. It is safe for concurrent use.
type Downloads struct {
	state  *state.State
	files  files.Store
	proofs *files.Proofs
	log    *slog.Logger
}

// New returns the downloads of a state, whose files are in a store.
func New(s *state.State, store files.Store, proofs *files.Proofs, log *slog.Logger) *Downloads {
	return &Downloads{state: s, files: store, proofs: proofs, log: log}
}

// Receive stores a file that Add adds afterwards. A file that is never added is deleted after a while. The error has CodeInvalid when the content does not
// have the hash sha256.
func (d *Downloads) Receive(ctx context.Context, p farm.Principal, sha256 string, body io.Reader, size int64) (farm.FileRef, error) {
	if err := p.May(farm.ActKeepDownloads); err != nil {
		return farm.FileRef{}, err
	}
	obj, err := d.files.PutBlob(ctx, body, files.Limits{Size: size, Max: MaxFile, SHA256: sha256})
	if errors.Is(err, files.ErrContent) {
		return farm.FileRef{}, farm.Errorf(farm.CodeInvalid, "the file does not have the SHA-256 %s: send it again", sha256)
	}
	if err != nil {
		return farm.FileRef{}, files.ReceiveError("file", err)
	}
	return farm.FileRef{SHA256: obj.SHA256, Size: obj.Size}, nil
}

// Add hands a received file out from now on, in the place of one of the same version for the same machines. Of made.File it takes hash and name. The error
// has CodeConflict when the file was not received.
func (d *Downloads) Add(ctx context.Context, p farm.Principal, made farm.Download) (farm.Download, error) {
	if err := p.May(farm.ActKeepDownloads); err != nil {
		return farm.Download{}, err
	}
	return d.add(ctx, made, p.Name)
}

func (d *Downloads) add(ctx context.Context, made farm.Download, by string) (farm.Download, error) {
	key, err := files.BlobKey(made.File.SHA256)
	if err != nil {
		return farm.Download{}, farm.Invalid("the download is not valid", farm.Field("sha256", "has to be the file's SHA-256, 64 hexadecimal digits in lower case"))
	}
	obj, err := d.files.Stat(ctx, key)
	if errors.Is(err, files.ErrNotFound) {
		return farm.Download{}, farm.Errorf(farm.CodeConflict, "the farm does not have the file %s: send it first", made.File.SHA256)
	}
	if err != nil {
		return farm.Download{}, fmt.Errorf("looking for a file to hand out: %w", err)
	}
	if made.Kind == farm.DownloadPackage {
		if made, err = d.readPackage(ctx, key, obj.Size, made); err != nil {
			return farm.Download{}, err
		}
	}
	made.File.Size, made.AddedAt, made.AddedBy = obj.Size, d.state.Now(), by
	if wrong := made.Problems(); len(wrong) > 0 {
		return farm.Download{}, farm.Invalid("the download is not valid", wrong...)
	}
	if _, err := d.state.Apply(ctx, command.PutDownload{Download: made}); err != nil {
		return farm.Download{}, err
	}
	d.log.Info("the farm hands out a file", "name", made.File.Name, "kind", made.Kind, "version", made.Version, "by", by)
	return made, nil
}

// readPackage fills in what a package says of itself. The error has CodeInvalid when the file is no package of the agent, or another one than was said.
func (d *Downloads) readPackage(ctx context.Context, key string, size int64, made farm.Download) (farm.Download, error) {
	path, done, err := d.files.Path(ctx, key)
	if err != nil {
		return made, fmt.Errorf("reading a package: %w", err)
	}
	defer done()
	file, err := os.Open(path)
	if err != nil {
		return made, fmt.Errorf("reading a package: %w", err)
	}
	defer func() { _ = file.Close() }() // only read
	said, err := ReadPackage(file, size)
	var why refused
	if errors.As(err, &why) {
		return made, farm.Errorf(farm.CodeInvalid, "%.200q %s", made.File.Name, why.why).With(farm.Field("sha256", "%s", why.why))
	}
	if err != nil {
		return made, err
	}
	for name, pair := range map[string][2]string{"system": {made.System, said.System}, "arch": {made.Arch, said.Arch}, "format": {made.Format, said.Format}, "version": {made.Version, said.Version}} {
		if pair[0] != "" && pair[0] != pair[1] {
			return made, farm.Invalid("the package does not match the request", farm.Field(name, "is %q in the package; leave it out", pair[1]))
		}
	}
	said.File = made.File
	return said, nil
}

// List lists what the farm hands out, by kind, system and format, the latest first.
func (d *Downloads) List(_ context.Context, _ farm.Principal) (list []farm.Download, err error) {
	err = d.state.View(func(tx *raftstore.Tx) (err error) {
		list, err = tx.Downloads()
		return err
	})
	farm.SortDownloads(list)
	return list, err
}

// Get returns the download with a hash; the error has CodeNotFound when there is none.
func (d *Downloads) Get(_ context.Context, _ farm.Principal, sha256 string) (made farm.Download, err error) {
	err = d.state.View(func(tx *raftstore.Tx) (err error) {
		made, err = tx.Download(sha256)
		return err
	})
	return made, err
}

// Open opens the download with a hash. Its name is that under which it was added.
func (d *Downloads) Open(ctx context.Context, p farm.Principal, sha256 string) (*files.File, error) {
	made, err := d.Get(ctx, p, sha256)
	if err != nil {
		return nil, err
	}
	return d.proofs.OpenBlob(ctx, made.File)
}

// Remove no longer hands out the file with a hash. One that lies in a coordinator's folder of packages stays there, and is handed out again when
// somebody adds it.
func (d *Downloads) Remove(ctx context.Context, p farm.Principal, sha256 string) error {
	if err := p.May(farm.ActKeepDownloads); err != nil {
		return err
	}
	_, err := d.state.Apply(ctx, command.RemoveDownload{SHA256: sha256, At: d.state.Now()})
	if err == nil {
		d.log.Info("the farm no longer hands out a file", "sha256", sha256, "by", p.Name)
	}
	return err
}
