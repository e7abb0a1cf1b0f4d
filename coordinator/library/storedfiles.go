package library

import (
	"context"
	"io"
	"time"

	"overcrank/coordinator/files"
	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

const (
	// maxStored is how large a caller's own file may be, in bytes.
	maxStored = 20 << 30
	// privateFileLife is how long a private job's file is kept for the job to be accepted, and for others that came to use it.
	privateFileLife = time.Hour
)

// StoredFiles are files that callers keep at the farm to use them as a src. Its methods may be called at the same time.
type StoredFiles struct {
	state   *state.State
	files   files.Store
	members Members
	life    time.Duration // of a file after its last use
}

// NewStoredFiles gives the stored files of a state, which are in a store.
func NewStoredFiles(s *state.State, store files.Store, members Members, life time.Duration) *StoredFiles {
	return &StoredFiles{state: s, files: store, members: members, life: life}
}

// Put keeps a caller's own file. size is -1 when not known.
func (f *StoredFiles) Put(ctx context.Context, p farm.Principal, name string, body io.Reader, size int64) (farm.StoredFile, error) {
	return f.PutFor(ctx, p, "", name, body, size)
}

// PutFor keeps a file for a private job, with which it goes, or, when job is "", for whoever uses it. A file that is kept for others
// already stays theirs.
func (f *StoredFiles) PutFor(ctx context.Context, p farm.Principal, job, name string, body io.Reader, size int64) (farm.StoredFile, error) {
	if err := p.May(farm.ActSubmit); err != nil {
		return farm.StoredFile{}, err
	}
	obj, err := f.files.PutBlob(ctx, body, files.Limits{Size: size, Max: maxStored})
	if err != nil {
		return farm.StoredFile{}, files.ReceiveError("file", err)
	}
	if err := f.members.StillIn(ctx, p); err != nil {
		return farm.StoredFile{}, err
	}
	if ids, before, err := state.Made(ctx); err != nil {
		return farm.StoredFile{}, err
	} else if before {
		return f.get(p.Team, ids[0])
	}
	now := f.state.Now()
	stored := farm.StoredFile{
		FileRef: farm.FileRef{SHA256: obj.SHA256, Size: obj.Size, Name: files.Part(name)},
		Team:    p.Team, CreatedAt: now, ExpiresAt: now.Add(f.life), Job: job,
	}
	if job != "" {
		if have, err := f.get(p.Team, obj.SHA256); err == nil && have.Job == "" {
			return have, nil
		}
		stored.ExpiresAt = now.Add(privateFileLife)
	}
	if _, err := f.state.Apply(ctx, command.PutFile{File: stored}); err != nil {
		return farm.StoredFile{}, err
	}
	return stored, nil
}

// knownFor is how long a file is kept at least for Known to name it: who learns of it here submits with it soon.
const knownFor = time.Hour

// Known tells, file for file, which of some files the caller's team keeps already; it is zero for one that has to be handed over. A file of
// another size, one that is about to expire and one of a private job are not known.
func (f *StoredFiles) Known(ctx context.Context, p farm.Principal, wanted []farm.FileRef) ([]farm.StoredFile, error) {
	kept, err := f.Kept(ctx, p, wanted)
	if err != nil {
		return nil, err
	}
	known, until := make([]farm.StoredFile, len(wanted)), f.state.Now().Add(knownFor)
	for i, ref := range wanted {
		if stored, there := kept[ref.SHA256]; there && stored.Size == ref.Size && stored.ExpiresAt.After(until) {
			known[i] = stored
		}
	}
	return known, nil
}

// Kept gives those of some files that the caller's team keeps, by their hashes; their sizes are not looked at. A private job's file is
// the job's alone.
func (f *StoredFiles) Kept(_ context.Context, p farm.Principal, wanted []farm.FileRef) (map[string]farm.StoredFile, error) {
	if err := p.May(farm.ActSubmit); err != nil {
		return nil, err
	}
	kept := map[string]farm.StoredFile{}
	err := f.state.View(func(tx *raftstore.Tx) error {
		for _, ref := range wanted {
			stored, err := tx.File(p.Team, ref.SHA256)
			if farm.CodeOf(err) == farm.CodeNotFound {
				continue
			}
			if err != nil {
				return err
			}
			if stored.Job == "" {
				kept[ref.SHA256] = stored
			}
		}
		return nil
	})
	return kept, err
}

func (f *StoredFiles) get(team, sha256 string) (stored farm.StoredFile, err error) {
	err = f.state.View(func(tx *raftstore.Tx) error {
		stored, err = tx.File(team, sha256)
		return err
	})
	return stored, err
}
