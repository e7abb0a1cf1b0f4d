package footage

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"overcrank/engine/footage/vector"
	"overcrank/engine/raster"
	"overcrank/engine/text"
)

// DefaultBudget is a Library's default budget in bytes: about forty-five frames of HD.
const DefaultBudget = 384 << 20

// maxDecoders limits how many ffmpeg processes read films at once for a Library. When all are in use, another film stops
// the ones of the least recently used film.
const maxDecoders = 16

// idleAfter is how many frames of films are asked for before a film of which none was asked for counts as idle.
const idleAfter = 128

// Library keeps the pictures of its sources within one budget of bytes, of which what is being decoded takes its share, and of which it lends to those who
// keep what they draw. It limits how much is read at once, too. It is safe for concurrent use.
type Library struct {
	budget int64
	// reading limits the memory of stills that are being decoded.
	reading *semaphore.Weighted
	fonts   atomic.Pointer[text.Book] // for the text of pictures of outlines
	clock   atomic.Int64              // how many frames of films were asked for

	mu     sync.Mutex
	used   int64 // bytes of the pictures that it keeps
	lent   int64
	stills int64 // bytes that stills take which are being decoded
	known  map[picture]*list.Element
	order  list.List // of *kept, the most recently used one first
	films  []*film   // films with decoders, the most recently used one last
}

// picture identifies a picture of a reader: frame n, halved in size so many times.
type picture struct {
	of     reader
	n      int
	halved int
}

// kept is a picture of pixels, or one of outlines.
type kept struct {
	picture
	img  *raster.Image
	pic  *vector.Picture
	size int64 // bytes
}

// outlinesKey is the number of the frame under which a picture of outlines is kept beside its frame of pixels.
const outlinesKey = -2

// NewLibrary is an empty library of at most budget bytes. One frame of each film may exceed it, and decoding: a third of it
// always remains for pictures.
func NewLibrary(budget int64) *Library {
	budget = max(budget, 1)
	return &Library{budget: budget, reading: semaphore.NewWeighted(budget), known: map[picture]*list.Element{}}
}

// SetFonts makes the text of pictures of outlines be set with fonts. Without fonts none is drawn. Pictures that were drawn with others are dropped, so that
// the fonts tell what stood in for another one in them.
func (l *Library) SetFonts(fonts *text.Book) {
	if l.fonts.Swap(fonts) == fonts {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for p, e := range l.known {
		if s, ok := p.of.(*still); ok && s.stream.outlines {
			l.remove(e)
		}
	}
}

// get is a kept picture, nil when there is none.
func (l *Library) get(p picture) *raster.Image {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k := l.touch(p); k != nil {
		return k.img
	}
	return nil
}

// outlines is a kept picture of outlines, nil when there is none.
func (l *Library) outlines(p picture) *vector.Picture {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k := l.touch(p); k != nil {
		return k.pic
	}
	return nil
}

// touch is an entry that is used now. The library is locked.
func (l *Library) touch(p picture) *kept {
	e := l.known[p]
	if e == nil {
		return nil
	}
	l.order.MoveToFront(e)
	return e.Value.(*kept)
}

// put keeps a picture, and drops the least recently used ones. A picture larger than the budget is not kept.
func (l *Library) put(p picture, img *raster.Image) {
	l.keep(&kept{picture: p, img: img, size: int64(len(img.Pix))})
}

// putOutlines is put for a picture of outlines.
func (l *Library) putOutlines(p picture, pic *vector.Picture) {
	l.keep(&kept{picture: p, pic: pic, size: pic.Cost()})
}

func (l *Library) keep(k *kept) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(l.known[k.picture])
	if k.size > l.room() {
		return
	}
	l.known[k.picture] = l.order.PushFront(k)
	l.used += k.size
	l.fit()
}

// fit drops the least recently used pictures until the rest is within the budget. The library is locked.
func (l *Library) fit() {
	for room := l.room(); l.used > room; {
		l.remove(l.order.Back())
	}
}

// free is the part of the budget that decoding does not take. The library is locked.
func (l *Library) free() int64 {
	taken := l.stills
	for _, f := range l.films {
		taken += f.cost()
	}
	return max(l.budget-taken, l.budget/3)
}

// room is how much of the budget is there for pictures of files. The library is locked.
func (l *Library) room() int64 { return max(0, l.free()-l.lent) }

// Lend takes bytes of the budget for pictures that somebody else keeps, and drops the least recently used of its own where that takes room.
// It lends two thirds at most of what decoders leave: false means that there is nothing more to lend.
func (l *Library) Lend(bytes int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lent+bytes > l.free()/3*2 {
		return false
	}
	l.lent += bytes
	l.fit()
	return true
}

// Return gives back what Lend took.
func (l *Library) Return(bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lent -= bytes
}

// drop drops a picture, if it is kept.
func (l *Library) drop(p picture) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(l.known[p])
}

// dropAll drops all pictures of a reader.
func (l *Library) dropAll(of reader) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for p, e := range l.known {
		if p.of == of {
			l.remove(e)
		}
	}
}

// remove drops an entry, if there is one. The library is locked.
func (l *Library) remove(e *list.Element) {
	if e == nil {
		return
	}
	k := l.order.Remove(e).(*kept)
	delete(l.known, k.picture)
	l.used -= k.size
}

// Holds is how many bytes of pictures are kept, and how many ffmpeg processes read films.
func (l *Library) Holds() (bytes int64, decoders int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.films {
		decoders += int(f.running.Load())
	}
	return l.used, decoders
}

// share is how many frames of that size a film may keep behind each of its decoders.
func (l *Library) share(bytes int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(windowLeast, min(windowMost, int(l.room()/2)/max(1, bytes)))
}

// decode runs the decoding of a still once so many bytes more may be used.
func (l *Library) decode(ctx context.Context, bytes int64, run func() error) error {
	bytes = min(bytes, l.budget)
	if err := l.reading.Acquire(ctx, bytes); err != nil {
		return context.Cause(ctx)
	}
	defer l.reading.Release(bytes)
	l.decoding(bytes)
	defer l.decoding(-bytes)
	return run()
}

func (l *Library) decoding(bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stills += bytes
	l.fit()
}

// reads records that f, which is locked, starts one more decoder, and stops those of the least recently used films: where there are too many, and of idle films
// where decoders take more than half of the budget.
func (l *Library) reads(f *film) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(f)
	running, taken := 1, f.cost()+f.decoderCost()
	running += int(f.running.Load())
	for _, other := range l.films {
		running, taken = running+int(other.running.Load()), taken+other.cost()
	}
	idle := l.clock.Load() - idleAfter
	for i := 0; i < len(l.films); {
		other := l.films[i]
		n, cost := int(other.running.Load()), other.cost()
		needed := running <= maxDecoders && (taken <= l.budget/2 || other.used.Load() >= idle)
		if needed || !other.stopIdle() { // or it is in use
			i++
			continue
		}
		running, taken = running-n, taken-cost
		l.films = append(l.films[:i], l.films[i+1:]...)
	}
	l.films = append(l.films, f)
	l.fit()
}

// ended records that f has no decoders any more.
func (l *Library) ended(f *film) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(f)
}

func (l *Library) forget(f *film) {
	for i, other := range l.films {
		if other == f {
			l.films = append(l.films[:i:i], l.films[i+1:]...)
			return
		}
	}
}
