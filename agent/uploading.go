package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"overcrank/agent/farmclient"
	"overcrank/agent/upload"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/interval"
)

// uploadPatience is how long a finished result waits for a farm that cannot be reached. It is kept that long because it
// is worth more than the slot.
const uploadPatience = 6 * time.Hour

// upload hands the result over: to the farm, or where the job wants it instead.
func (t *attempt) upload(ctx context.Context, r result) (farm.OutputRef, error) {
	t.feed.at("uploading", 0, 0, 0)
	sum, size, err := hashFile(r.path)
	if err != nil {
		return farm.OutputRef{}, err
	}
	if t.lease.Upload != nil && !t.lease.Part {
		return t.deliver(ctx, r, sum, size)
	}
	return t.handOver(ctx, r, sum, size)
}

// deliver puts the result into storage that is not the farm's, which gets no copy.
func (t *attempt) deliver(ctx context.Context, r result, sum string, size int64) (farm.OutputRef, error) {
	name := t.lease.Job + filepath.Ext(r.path)
	to, err := t.lease.Upload.Object(name)
	if err != nil {
		return farm.OutputRef{}, &failure{message: err.Error(), err: err}
	}
	told, err := t.givenUpload().Object(name) // without what secrets stand for
	if err != nil {
		return farm.OutputRef{}, &failure{message: err.Error(), err: err}
	}
	params := t.lease.Upload.Params
	object := upload.Object{
		Path: r.path, Size: size, ContentType: r.kind, To: to, ACL: params["acl"], KeyID: params["accessKeyId"], Secret: params["accessKeySecret"],
	}
	t.say("uploading %d KiB to bucket '%s' as '%s'", size>>10, to.Bucket, to.Key)
	ref := described(farm.OutputRef{FileRef: farm.FileRef{SHA256: sum, Size: size, Name: filepath.Base(r.path)}, Remote: &told}, r)
	if t.sending, err = t.newSending(object, ref); err != nil {
		return farm.OutputRef{}, err
	}
	t.a.board.wg.Go(t.sending.run)
	return t.sending.wait(ctx)
}

// handOver sends the result to the farm, until the farm has it as it is here.
func (t *attempt) handOver(ctx context.Context, r result, sum string, size int64) (farm.OutputRef, error) {
	path, tell := t.outputPath(r.path), func(sent int64) { t.feed.at("uploading", float64(sent)/float64(max(1, size)), 0, 0) }
	pause := farmclient.NewBackoff()
	for end := time.Now().Add(uploadPatience); ; {
		ref, err := t.put(ctx, path, r, sum, size, tell)
		switch {
		case err == nil && (ref.SHA256 != sum || ref.Size != size):
			err = fmt.Errorf("the result arrived as %d bytes with hash %s, %d with %s were sent", ref.Size, ref.SHA256, size, sum)
		case err == nil:
			t.feed.at("uploading", 1, 0, 0)
			t.say("the result is with the farm: %d KiB", size>>10)
			return described(ref, r), nil
		case !farmclient.Passing(err):
			return farm.OutputRef{}, fmt.Errorf("handing the result over: %w", err)
		}
		if time.Now().After(end) {
			return farm.OutputRef{}, fmt.Errorf("handing the result over: %w", err)
		}
		wait := pause.Next()
		t.say("the result could not be handed over yet; trying again")
		t.log.Info("the result could not be handed over", "again", wait.Round(time.Millisecond), "error", err)
		if err := interval.Wait(ctx, wait); err != nil {
			return farm.OutputRef{}, err
		}
	}
}

// outputPath is where the farm takes a file of this attempt's.
func (t *attempt) outputPath(file string) string {
	return wire.PathOutput + farmclient.Escape(t.lease.Task) + "/" + strconv.Itoa(t.lease.Attempt.Attempt) + "/result" + filepath.Ext(file)
}

// put sends the file once, and tells how many bytes are on their way.
func (t *attempt) put(ctx context.Context, path string, r result, sum string, size int64, tell func(sent int64)) (farm.OutputRef, error) {
	in, err := os.Open(r.path)
	if err != nil {
		return farm.OutputRef{}, fmt.Errorf("opening the result: %w", err)
	}
	defer in.Close()
	body := &counted{r: in, tell: tell}
	req, err := t.a.farm.Request(ctx, http.MethodPut, path, body)
	if err != nil {
		return farm.OutputRef{}, err
	}
	req.ContentLength = size
	req.Header.Set("Content-Type", r.kind)
	req.Header.Set(wire.HeaderSHA256, sum)
	res, err := t.a.farm.Send(req)
	if err != nil {
		return farm.OutputRef{}, err
	}
	var ref farm.OutputRef
	return ref, farmclient.Decode(res, &ref)
}

// described adds what was found out about the result to the farm's reference.
func described(ref farm.OutputRef, r result) farm.OutputRef {
	ref.ContentType = r.kind
	ref.Width, ref.Height, ref.Frames = r.info.Width, r.info.Height, r.info.Frames
	ref.Duration, ref.FrameRate, ref.Audio = r.info.Duration, r.info.FrameRate, r.info.Audio
	return ref
}

// counted tells how much of a file was read.
type counted struct {
	r    io.Reader
	n    int64
	tell func(int64)
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	c.tell(c.n)
	return n, err
}

func hashFile(path string) (sum string, size int64, err error) {
	in, err := os.Open(path)
	if err != nil {
		return "", 0, fmt.Errorf("opening the result: %w", err)
	}
	h := sha256.New()
	size, err = io.Copy(h, in)
	if err := errors.Join(err, in.Close()); err != nil {
		return "", 0, fmt.Errorf("reading the result: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}
