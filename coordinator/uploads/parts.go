package uploads

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"time"

	"overcrank/coordinator/files"
	"overcrank/farm"
)

// errGone says that parts were deleted while they were needed.
var errGone = farm.Errorf(farm.CodeNotFound, "the upload was cancelled, or expired; begin it again")

// partKey is the key of a part of a team's upload.
func partKey(team, id string, number int) string {
	return folder(team) + "/" + id + "/" + fmt.Sprintf("%05d", number)
}

// Put takes a part of an upload, by its number from 0. A part that breaks off leaves nothing; one that comes again replaces itself. size is -1 when
// not known.
func (u *Uploads) Put(ctx context.Context, p farm.Principal, id string, number int, body io.Reader, size int64) error {
	if err := p.May(farm.ActSubmit); err != nil {
		return err
	}
	a, err := u.about(ctx, p, id)
	if err != nil {
		return err
	}
	up := newUpload(id, a)
	if number < 0 || number >= up.Parts() {
		return farm.Invalid("the upload has no such part", farm.Field("part", "has to be below %s", strconv.Itoa(up.Parts())))
	}
	if a.SHA256 != "" {
		return nil // the file is whole, and this part came twice
	}
	want := up.partBytes(number)
	if size >= 0 && size != want {
		return farm.Invalid("the part is not as large as it has to be", farm.Field("part", "has %d bytes, not %d", size, want))
	}
	if _, err := u.files.Put(ctx, partKey(p.Team, id, number), body, files.Limits{Size: want, Max: want}); err != nil {
		return files.ReceiveError("part", err)
	}
	return nil
}

// Finish makes a file of its parts, which the farm then keeps as one of the team's. hash is its SHA-256 in lower-case hex, "" when the caller does not
// know it. Asked again, it gives the same file. CodeConflict while parts are missing.
func (u *Uploads) Finish(ctx context.Context, p farm.Principal, id, hash string) (farm.StoredFile, error) {
	if err := p.May(farm.ActSubmit); err != nil {
		return farm.StoredFile{}, err
	}
	a, err := u.about(ctx, p, id)
	if err != nil {
		return farm.StoredFile{}, err
	}
	if hash != "" && !farm.IsSHA256(hash) {
		return farm.StoredFile{}, farm.Invalid("the upload cannot be finished", farm.Field("sha256", "has to be 64 hexadecimal digits"))
	}
	if a.SHA256 != "" {
		return u.finished(ctx, p, id, a)
	}
	up, err := u.look(ctx, id, a)
	if err != nil {
		return farm.StoredFile{}, err
	}
	if len(up.Missing) > 0 {
		return farm.StoredFile{}, farm.Errorf(farm.CodeConflict, "%d of %d parts have not arrived; send them, and finish then", len(up.Missing), up.Parts())
	}
	whole := &joined{ctx: ctx, uploads: u, team: p.Team, up: up, want: hash, sum: sha256.New()}
	stored, err := u.stored.Put(ctx, p, a.Name, whole, a.Size)
	if closed := whole.close(); closed != nil {
		err = errors.Join(err, closed)
	}
	if whole.failed != nil {
		err = whole.failed
	}
	if err != nil {
		return farm.StoredFile{}, err
	}
	a.SHA256 = stored.SHA256
	return stored, u.tidy(ctx, id, a, up.Parts())
}

// tidy writes down what became of an upload, for whoever asks again, and deletes its parts.
func (u *Uploads) tidy(ctx context.Context, id string, a about, parts int) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropWithin)
	defer cancel()
	if err := u.note(ctx, id, a); err != nil {
		return err
	}
	for number := range parts {
		if err := u.files.Delete(ctx, partKey(a.Team, id, number)); err != nil {
			return fmt.Errorf("deleting the parts of an upload: %w", err)
		}
	}
	return nil
}

// finished gives the file of an upload that was finished before.
func (u *Uploads) finished(ctx context.Context, p farm.Principal, id string, a about) (farm.StoredFile, error) {
	kept, err := u.stored.Kept(ctx, p, []farm.FileRef{{SHA256: a.SHA256}})
	if err != nil {
		return farm.StoredFile{}, err
	}
	if stored, there := kept[a.SHA256]; there {
		return stored, nil
	}
	if err := u.drop(ctx, folder(p.Team)+"/"+id); err != nil { // it can be begun again
		return farm.StoredFile{}, err
	}
	return farm.StoredFile{}, errGone
}

// joined reads the parts of an upload one after the other.
type joined struct {
	ctx     context.Context
	uploads *Uploads
	team    string
	up      Upload
	want    string // the hash that the whole has to have; "" for any
	sum     hash.Hash
	next    int // part
	open    *files.Reader
	failed  error // what is wrong with the parts, for their sender
}

// Read implements io.Reader.
func (j *joined) Read(p []byte) (int, error) {
	for {
		if j.open == nil {
			if j.next == j.up.Parts() {
				return 0, j.end()
			}
			if err := j.openNext(); err != nil {
				return 0, err
			}
		}
		n, err := j.open.Read(p)
		j.sum.Write(p[:n])
		if errors.Is(err, io.EOF) {
			err = j.close()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

func (j *joined) openNext() error {
	r, err := j.uploads.files.Open(j.ctx, partKey(j.team, j.up.ID, j.next))
	if errors.Is(err, files.ErrNotFound) {
		j.failed = errGone
		return errGone
	}
	if err != nil {
		return fmt.Errorf("reading a part of an upload: %w", err)
	}
	j.open, j.next = r, j.next+1
	return nil
}

// end tells whether the whole is what was announced.
func (j *joined) end() error {
	if j.want == "" || hex.EncodeToString(j.sum.Sum(nil)) == j.want {
		return io.EOF
	}
	j.failed = farm.Errorf(farm.CodeConflict, "the file that arrived is not the one that was announced: its SHA-256 is %x. Cancel the upload, and begin it again", j.sum.Sum(nil))
	return j.failed
}

func (j *joined) close() error {
	if j.open == nil {
		return nil
	}
	err := j.open.Close()
	j.open = nil
	return err
}

// Sweep deletes uploads of which nothing has arrived for a day, by the machine's own time.
func (u *Uploads) Sweep(ctx context.Context) error {
	teams, err := u.below(ctx, files.Uploads)
	if err != nil {
		return err
	}
	for _, team := range teams {
		ids, err := u.below(ctx, team)
		if err != nil {
			return err
		}
		for _, key := range ids {
			if err := u.sweep(ctx, key, time.Now().Add(-keptIdle)); err != nil {
				return err
			}
		}
	}
	return nil
}

// sweep deletes one upload unless something of it has arrived since before.
func (u *Uploads) sweep(ctx context.Context, key string, before time.Time) error {
	fresh := false
	err := u.files.List(ctx, key, func(o files.Object) error {
		fresh = fresh || !o.Modified.Before(before)
		return nil
	})
	if err != nil {
		return fmt.Errorf("looking for what has arrived of an upload: %w", err)
	}
	if fresh {
		return nil
	}
	return u.drop(ctx, key)
}
