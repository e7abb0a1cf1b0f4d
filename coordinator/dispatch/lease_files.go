package dispatch

import (
	"context"
	"errors"

	"overcrank/coordinator/files"
	"overcrank/coordinator/handout"
	"overcrank/coordinator/peers"
	"overcrank/farm"
	"overcrank/raftstore"
)

// OpenFileFor opens a file that one of the agent's leases names, or the release that machines are to run.
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
func (l *leader) fileFor(ctx context.Context, asked fileAsked) (handout.File, error) {
	sha256 := asked.SHA256
	if ref, is := l.isTrial(sha256); is {
		return handout.File{FileRef: ref}, nil
	}
	l.mu.Lock()
	if ref, is := l.updates.files[sha256]; is {
		l.mu.Unlock()
		return handout.File{FileRef: ref}, nil
	}
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
	l.mu.Unlock()
	adobe := l.hasAfterEffects()

	// Leases granted before this node led: what they name is put together anew.
	for _, h := range unknown {
		var task farm.Task
		var job farm.Job
		err := l.d.state.View(func(tx *raftstore.Tx) (err error) {
			if task, err = tx.Task(h.Task); err == nil {
				job, err = tx.Job(task.Job)
			}
			return err
		})
		if err != nil {
			return handout.File{}, err
		}
		made, err := l.d.handouts.Of(ctx, task, job, adobe)
		if err != nil {
			return handout.File{}, err
		}
		refs := made.Files()
		l.mu.Lock()
		h.files = refs
		l.mu.Unlock()
		if ref, ok := refs[sha256]; ok {
			return ref, nil
		}
	}
	return handout.File{}, farm.Errorf(farm.CodeNotFound, "none of this agent's leases names the file %.64s", sha256)
}
