package attempt

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"overcrank/agent/farmclient"
	"overcrank/agent/film"
	"overcrank/durable"
	"overcrank/farm"
	"overcrank/farm/wire"
)

const (
	thumbnailEvery = 250 * time.Millisecond // between looks, only while an engine renders
	maxThumbnail   = 256 << 10              // bytes that the farm takes
	maxThumbnails  = 48                     // of one attempt
)

// thumbnails hands over the small pictures that an engine writes beside its result, as they come.
type thumbnails struct {
	t    *attempt
	sent map[int]bool
	quit chan struct{}
	done sync.WaitGroup
}

// thumbnailOf is where an engine writes the small picture of a frame.
func (t *attempt) thumbnailOf(frame int) string {
	return filepath.Join(t.dir, "thumbs", strconv.Itoa(frame)+".jpg")
}

func (t *attempt) watchThumbnails(ctx context.Context) *thumbnails {
	w := &thumbnails{t: t, sent: make(map[int]bool), quit: make(chan struct{})}
	w.done.Go(func() {
		tick := time.NewTicker(thumbnailEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				w.look(ctx)
			case <-w.quit:
				w.look(ctx)
				return
			}
		}
	})
	return w
}

// stop looks a last time and tells how many pictures were handed over.
func (w *thumbnails) stop() int {
	close(w.quit)
	w.done.Wait()
	return len(w.sent)
}

func (w *thumbnails) look(ctx context.Context) {
	dir := filepath.Join(w.t.dir, "thumbs")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		number, isJPEG := strings.CutSuffix(e.Name(), ".jpg")
		frame, err := strconv.Atoi(number)
		if !isJPEG || err != nil || frame < 0 || w.sent[frame] || len(w.sent) >= maxThumbnails {
			continue
		}
		if w.t.sendThumbnail(ctx, frame, filepath.Join(dir, e.Name())) {
			w.sent[frame] = true
		}
	}
}

// sendThumbnail hands a picture over. One that does not arrive is no loss worth an attempt.
func (t *attempt) sendThumbnail(ctx context.Context, frame int, path string) bool {
	if t.machine.Farm == nil {
		return false // a doctor's trial, of which the farm learns nothing
	}
	b, err := os.ReadFile(path)
	if err != nil || len(b) > maxThumbnail || !bytes.HasSuffix(b, []byte{0xff, 0xd9}) {
		return false
	}
	if !t.lease.Discard { // a private project: its pictures are its team's
		t.feed.show(b)
	}
	return t.shows(ctx, wire.PathThumbnail, "/"+strconv.Itoa(frame), "image/jpeg", b)
}

// sendFrameTimes hands over how long frames took.
func (t *attempt) sendFrameTimes(ctx context.Context) {
	b, err := t.watch.frameTimes()
	if t.machine.Farm != nil && t.lease.Kind == farm.TaskRender && err == nil && b != nil {
		t.shows(ctx, wire.PathTimes, "", "application/json", b)
	}
}

// shows hands over what people look at beside the result. What does not arrive is no loss worth an attempt.
func (t *attempt) shows(ctx context.Context, to, of, kind string, b []byte) bool {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	at := to + farmclient.Escape(t.lease.Task) + "/" + strconv.Itoa(t.lease.Attempt.Attempt) + of
	res, err := t.machine.Farm.Do(ctx, http.MethodPut, at, kind, bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.log.Debug("what is shown beside the result was not taken", "at", at, "error", err)
		return false
	}
	return res.Body.Close() == nil
}

// wantedThumbnails is the folder for small pictures of a film whose engine gave none; "" when it gave some.
func (t *attempt) wantedThumbnails() string {
	if given, err := os.ReadDir(filepath.Join(t.dir, "thumbs")); err == nil && len(given) > 0 {
		return ""
	}
	return filepath.Join(t.dir, "tmp")
}

// makeThumbnails takes small pictures from a finished result, for engines that give none.
func (t *attempt) makeThumbnails(ctx context.Context, r result, p plan) {
	dir := filepath.Join(t.dir, "tmp")
	var pictures map[int]string
	var err error
	switch {
	case r.thumbs != nil:
		pictures = r.thumbs
	case p.stills:
		pictures, err = t.stillThumbnails(ctx, p)
	default:
		pictures, err = film.Thumbnails(ctx, r.path, r.info.Frames, dir)
	}
	if err != nil {
		t.log.Debug("no thumbnails", "error", err)
		return
	}
	for frame, path := range pictures {
		t.sendThumbnail(ctx, p.first+frame, path)
	}
}

// stillThumbnails are small pictures of all samples, or of the first of other stills.
func (t *attempt) stillThumbnails(ctx context.Context, p plan) (map[int]string, error) {
	stills, err := durable.Find(filepath.Join(t.dir, "out"), stillsPrefix+"*."+p.ext)
	if err != nil {
		return nil, err
	}
	if p.only == nil { // the first stands for all
		stills = stills[:min(1, len(stills))]
	}
	pictures := make(map[int]string)
	for i, still := range stills[:min(len(stills), maxThumbnails)] {
		small := filepath.Join(t.dir, "tmp", fmt.Sprintf("still%d.jpg", i))
		if err := film.Thumbnail(ctx, still, small); err != nil {
			return nil, err
		}
		pictures[p.place(i)-p.first] = small
	}
	return pictures, nil
}
