package coordinator

import (
	"context"
	"errors"
	"io"
	"time"

	"overcrank/coordinator/files"
	"overcrank/coordinator/peers"
	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// maxStored is how large a caller's own file may be, in bytes.
const maxStored = 20 << 30

// privateFileLife is how long a private job's file is kept for the job to be accepted, and for others that came to use it.
const privateFileLife = time.Hour

// PutFile keeps a caller's own file, to be used as a src. size is -1 when not known.
func (c *Coordinator) PutFile(ctx context.Context, p farm.Principal, name string, body io.Reader, size int64) (farm.StoredFile, error) {
	if err := p.May(farm.ActSubmit); err != nil {
		return farm.StoredFile{}, err
	}
	return c.putFile(ctx, p, name, body, size, "")
}

// putFile keeps a file, for a private job or, when job is "", for whoever uses it. A file that is kept for others already
// stays theirs.
func (c *Coordinator) putFile(ctx context.Context, p farm.Principal, name string, body io.Reader, size int64, job string) (farm.StoredFile, error) {
	obj, err := c.files.PutBlob(ctx, body, files.Limits{Size: size, Max: maxStored})
	if err != nil {
		return farm.StoredFile{}, files.ReceiveError("file", err)
	}
	if err := c.StillIn(ctx, p); err != nil {
		return farm.StoredFile{}, err
	}
	if ids, before, err := state.Made(ctx); err != nil {
		return farm.StoredFile{}, err
	} else if before {
		return c.storedFile(p, ids[0])
	}
	now := c.cfg.Now()
	stored := farm.StoredFile{
		FileRef: farm.FileRef{SHA256: obj.SHA256, Size: obj.Size, Name: files.Part(name)},
		Team:    p.Team, CreatedAt: now, ExpiresAt: now.Add(c.cfg.FileLife), Job: job,
	}
	if job != "" {
		var have farm.StoredFile
		err := c.store.View(func(tx *raftstore.Tx) (err error) {
			have, err = tx.File(p.Team, obj.SHA256)
			return err
		})
		if err == nil && have.Job == "" {
			return have, nil
		}
		stored.ExpiresAt = now.Add(privateFileLife)
	}
	if _, err := c.state.Apply(ctx, command.PutFile{File: stored}); err != nil {
		return farm.StoredFile{}, err
	}
	return stored, nil
}

func (c *Coordinator) storedFile(p farm.Principal, sha256 string) (stored farm.StoredFile, err error) {
	err = c.store.View(func(tx *raftstore.Tx) error {
		stored, err = tx.File(p.Team, sha256)
		return err
	})
	return stored, err
}

// OpenFileFor opens a file that one of the agent's leases names.
func (c *Coordinator) OpenFileFor(ctx context.Context, a farm.Agent, sha256 string) (*files.File, error) {
	ref, err := peers.AskLeader(ctx, c.peers, askFile, fileAsked{Agent: a.ID, SHA256: sha256})
	if err != nil {
		return nil, err
	}
	if ref.Output != "" {
		return c.OpenOutput(ctx, ref.Output)
	}
	if ref.Key != "" {
		kept := files.Kept{Key: ref.Key, SHA256: ref.SHA256, Size: ref.Size}
		r, err := c.proofs.OpenFor(ctx, kept, "a part of a split job", "submit the job again")
		if errors.Is(err, files.ErrNotFound) {
			return nil, farm.Errorf(farm.CodeGone, "the part %.64s of a split job is no longer kept", sha256)
		}
		if err != nil {
			return nil, err
		}
		return files.NewFile(r, ref.Name, ref.SHA256), nil
	}
	return c.proofs.OpenBlob(ctx, ref.FileRef)
}

// fileFor finds a file among those that the agent's leases name.
func (l *leader) fileFor(ctx context.Context, asked fileAsked) (leasedFile, error) {
	sha256 := asked.SHA256
	if ref, is := l.isTrial(sha256); is {
		return leasedFile{FileRef: ref}, nil
	}
	l.mu.Lock()
	held := l.leasesOfLocked(asked.Agent)
	var unknown []*lease
	for _, h := range held {
		if ref, ok := h.files[sha256]; ok {
			l.mu.Unlock()
			return ref, nil
		}
		if h.files == nil {
			unknown = append(unknown, h)
		}
	}
	adobe := l.queue.HasAfterEffects()
	l.mu.Unlock()

	// Leases granted before this node led: what they name is put together anew.
	for _, h := range unknown {
		var task farm.Task
		err := l.c.store.View(func(tx *raftstore.Tx) (err error) {
			task, err = tx.Task(h.Task)
			return err
		})
		if err != nil {
			return leasedFile{}, err
		}
		lease, _, err := l.c.leaseOf(ctx, task, adobe)
		if err != nil {
			return leasedFile{}, err
		}
		refs := filesOf(lease)
		l.mu.Lock()
		h.files = refs
		l.mu.Unlock()
		if ref, ok := refs[sha256]; ok {
			return ref, nil
		}
	}
	return leasedFile{}, farm.Errorf(farm.CodeNotFound, "none of this agent's leases names the file %.64s", sha256)
}
