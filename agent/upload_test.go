package agent

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// bucketServer is storage that fails in passing until it works.
type bucketServer struct {
	*httptest.Server
	works atomic.Bool
	took  atomic.Int64 // bytes
}

func newBucketServer(t *testing.T) *bucketServer {
	b := &bucketServer{}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		if !b.works.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		b.took.Store(n)
		w.Header().Set("ETag", `"0"`)
	}))
	t.Cleanup(b.Close)
	return b
}

const bucketSecret = "a-secret-of-the-bucket"

// sentTo is a lease whose result goes to a bucket, with a secret.
func (b *bucketServer) sentTo(t *testing.T, p *peer, task string) wire.Lease {
	l := lease(t, p, task)
	l.Secrets = wire.Secrets{"KEY": bucketSecret}
	l.Upload = &farm.Upload{Provider: "s3", Params: map[string]string{
		"bucket": "bucket", "endpoint": b.URL, "region": "us-east-1", "accessKeyId": "id", "accessKeySecret": "${secrets.KEY}",
	}}
	return l
}

func impatient(a *agent) {
	a.machine.UploadSlot, a.machine.Uploader.Pause = 50*time.Millisecond, 20*time.Millisecond
}

func TestAnUploadThatStorageDoesNotTakeKeepsNoSlotAndOutlastsTheAgent(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p, to, dir := newPeer(t), newBucketServer(t), t.TempDir()
	_, stop := startChanged(t, p, "normal", dir, impatient)
	l := to.sentTo(t, p, "job.1")
	p.send(wire.Message{Lease: &l})
	p.eventually("the slot is free", func() bool { return len(p.sending) == 1 && p.sending[0] == l.Attempt })
	next := lease(t, p, "job.2")
	p.send(wire.Message{Lease: &next})
	if m := p.report(next.Attempt); m.Finished == nil {
		t.Fatalf("the next task failed: %+v", m.Failed)
	}
	p.says(l.Attempt, "goes on with other work")
	p.says(l.Attempt, "did not succeed (503)")
	if log := p.logged(l.Attempt); strings.Contains(log, bucketSecret) {
		t.Errorf("log:\n%s", log)
	}
	sealed, err := os.ReadFile(filepath.Join(dir, "sending", "job.1-1", "sending"))
	if err != nil || bytes.Contains(sealed, []byte(bucketSecret)) {
		t.Errorf("what lies on the disk of the upload, %v:\n%q", err, sealed)
	}
	stop()
	p.mu.Lock()
	p.sending, p.hellos = nil, nil
	p.mu.Unlock()
	startChanged(t, p, "normal", dir, impatient)
	p.eventually("the agent holds it still", func() bool {
		return len(p.hellos) > 0 && len(p.hellos[0].Holding) == 1 && p.hellos[0].Holding[0] == l.Attempt && len(p.sending) == 1
	})
	to.works.Store(true)
	m := p.report(l.Attempt)
	if m.Finished == nil {
		t.Fatalf("failed: %+v", m.Failed)
	}
	out := m.Finished.Output
	if out.Remote == nil || out.Remote.Bucket != "bucket" || to.took.Load() < out.Size || out.Frames != 25 {
		t.Errorf("output %+v, %d bytes came", out, to.took.Load())
	}
	gone(t, p, dir)
}

// gone wants nothing left of uploads.
func gone(t *testing.T, p *peer, dir string) {
	t.Helper()
	p.eventually("nothing is left of the upload", func() bool {
		left, err := os.ReadDir(filepath.Join(dir, "sending"))
		return err == nil && len(left) == 0 && len(p.sending) == 0
	})
}

func TestAnUploadWithoutASlotIsCancelled(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p, to, dir := newPeer(t), newBucketServer(t), t.TempDir()
	startChanged(t, p, "normal", dir, impatient)
	l := to.sentTo(t, p, "job.1")
	p.send(wire.Message{Lease: &l})
	p.eventually("the slot is free", func() bool { return len(p.sending) == 1 })
	p.send(wire.Message{Cancel: &wire.Cancel{Attempt: l.Attempt, Reason: "the job was cancelled"}})
	if m := p.report(l.Attempt); m.Failed == nil || !m.Failed.Cancelled {
		t.Errorf("%+v", m)
	}
	gone(t, p, dir)
}

func TestAnUploadWithoutASlotHasAnEnd(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p, to, dir := newPeer(t), newBucketServer(t), t.TempDir()
	startChanged(t, p, "normal", dir, func(a *agent) {
		impatient(a)
		a.machine.Uploader.Patience = time.Second
	})
	l := to.sentTo(t, p, "job.1")
	p.send(wire.Message{Lease: &l})
	if m := p.report(l.Attempt); m.Failed == nil || m.Failed.Message != "Upload of 'job.mp4' to bucket 'bucket' failed: 503" || m.Failed.Cancelled {
		t.Errorf("%+v", m.Failed)
	}
	gone(t, p, dir)
}

func TestOfAJobThatMayNotBeKeptNoUploadIs(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p, to, dir := newPeer(t), newBucketServer(t), t.TempDir()
	_, stop := startChanged(t, p, "normal", dir, impatient)
	l := to.sentTo(t, p, "job.1")
	l.Discard = true
	p.send(wire.Message{Lease: &l})
	p.eventually("the slot is free", func() bool { return len(p.sending) == 1 })
	stop()
	if m := p.report(l.Attempt); m.Failed == nil || !m.Failed.Cancelled || !m.Failed.Retry {
		t.Errorf("%+v", m)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "sending")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
