package attempt

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

// delivered is a result that has arrived.
type delivered struct {
	output farm.OutputRef
	before []wire.Piece // of a range: the frames that were handed over before it
	frames *handover    // that an attempt which ends early hands over; nil for none
	upload *Upload      // to storage that is not the farm's; nil for none. It is given with an error, too.
}

// delivery takes results, and frames of ranges, to where they belong.
type delivery struct{ *attempt }

// deliver hands the result over: to the farm, or where the job wants it instead.
func (d delivery) deliver(ctx context.Context, made product) (done delivered, err error) {
	done.frames = made.frames
	r := made.result
	if d.lease.Part && made.frames != nil {
		done.before = made.frames.pieces
		if r, err = made.frames.unsent(r); err != nil {
			return done, err
		}
	}
	d.feed.at("uploading", 0, 0, 0)
	sum, size, err := hashFile(r.path)
	if err != nil {
		return done, err
	}
	if d.lease.Upload == nil || d.lease.Part {
		done.output, err = d.handOver(ctx, r, sum, size)
		return done, err
	}
	if done.upload, err = d.beginUpload(r, sum, size); err != nil {
		return done, err
	}
	done.output, err = done.upload.wait(ctx)
	return done, err
}

// beginUpload puts the result into storage that is not the farm's, which gets no copy.
func (d delivery) beginUpload(r result, sum string, size int64) (*Upload, error) {
	name := d.lease.Job + filepath.Ext(r.path)
	to, err := d.lease.Upload.Object(name)
	if err != nil {
		return nil, &failure{message: err.Error(), err: err}
	}
	named, err := d.given.Object(name) // for the farm: without the values of secrets
	if err != nil {
		return nil, &failure{message: err.Error(), err: err}
	}
	params := d.lease.Upload.Params
	object := upload.Object{
		Path: r.path, Size: size, ContentType: r.kind, To: to, ACL: params["acl"], KeyID: params["accessKeyId"], Secret: params["accessKeySecret"],
	}
	d.say("uploading %d KiB to bucket '%s' as '%s'", size>>10, to.Bucket, to.Key)
	file := farm.FileRef{SHA256: sum, Size: size, Name: filepath.Base(r.path)}
	return d.newUpload(object, described(farm.OutputRef{FileRef: file, Remote: &named}, r))
}

// handOver sends the result to the farm, until the farm has it as it is here.
func (d delivery) handOver(ctx context.Context, r result, sum string, size int64) (farm.OutputRef, error) {
	tell := func(sent int64) { d.feed.at("uploading", float64(sent)/float64(max(1, size)), 0, 0) }
	pause := farmclient.NewBackoff()
	for end := time.Now().Add(uploadPatience); ; {
		ref, err := d.put(ctx, r, sum, size, tell)
		switch {
		case err == nil:
			d.feed.at("uploading", 1, 0, 0)
			d.say("the result is with the farm: %d KiB", size>>10)
			return described(ref, r), nil
		case !farmclient.Passing(err):
			return farm.OutputRef{}, fmt.Errorf("handing the result over: %w", err)
		}
		if time.Now().After(end) {
			return farm.OutputRef{}, fmt.Errorf("handing the result over: %w", err)
		}
		wait := pause.Next()
		d.say("the result could not be handed over yet; trying again")
		d.log.Info("the result could not be handed over", "again", wait.Round(time.Millisecond), "error", err)
		if err := interval.Wait(ctx, wait); err != nil {
			return farm.OutputRef{}, err
		}
	}
}

// outputPath is where the farm takes a file of this attempt's.
func (d delivery) outputPath(file string) string {
	return wire.PathOutput + farmclient.Escape(d.lease.Task) + "/" + strconv.Itoa(d.lease.Attempt.Attempt) + "/result" + filepath.Ext(file)
}

// put sends the file once, tells how many bytes are on their way, and compares what arrived.
func (d delivery) put(ctx context.Context, r result, sum string, size int64, tell func(sent int64)) (farm.OutputRef, error) {
	in, err := os.Open(r.path)
	if err != nil {
		return farm.OutputRef{}, fmt.Errorf("opening the result: %w", err)
	}
	defer in.Close()
	body := &counted{r: in, tell: tell}
	req, err := d.machine.Farm.Request(ctx, http.MethodPut, d.outputPath(r.path), body)
	if err != nil {
		return farm.OutputRef{}, err
	}
	req.ContentLength = size
	req.Header.Set("Content-Type", r.kind)
	req.Header.Set(wire.HeaderSHA256, sum)
	var ref farm.OutputRef
	err = d.machine.Farm.Answer(req, &ref)
	if err == nil && (ref.SHA256 != sum || ref.Size != size) {
		err = fmt.Errorf("%d bytes with hash %s arrived, %d with %s were sent", ref.Size, ref.SHA256, size, sum)
	}
	return ref, err
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
