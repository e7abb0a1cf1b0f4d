package web

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"

	"overcrank/api/socket"
	"overcrank/farm"
)

// audience is who sees the same of a live part: what is drawn for one of them is sent to all.
type audience struct {
	topic, piece string
	reads        farm.Language
	team         string
	first        bool // of the farm's first team
	role         farm.Role
	zone         string // in which they have their days, where the part is about one
	own          string // what it shows of them alone
}

// drawings are the live parts that somebody watches, as they were drawn last.
type drawings struct {
	mu sync.Mutex
	of map[audience]*drawing
}

// watch gives the drawing of an audience, which is kept until everybody who watches has left it.
func (d *drawings) watch(a audience) (watched *drawing, leave func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	watched = d.of[a]
	if watched == nil {
		if d.of == nil {
			d.of = map[audience]*drawing{}
		}
		watched = newDrawing()
		d.of[a] = watched
	}
	watched.watchers++
	return watched, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if watched.watchers--; watched.watchers == 0 {
			delete(d.of, a)
		}
	}
}

// drawing is a live part as it was drawn last, and what is sent to those who saw it as it was before.
type drawing struct {
	watchers int // guarded by the mutex of drawings

	turn chan struct{} // holds one while nobody draws; what follows belongs to who has taken it

	began    time.Time // of what was drawn last
	of       string    // what it was drawn of, where its piece knows that
	html     string
	drawn    *drawn
	updates  map[*drawn]*socket.Message
	failed   error // of a farm that could not say how it is
	failedAt time.Time
}

func newDrawing() *drawing {
	d := &drawing{turn: make(chan struct{}, 1)}
	d.turn <- struct{}{}
	return d
}

// update is what a page has to be sent that shows a part as it was, nil for nothing, and how the part is then. A part that was drawn less than
// livePause ago is not drawn again; began says of when it is.
func (d *drawing) update(ctx context.Context, p piece, was *drawn) (message *socket.Message, now *drawn, began time.Time, err error) {
	select {
	case <-d.turn:
		defer func() { d.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, was, time.Time{}, ctx.Err()
	}
	if d.drawn == nil || time.Since(d.began) >= livePause {
		if err := d.renew(ctx, p); err != nil {
			return nil, was, time.Time{}, err
		}
	}
	if was == d.drawn {
		return nil, was, d.began, nil
	}
	message, known := d.updates[was]
	if !known {
		if message, err = d.updateFrom(p.id, was); err != nil {
			return nil, was, time.Time{}, err
		}
		d.updates[was] = message
	}
	return message, d.drawn, d.began, nil
}

// renew draws the part. What a farm without a leader does not say is not asked for again by each who watches.
func (d *drawing) renew(ctx context.Context, p piece) error {
	if d.failed != nil && time.Since(d.failedAt) < livePause {
		return d.failed
	}
	began := time.Now()
	d.failed = nil
	of, err := p.drawnOf(ctx)
	if err == nil && p.of != nil && d.drawn != nil && of == d.of {
		d.began = began
		return nil
	}
	var content templ.Component
	if err == nil {
		content, err = p.draw(ctx)
	}
	if code := farm.CodeOf(err); code == farm.CodeUnavailable || code == farm.CodeNotFound {
		d.failed, d.failedAt = err, time.Now()
	}
	if err != nil {
		return err
	}
	var html strings.Builder
	if err := content.Render(ctx, &html); err != nil {
		return err
	}
	now := rowsOf(html.String())
	d.began, d.of, d.html = began, of, html.String()
	if d.drawn != nil && now.sameAround(*d.drawn) && len(now.changed(d.html, *d.drawn)) == 0 {
		d.drawn.places = now.places
		return nil
	}
	d.drawn, d.updates = &now, map[*drawn]*socket.Message{}
	return nil
}

// updateFrom is the message to a page that shows the part as it was: only those of its rows that have changed, where nothing else has.
func (d *drawing) updateFrom(id string, was *drawn) (*socket.Message, error) {
	if was == nil || !d.drawn.sameAround(*was) {
		return messageOf(part{ID: id, HTML: &d.html})
	}
	changed := d.drawn.changed(d.html, *was)
	if len(changed) == 0 {
		return nil, nil
	}
	return messageOf(part{ID: id, Rows: changed})
}

// messageOf is a part as it is sent.
func messageOf(p part) (*socket.Message, error) {
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return socket.NewMessage(raw)
}
