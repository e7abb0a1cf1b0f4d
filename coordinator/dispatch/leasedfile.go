package dispatch

import (
	"context"
	"errors"
	"strings"

	"overcrank/coordinator/files"
	"overcrank/coordinator/peers"
	"overcrank/coordinator/results"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
)

// OpenFileFor opens a file that one of the agent's leases names.
func (d *Dispatcher) OpenFileFor(ctx context.Context, a farm.Agent, sha256 string) (*files.File, error) {
	ref, err := peers.AskLeader(ctx, d.peers, askFile, fileAsked{Agent: a.ID, SHA256: sha256})
	if err != nil {
		return nil, err
	}
	if ref.Output != "" {
		return d.results.Open(ctx, ref.Output)
	}
	if ref.Key != "" {
		kept := files.Kept{Key: ref.Key, SHA256: ref.SHA256, Size: ref.Size}
		r, err := d.proofs.OpenFor(ctx, kept, "a part of a split job", "submit the job again")
		if errors.Is(err, files.ErrNotFound) {
			return nil, farm.Errorf(farm.CodeGone, "the part %.64s of a split job is no longer kept", sha256)
		}
		if err != nil {
			return nil, err
		}
		return files.NewFile(r, ref.Name, ref.SHA256), nil
	}
	return d.proofs.OpenBlob(ctx, ref.FileRef)
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
		err := l.d.state.View(func(tx *raftstore.Tx) (err error) {
			task, err = tx.Task(h.Task)
			return err
		})
		if err != nil {
			return leasedFile{}, err
		}
		lease, _, err := l.d.leaseOf(ctx, task, adobe)
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

// leasedFile is a file that an agent may read: a kept one, the result that has this name, or what lies under this key.
type leasedFile struct {
	farm.FileRef
	Output string `json:"output,omitempty"`
	Key    string `json:"key,omitempty"`
}

// filesOf is every file that a lease names, by hash.
func filesOf(lease wire.Lease) map[string]leasedFile {
	refs := map[string]leasedFile{}
	for src, f := range lease.Files {
		file := leasedFile{FileRef: f}
		if strings.HasPrefix(src, farm.ResultScheme) {
			file.Output = f.Name
		}
		if at, ok := partAttempt(src); ok {
			file.Key = results.AttemptKey(at, f.SHA256)
		}
		refs[f.SHA256] = file
	}
	for _, f := range lease.Fonts {
		refs[f.SHA256] = leasedFile{FileRef: f}
	}
	if f := lease.Project.File; f != nil {
		refs[f.SHA256] = leasedFile{FileRef: *f}
	}
	return refs
}
