package dispatch

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/farm/wire"
)

const (
	trialSize = 64 << 10
	// trialAgain is after how long the next machine is asked, when one has not answered or could not read the file.
	trialAgain = time.Minute
)

// trial is how a leader makes sure that what it puts into shared storage comes out at a machine, before a job depends on it: the first
// machine that is there reads a file and tells its hash.
type trial struct {
	passed bool
	file   farm.FileRef // the one that a machine was asked to read; without a hash when none was
	asked  time.Time
}

// tryStorage has a machine read a file of the farm's storage, once in a term of leadership.
func (l *leader) tryStorage(s *session) {
	if l.d.storage.Shared() == nil {
		return
	}
	l.mu.Lock()
	due := !l.trial.passed && time.Since(l.trial.asked) >= trialAgain
	if due {
		l.trial.asked = time.Now()
	}
	old := l.trial.file
	l.mu.Unlock()
	if !due {
		return
	}
	l.d.storage.Aside(func(ctx context.Context) {
		content := make([]byte, trialSize)
		_, _ = rand.Read(content) // crypto/rand never fails: it ends the process instead
		obj, err := l.d.files.PutBlob(ctx, bytes.NewReader(content), files.Limits{Size: trialSize})
		if err = errors.Join(err, l.dropTrial(ctx, old)); err != nil {
			l.d.log.Warn("trying the farm's storage", "error", err)
			return
		}
		l.mu.Lock()
		l.trial.file = farm.FileRef{SHA256: obj.SHA256, Size: obj.Size, Name: "trial"}
		l.mu.Unlock()
		s.send(wire.Message{Trial: &wire.Trial{SHA256: obj.SHA256}})
	})
}

// tried hears what a machine read. What nobody asked for is not heard.
func (l *leader) tried(s *session, m wire.Tried) {
	l.mu.Lock()
	file := l.trial.file
	heard := file.SHA256 != "" && m.Asked == file.SHA256
	if heard {
		l.trial.file = farm.FileRef{}
		l.trial.passed = m.SHA256 == file.SHA256
	}
	passed, name := l.trial.passed, s.name
	l.mu.Unlock()
	if !heard {
		return
	}
	l.d.storage.Aside(func(ctx context.Context) {
		if err := l.dropTrial(ctx, file); err != nil {
			l.d.log.Warn("dropping the file that the farm's storage was tried with", "error", err)
		}
	})
	if passed {
		l.d.storage.NoteTrial(nil)
		l.d.log.Info("a machine has read a file from the farm's storage", "agent", s.agent, "name", name)
		return
	}
	reason := m.Error
	if reason == "" {
		reason = "it came otherwise than it was stored"
	}
	err := farm.Errorf(farm.CodeUnavailable, "the machine %s could not read a file that this coordinator put into the farm's storage, %s: %s", name, l.d.storage.Shared().Where(), reason)
	l.d.storage.NoteTrial(err)
	l.d.log.Error("the farm's storage failed a trial", "agent", s.agent, "error", err)
}

// isTrial tells whether a file is the one that machines were asked to read.
func (l *leader) isTrial(sha256 string) (farm.FileRef, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.trial.file, sha256 != "" && l.trial.file.SHA256 == sha256
}

func (l *leader) dropTrial(ctx context.Context, file farm.FileRef) error {
	if file.SHA256 == "" {
		return nil
	}
	key, err := files.BlobKey(file.SHA256)
	if err != nil {
		return err
	}
	return l.d.files.Delete(ctx, key)
}
