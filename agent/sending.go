package agent

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"overcrank/agent/upload"
	"overcrank/durable"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// usualUploadSlot is how long an upload of which the storage takes nothing more keeps its slot.
const usualUploadSlot = time.Minute

// The files of a sending, in a folder of its own.
const (
	sendingFile = "sending"
	resultFile  = "result"
)

// sending is a finished result on its way to storage that is not the farm's. It outlasts its attempt's slot, which others get when the
// storage takes nothing, and this process.
type sending struct {
	t       *attempt
	about   aboutSending
	dir     string
	file    string        // of the result
	kept    bool          // that the next start can go on with it
	resumed bool          // from an earlier run
	further chan struct{} // has one when the storage took more than ever before
	done    chan struct{} // closed when out and err are there
	ctx     context.Context
	cancel  context.CancelCauseFunc
	inHost  bool
	err     error
}

// aboutSending is what the next start has to know of a sending. It holds what secrets stand for, so it lies on the disk sealed.
type aboutSending struct {
	Attempt  wire.Attempt
	Job      string
	JobName  string
	Secrets  wire.Secrets // to be concealed
	Object   upload.Object
	Ref      farm.OutputRef // without what the storage answers
	Warnings []string
	Measured farm.Measured
}

// sentOn ends an attempt whose upload goes on without its slot.
type sentOn struct{ s *sending }

func (e *sentOn) Error() string { return "the upload goes on without a slot" }

func (a *agent) sendingDir() string { return filepath.Join(a.cfg.DataDir, "sending") }

// newSending takes the result over from the attempt's folder and begins to send it.
func (t *attempt) newSending(object upload.Object, ref farm.OutputRef) (*sending, error) {
	object.Until = time.Now().Add(t.a.uploader.Patience)
	s := t.sendingOf(aboutSending{
		Attempt: t.lease.Attempt, Job: t.lease.Job, JobName: t.lease.JobName, Secrets: t.lease.Secrets, Object: object, Ref: ref,
		Warnings: t.warned(), Measured: t.watch.measured(),
	})
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of the upload: %w", err)
	}
	if err := os.Rename(object.Path, s.file); err != nil {
		return nil, errors.Join(fmt.Errorf("taking the result: %w", err), s.remove())
	}
	if !t.lease.Discard { // of which nothing may stay
		err := s.write()
		if s.kept = err == nil; err != nil {
			t.log.Warn("the upload would not outlast a restart of this agent", "error", err)
		}
	}
	return s, nil
}

func (t *attempt) sendingOf(about aboutSending) *sending {
	dir := filepath.Join(t.a.sendingDir(), folderName(about.Attempt))
	s := &sending{t: t, about: about, dir: dir, file: filepath.Join(dir, resultFile), further: make(chan struct{}, 1), done: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	return s
}

// run sends the file until it has arrived, its time is over, or it is no longer wanted.
func (s *sending) run() {
	defer close(s.done)
	if s.resumed { // the farm says which machines may be asked, and whether the attempt is still this machine's
		select {
		case <-s.t.a.welcomed:
		case <-s.ctx.Done():
			s.err = context.Cause(s.ctx)
			return
		}
	}
	object := s.about.Object
	object.Path = s.file
	most := int64(0)
	sent := func(n int64) {
		if n > most {
			most = n
			select {
			case s.further <- struct{}{}:
			default:
			}
		}
		s.t.feed.at("uploading", float64(n)/float64(max(1, object.Size)), 0, 0)
	}
	again := func(reason string) {
		s.t.say("the upload did not succeed (%s); trying again", reason)
		s.t.feed.at("waiting to upload", 0, 0, 0)
	}
	s.inHost, s.err = s.t.a.uploader.Put(s.ctx, object, sent, again)
}

// wait waits for the end of the upload as long as the slot may be used for that.
func (s *sending) wait(ctx context.Context) (farm.OutputRef, error) {
	slot := time.NewTimer(s.t.a.uploadSlot)
	defer slot.Stop()
	for {
		select {
		case <-s.done:
			return s.output()
		case <-ctx.Done():
			s.cancel(context.Cause(ctx))
			<-s.done
			return farm.OutputRef{}, context.Cause(ctx)
		case <-s.further:
			slot.Reset(s.t.a.uploadSlot)
		case <-slot.C:
			if s.t.a.board.sendOn(s) {
				s.t.say("the machine goes on with other work; the upload is tried until %s", s.about.Object.Until.UTC().Format("15:04 MST"))
				return farm.OutputRef{}, &sentOn{s}
			}
			slot.Reset(s.t.a.uploadSlot)
		}
	}
}

// output is what the upload ended with, for the report.
func (s *sending) output() (farm.OutputRef, error) {
	var failed *upload.Error
	switch {
	case errors.As(s.err, &failed):
		return farm.OutputRef{}, &failure{message: failed.Error(), retry: failed.Retry, err: s.err}
	case s.err != nil:
		return farm.OutputRef{}, s.err
	}
	s.t.say("the result is in its bucket")
	ref := s.about.Ref
	ref.Remote.InHost = s.inHost
	return ref, nil
}

// message is the report of an attempt whose upload went on without it.
func (s *sending) message() wire.Message {
	output, err := s.output()
	if err != nil {
		failed := s.t.explain(err)
		failed.Message, failed.Warnings, failed.Measured = s.t.secrets.String(failed.Message), s.about.Warnings, s.about.Measured
		s.t.say("%s", failed.Message)
		return wire.Message{Failed: &failed}
	}
	return wire.Message{Finished: &wire.Finished{Attempt: s.about.Attempt, Output: output, Warnings: s.about.Warnings, Measured: s.about.Measured}}
}

// goesOn tells whether the next start sends the file: nobody but this process wanted it to end.
func (s *sending) goesOn() bool { return s.kept && errors.Is(context.Cause(s.ctx), errStopping) }

func (s *sending) remove() error {
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("removing an upload's folder: %w", err)
	}
	return nil
}

// forgotten removes a sending that is settled in one way or the other.
func (s *sending) forgotten() {
	if err := s.remove(); err != nil {
		s.t.log.Warn("a result that was sent stays on disk until the next start", "error", err)
	}
}

func (s *sending) write() error {
	b, err := json.Marshal(s.about)
	if err != nil {
		return fmt.Errorf("encoding an upload: %w", err)
	}
	seal, err := s.t.a.sendingSeal()
	if err != nil {
		return err
	}
	if err := durable.WriteFile(filepath.Join(s.dir, sendingFile), seal.Seal(nil, nil, b, nil), 0o600); err != nil {
		return fmt.Errorf("keeping an upload: %w", err)
	}
	return nil
}

// sendingSeal seals what lies on the disk of uploads, under the key that makes this machine the farm's.
func (a *agent) sendingSeal() (cipher.AEAD, error) {
	own := a.self.now().Key
	if len(own) == 0 { // an earlier release's enrolment, until the first certificate
		return nil, errors.New("this machine has no key to seal uploads under")
	}
	key, err := hkdf.Key(sha256.New, own, nil, "overcrank agent uploads", 32)
	if err != nil {
		return nil, fmt.Errorf("making the key of uploads: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("making the key of uploads: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// readSendings takes over the uploads of an earlier run. What cannot be gone on with is removed: its lease ends by itself.
func (a *agent) readSendings() ([]*sending, error) {
	folders, err := os.ReadDir(a.sendingDir())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("reading the uploads: %w", err)
	}
	reported := a.outbox.Attempts()
	var list []*sending
	for _, f := range folders {
		dir := filepath.Join(a.sendingDir(), f.Name())
		about, err := a.readSending(dir)
		if err == nil && folderName(about.Attempt) == f.Name() && !slices.Contains(reported, about.Attempt) && len(list) < wire.MaxSending {
			lease := wire.Lease{Attempt: about.Attempt, Job: about.Job, JobName: about.JobName, Secrets: about.Secrets}
			f := &feed{attempt: about.Attempt, job: about.Job, name: about.JobName, since: time.Now(), wake: a.link.nudge}
			t := newAttempt(a, lease, f, a.log.With("job", about.Job, "task", about.Attempt.Task, "attempt", about.Attempt.Attempt))
			s := t.sendingOf(about)
			s.kept, s.resumed = true, true
			list = append(list, s)
			continue
		}
		a.log.Warn("an upload of an earlier run cannot be gone on with", "folder", f.Name(), "error", err)
		if err := os.RemoveAll(dir); err != nil {
			return nil, fmt.Errorf("clearing the uploads: %w", err)
		}
	}
	return list, nil
}

func (a *agent) readSending(dir string) (about aboutSending, err error) {
	sealed, err := os.ReadFile(filepath.Join(dir, sendingFile))
	if err != nil {
		return about, fmt.Errorf("reading an upload: %w", err)
	}
	seal, err := a.sendingSeal()
	if err != nil {
		return about, err
	}
	b, err := seal.Open(nil, nil, sealed, nil)
	if err == nil {
		err = json.Unmarshal(b, &about)
	}
	if err != nil {
		return about, fmt.Errorf("reading an upload: %w", err)
	}
	if about.Ref.Remote == nil {
		return about, errors.New("reading an upload: it names no place")
	}
	return about, nil
}
