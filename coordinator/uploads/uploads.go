// Package uploads takes large files in parts, so that an upload goes on where it stopped: after a lost connection, at another coordinator, or
// when the same file is chosen again. Parts lie with the farm's files and are known by their keys alone: nothing of an upload is in the
// replicated state before the file is whole.
package uploads

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"overcrank/coordinator/files"
	"overcrank/coordinator/library"
	"overcrank/farm"
)

const (
	// MaxSize is how large a file may be, in bytes.
	MaxSize = 20 << 30
	// MaxName is how long the name of a file and the key of an upload may be, in bytes.
	MaxName = 255
	// MostOfTeam is how many uploads a team may have at once.
	MostOfTeam = 32

	// MaxPart is how large a part may be, in bytes.
	MaxPart = 21 << 20

	partSize     = 8 << 20          // bytes of a part, of all but the largest files
	mostParts    = 1000             // of one file; larger files have larger parts
	mostBytes    = 64 << 30         // announced by all uploads of a team
	unwantedFrom = time.Hour        // after which an upload that stands still makes room for a new one
	keptIdle     = 24 * time.Hour   // after which one that stands still is deleted
	aboutName    = "about"          // of the record of an upload, beside its parts
	maxAbout     = 4 << 10          // bytes
	dropWithin   = 30 * time.Second // for deleting what is not needed any more
)

// Upload is a file on its way.
type Upload struct {
	ID       string
	Name     string // of the file
	Size     int64  // bytes
	PartSize int64  // bytes of each part but the last one
	// Missing are the numbers of the parts that have not arrived, from 0.
	Missing []int
	// Arrived is how many bytes have.
	Arrived int64
	// ExpiresAt is when what arrived is deleted, unless more arrives before.
	ExpiresAt time.Time
	// SHA256 is the hash of the file once the farm keeps it, "" before.
	SHA256 string
}

// newUpload is an upload of which nothing has arrived.
func newUpload(id string, a about) Upload {
	return Upload{ID: id, Name: a.Name, Size: a.Size, PartSize: max(partSize, (a.Size+mostParts-1)/mostParts), SHA256: a.SHA256}
}

// Parts is how many parts an upload has.
func (u Upload) Parts() int { return int((u.Size + u.PartSize - 1) / u.PartSize) }

// partBytes is how large a part is.
func (u Upload) partBytes(number int) int64 {
	return min(u.PartSize, u.Size-int64(number)*u.PartSize)
}

// about is what the farm writes down of an upload.
type about struct {
	Team   string `json:"team"`
	By     string `json:"by"` // the token of whoever sends
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256,omitempty"` // once the file is kept
}

// Uploads are the files of all teams that are on their way. Its methods may be called at the same time, also at several coordinators.
type Uploads struct {
	files  files.Store
	stored *library.StoredFiles
}

// New gives the uploads in a store, which become stored files.
func New(store files.Store, stored *library.StoredFiles) *Uploads {
	return &Uploads{files: store, stored: stored}
}

// Begin announces a file. The same caller with the same key, name and size goes on with what was begun before; key is "" for an upload that
// nobody goes on with. CodeConflict when the team has too many uploads.
func (u *Uploads) Begin(ctx context.Context, p farm.Principal, key, name string, size int64) (Upload, error) {
	if err := p.May(farm.ActSubmit); err != nil {
		return Upload{}, err
	}
	if err := checkAnnounced(key, name, size); err != nil {
		return Upload{}, err
	}
	if key == "" {
		key = rand.Text()
	}
	id := idOf(p, key, name, size)
	begun, err := u.Get(ctx, p, id)
	if code := farm.CodeOf(err); err == nil || code != farm.CodeNotFound {
		return begun, err
	}
	if err := u.makeRoom(ctx, p, size); err != nil {
		return Upload{}, err
	}
	if err := u.note(ctx, id, about{Team: p.Team, By: p.TokenID, Name: name, Size: size}); err != nil {
		return Upload{}, err
	}
	return u.Get(ctx, p, id)
}

func checkAnnounced(key, name string, size int64) error {
	var wrong []farm.FieldError
	if name == "" || len(name) > MaxName {
		wrong = append(wrong, farm.Field("name", "has to be the file's name, of up to %d bytes", MaxName))
	}
	if len(key) > MaxName {
		wrong = append(wrong, farm.Field("key", "is longer than %d bytes", MaxName))
	}
	if size < 1 {
		wrong = append(wrong, farm.Field("size", "has to be the file's size in bytes; the farm takes no empty files"))
	}
	if len(wrong) > 0 {
		return farm.Invalid("the file cannot be uploaded", wrong...)
	}
	if size > MaxSize {
		return farm.Errorf(farm.CodeTooLarge, "the file is larger than 20 GiB, which is as large as a file may be")
	}
	return nil
}

// idAlphabet is that of all ids of the farm.
var idAlphabet = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// idOf is the id of an upload: whoever begins the same one again finds it.
func idOf(p farm.Principal, key, name string, size int64) string {
	text, _ := json.Marshal([]string{p.Team, p.TokenID, key, name, strconv.FormatInt(size, 10)}) // strings cannot fail
	sum := sha256.Sum256(text)
	return idAlphabet.EncodeToString(sum[:17])[:26]
}

// Get gives an upload of the caller's team, with what has arrived; CodeNotFound when there is none, or it has expired.
func (u *Uploads) Get(ctx context.Context, p farm.Principal, id string) (Upload, error) {
	if err := p.May(farm.ActSubmit); err != nil {
		return Upload{}, err
	}
	a, err := u.about(ctx, p, id)
	if err != nil {
		return Upload{}, err
	}
	return u.look(ctx, id, a)
}

func (u *Uploads) about(ctx context.Context, p farm.Principal, id string) (about, error) {
	none := farm.Errorf(farm.CodeNotFound, "there is no upload %q; it was cancelled, or nothing arrived for a day. Begin it again", id)
	key := folder(p.Team) + "/" + id + "/" + aboutName
	if files.Check(key) != nil {
		return about{}, none
	}
	text, err := files.ReadAll(ctx, u.files, key)
	if errors.Is(err, files.ErrNotFound) {
		return about{}, none
	}
	if err != nil {
		return about{}, fmt.Errorf("looking for an upload: %w", err)
	}
	var a about
	if err := json.Unmarshal(text, &a); err != nil {
		return about{}, fmt.Errorf("reading what is known of the upload %s: %w", id, err)
	}
	if a.Team != p.Team {
		return about{}, none
	}
	return a, nil
}

func (u *Uploads) note(ctx context.Context, id string, a about) error {
	text, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("writing down an upload: %w", err)
	}
	_, err = u.files.Put(ctx, folder(a.Team)+"/"+id+"/"+aboutName, strings.NewReader(string(text)), files.Limits{Size: int64(len(text)), Max: maxAbout})
	if err != nil {
		return files.ReceiveError("file", err)
	}
	return nil
}

// look sees what of an upload has arrived.
func (u *Uploads) look(ctx context.Context, id string, a about) (Upload, error) {
	up := newUpload(id, a)
	if a.SHA256 != "" {
		up.Arrived = a.Size
	}
	there := make([]bool, up.Parts())
	last := time.Time{}
	err := u.files.List(ctx, folder(a.Team)+"/"+id, func(o files.Object) error {
		if o.Modified.After(last) {
			last = o.Modified
		}
		number, err := strconv.Atoi(o.Key[strings.LastIndexByte(o.Key, '/')+1:])
		if err == nil && number >= 0 && number < len(there) && o.Size == up.partBytes(number) && a.SHA256 == "" {
			there[number] = true
			up.Arrived += o.Size
		}
		return nil
	})
	if err != nil {
		return Upload{}, fmt.Errorf("looking for what has arrived of an upload: %w", err)
	}
	up.ExpiresAt = last.Add(keptIdle)
	for number, is := range there {
		if !is && a.SHA256 == "" {
			up.Missing = append(up.Missing, number)
		}
	}
	return up, nil
}

// Cancel deletes what has arrived of an upload.
func (u *Uploads) Cancel(ctx context.Context, p farm.Principal, id string) error {
	if err := p.May(farm.ActSubmit); err != nil {
		return err
	}
	if _, err := u.about(ctx, p, id); err != nil {
		return err
	}
	return u.drop(ctx, folder(p.Team)+"/"+id)
}

// drop deletes an upload with its parts.
func (u *Uploads) drop(ctx context.Context, key string) error {
	if err := u.files.DeleteBelow(ctx, key); err != nil {
		return fmt.Errorf("deleting an upload: %w", err)
	}
	return nil
}

// folder is the key below which a team's uploads lie.
func folder(team string) string { return files.Uploads + "/" + files.Part(team) }

// makeRoom refuses an upload that would be one too many of its team. One that is finished, or has stood still for long, makes room.
func (u *Uploads) makeRoom(ctx context.Context, p farm.Principal, size int64) error {
	ids, err := u.below(ctx, folder(p.Team))
	if err != nil {
		return err
	}
	count, bytes := 0, size
	for _, key := range ids {
		up, err := u.Get(ctx, p, key[strings.LastIndexByte(key, '/')+1:])
		switch code := farm.CodeOf(err); {
		case err == nil && (up.SHA256 != "" || time.Until(up.ExpiresAt) < keptIdle-unwantedFrom):
			if err := u.drop(ctx, key); err != nil {
				return err
			}
		case err == nil:
			count++
			bytes += up.Size
		case code != farm.CodeNotFound:
			return err
		}
	}
	if count >= MostOfTeam || bytes > mostBytes {
		return farm.Errorf(farm.CodeConflict, "the team has %d uploads that are not finished, which is as much as the farm keeps; finish or cancel some, or wait an hour", count)
	}
	return nil
}

// below are the folders directly below a key.
func (u *Uploads) below(ctx context.Context, key string) (list []string, err error) {
	err = u.files.List(ctx, key, func(o files.Object) error {
		if name, is := strings.CutSuffix(o.Key, "/"); is {
			list = append(list, name)
		}
		return nil
	})
	if err != nil && !errors.Is(err, files.ErrNotFound) {
		return nil, fmt.Errorf("listing uploads: %w", err)
	}
	slices.Sort(list)
	return list, nil
}
