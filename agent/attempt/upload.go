package attempt

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
	"overcrank/outbound"
)

// UsualUploadSlot is how long an upload of which the storage takes nothing worth waiting for keeps its slot.
const UsualUploadSlot = time.Minute

// The files of an upload, in a folder of its own. Their names are those of the first release.
const (
	uploadFile = "sending" // sealed
	resultFile = "result"
)

// Upload is a finished result on its way to storage that is not the farm's. It goes on without its attempt's slot when the storage takes
// nothing, and in the agent's next run when it is stopped.
type Upload struct {
	t       *attempt
	about   aboutUpload
	dir     string
	file    string        // of the result
	kept    bool          // the next start can go on with it
	resumed bool          // from an earlier run
	headway chan struct{} // has one when the storage took enough more than ever before
	done    chan struct{} // closed when inHost and err are there
	ctx     context.Context
	cancel  context.CancelCauseFunc
	inHost  bool
	err     error
}

// aboutUpload is what the next start has to know of an upload. It holds the values of secrets, so it lies on the disk sealed.
type aboutUpload struct {
	Attempt  wire.Attempt
	Job      string
	JobName  string
	Secrets  wire.Secrets // to be concealed
	Object   upload.Object
	Ref      farm.OutputRef // without what the storage answers
	Warnings []string
	Measured farm.Measured
}

// leftSlot ends the work of an attempt whose upload goes on without its slot.
type leftSlot struct{}

func (*leftSlot) Error() string { return "the upload goes on without a slot" }

// newUpload takes the result over from the attempt's folder and begins to send it.
func (t *attempt) newUpload(object upload.Object, ref farm.OutputRef) (*Upload, error) {
	object.Until = time.Now().Add(t.machine.Uploader.Patience)
	u := t.uploadOf(aboutUpload{
		Attempt: t.lease.Attempt, Job: t.lease.Job, JobName: t.lease.JobName, Secrets: t.lease.Secrets, Object: object, Ref: ref,
		Warnings: t.warned(), Measured: t.watch.measured(),
	})
	if err := os.MkdirAll(u.dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of the upload: %w", err)
	}
	if err := os.Rename(object.Path, u.file); err != nil {
		return nil, errors.Join(fmt.Errorf("taking the result: %w", err), os.RemoveAll(u.dir))
	}
	if !t.lease.Discard { // of which nothing may stay
		err := u.write()
		if u.kept = err == nil; err != nil {
			t.log.Warn("the upload would not outlast a restart of this agent", "error", err)
		}
	}
	go u.run()
	return u, nil
}

func (t *attempt) uploadOf(about aboutUpload) *Upload {
	dir := filepath.Join(t.machine.UploadDir, folderName(about.Attempt))
	u := &Upload{t: t, about: about, dir: dir, file: filepath.Join(dir, resultFile), headway: make(chan struct{}, 1), done: make(chan struct{})}
	u.ctx, u.cancel = context.WithCancelCause(context.Background())
	return u
}

// run sends the file until it has arrived, its time is over, or it is no longer wanted. Whoever waits for done waits for it.
func (u *Upload) run() {
	defer close(u.done)
	if u.resumed { // the farm says which machines may be asked, and whether the attempt is still this machine's
		select {
		case <-u.t.machine.Welcomed:
		case <-u.ctx.Done():
			u.err = context.Cause(u.ctx)
			return
		}
	}
	object := u.about.Object
	object.Path = u.file
	taken := headway{size: object.Size}
	sent := func(n int64) {
		if taken.made(n) {
			select {
			case u.headway <- struct{}{}:
			default:
			}
		}
		u.t.feed.at("uploading", float64(n)/float64(max(1, object.Size)), 0, 0)
	}
	again := func(reason string) {
		u.t.say("the upload did not succeed (%s); trying again", reason)
		u.t.feed.at("waiting to upload", 0, 0, 0)
	}
	u.inHost, u.err = u.t.machine.Uploader.Put(u.ctx, object, sent, again)
}

// headway is how much of an upload the storage has taken that was worth its slot.
type headway struct{ size, most int64 }

// made tells whether it has taken so much more, by what has been sent, that the upload keeps its slot for as long again. A storage that takes
// a little now and then would keep it for days.
func (h *headway) made(sent int64) bool {
	if sent <= h.most || sent < min(h.size, h.most+outbound.LeastPerMinute) {
		return false
	}
	h.most = sent
	return true
}

// wait waits for the end of the upload while it may keep the slot.
func (u *Upload) wait(ctx context.Context) (farm.OutputRef, error) {
	patience := u.t.machine.UploadSlot
	slot := time.NewTimer(patience)
	defer slot.Stop()
	for {
		select {
		case <-u.done:
			return u.output()
		case <-ctx.Done():
			u.cancel(context.Cause(ctx))
			<-u.done
			return farm.OutputRef{}, context.Cause(ctx)
		case <-u.headway:
			slot.Reset(patience)
		case <-slot.C:
			if u.t.machine.LeaveSlot(u) {
				u.t.say("the machine goes on with other work; the upload is tried until %s", u.about.Object.Until.UTC().Format("15:04 MST"))
				return farm.OutputRef{}, &leftSlot{}
			}
			slot.Reset(patience)
		}
	}
}

// output is what the upload ended with.
func (u *Upload) output() (farm.OutputRef, error) {
	var failed *upload.Error
	switch {
	case errors.As(u.err, &failed):
		return farm.OutputRef{}, &failure{message: failed.Error(), retry: failed.Retry, err: u.err, cause: farm.Cause{Kind: farm.CauseDelivery, Subject: failed.Bucket}}
	case u.err != nil:
		return farm.OutputRef{}, u.err
	}
	u.t.say("the result is in its bucket")
	ref := u.about.Ref
	ref.Remote.InHost = u.inHost
	return ref, nil
}

// Attempt is the attempt whose result this is.
func (u *Upload) Attempt() wire.Attempt { return u.about.Attempt }

// Feed is what the upload tells.
func (u *Upload) Feed() *Feed { return u.t.feed }

// Cancel ends the upload for a cause, as the context of Run is ended.
func (u *Upload) Cancel(cause error) { u.cancel(cause) }

// End waits for an upload without a slot, and is how its attempt ended.
func (u *Upload) End() End {
	<-u.done
	output, err := u.output()
	return u.t.end(u.ctx, delivered{output: output, upload: u}, err)
}

// resumable tells whether the next start goes on with it: it was ended only because this process ends.
func (u *Upload) resumable() bool { return u.kept && errors.Is(context.Cause(u.ctx), ErrStopping) }

// Remove removes the upload's files. It is called when they are no longer needed: the report of its end is on disk, or nobody wants it.
func (u *Upload) Remove() {
	if err := os.RemoveAll(u.dir); err != nil {
		u.t.log.Warn("a result that was sent stays on disk until the next start", "error", err)
	}
}

func (u *Upload) write() error {
	b, err := json.Marshal(u.about)
	if err != nil {
		return fmt.Errorf("encoding an upload: %w", err)
	}
	seal, err := u.t.machine.uploadSeal()
	if err != nil {
		return err
	}
	if err := durable.WriteFile(filepath.Join(u.dir, uploadFile), seal.Seal(nil, nil, b, nil), 0o600); err != nil {
		return fmt.Errorf("keeping an upload: %w", err)
	}
	return nil
}

// uploadSeal seals uploads on the disk, under the key of this machine's certificate.
func (m *Machine) uploadSeal() (cipher.AEAD, error) {
	own := m.Key()
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

// Resume goes on with the uploads of an earlier run, but for those that were reported. What cannot be gone on with is removed: its lease ends
// by itself. The feeds call wake when there is something to tell.
func Resume(m *Machine, reported []wire.Attempt, wake func()) ([]*Upload, error) {
	folders, err := os.ReadDir(m.UploadDir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("reading the uploads: %w", err)
	}
	var list []*Upload
	for _, f := range folders {
		dir := filepath.Join(m.UploadDir, f.Name())
		about, err := m.readUpload(dir)
		if err == nil && folderName(about.Attempt) == f.Name() && !slices.Contains(reported, about.Attempt) && len(list) < wire.MaxSending {
			list = append(list, m.resume(about, wake))
			continue
		}
		m.Log.Warn("an upload of an earlier run cannot be resumed", "folder", f.Name(), "error", err)
		if err := os.RemoveAll(dir); err != nil {
			return nil, fmt.Errorf("clearing the uploads: %w", err)
		}
	}
	for _, u := range list {
		go u.run()
	}
	return list, nil
}

func (m *Machine) resume(about aboutUpload, wake func()) *Upload {
	lease := wire.Lease{Attempt: about.Attempt, Job: about.Job, JobName: about.JobName, Secrets: about.Secrets}
	t := newAttempt(m, lease, NewFeed(lease, wake), m.Log.With("job", about.Job, "task", about.Attempt.Task, "attempt", about.Attempt.Attempt))
	t.warnings, t.watch.m = about.Warnings, about.Measured
	u := t.uploadOf(about)
	u.kept, u.resumed = true, true
	return u
}

func (m *Machine) readUpload(dir string) (about aboutUpload, err error) {
	sealed, err := os.ReadFile(filepath.Join(dir, uploadFile))
	if err != nil {
		return about, fmt.Errorf("reading an upload: %w", err)
	}
	seal, err := m.uploadSeal()
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
