// Package preview draws single frames of templates as jobs would have them, while people still type what goes into them. Projects come from
// untrusted sources, so the engine that draws works in child processes with limits. A process keeps one project open: the second frame
// costs little more than its drawing.
package preview

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"overcrank/coordinator/files"
	"overcrank/farm"
)

const (
	// MostWidth is how wide a picture is at most, in pixels; usualWidth when nobody says.
	MostWidth  = 1920
	usualWidth = 960
	// mostWarm is how many templates are kept open, and how many frames are drawn at once.
	mostWarm = 3
	// idle is how long a template is kept open that nobody looks at.
	idle = 3 * time.Minute
	// mostUnpacked is how many bytes an archive may unpack to for a preview.
	mostUnpacked = 8 << 30
	// mostFile is how large a file may be that a preview shows of those that the team keeps, mostFiles all that one template has been given, in bytes.
	mostFile    = 256 << 20
	mostFiles   = 1 << 30
	mostNotes   = 20 // that are told of a frame
	longestNote = 300
)

// Bounds are the limits of a process that draws.
type Bounds struct {
	Memory int64         // bytes; 0 means 1 GiB
	Open   time.Duration // for the first frame of a template, which has to be brought here and opened; 0 means a minute
	Draw   time.Duration // for another one; 0 means half a minute
}

// Config says how previews are drawn.
type Config struct {
	Program []string // and its first words, which must call Main
	Bounds  Bounds
	Dir     string // for what processes unpack; what is in it goes when a Room is made
	MinFree int64  // bytes kept free on its disk
	Logger  *slog.Logger
}

// Shot is a frame that is wanted.
type Shot struct {
	Version     int          `json:"-"` // of the template, 0 for the present one
	Composition string       `json:"composition"`
	Assets      []farm.Asset `json:"assets,omitempty"` // as in a job
	Frame       int          `json:"frame"`            // from 0; below 0 for the one at Time
	Time        float64      `json:"time,omitempty"`   // seconds from the composition's start
	// Files are those of Assets that are shown, by their Src: paths on this machine. A Room sets them.
	Files map[string]string `json:"files,omitempty"`
	Width int               `json:"width"` // pixels, up to MostWidth, 0 for half of that; a smaller composition is drawn as large as it is
}

// Picture is a frame that was drawn.
type Picture struct {
	JPEG   []byte   `json:"jpeg"`
	Frame  int      `json:"frame"`  // from 0
	Frames int      `json:"frames"` // of the composition
	Rate   float64  `json:"rate"`   // frames in a second
	Width  int      `json:"width"`  // pixels
	Height int      `json:"height"` // pixels
	Notes  []string `json:"notes"`  // on what a render shows differently, for people
}

// Farm is what previews ask of the coordinator that they are at.
type Farm interface {
	// Template gives a template of the caller's team.
	Template(ctx context.Context, p farm.Principal, id string) (farm.Template, error)
	// FontsFor are the fonts of the team's library that a job of a template would be given.
	FontsFor(t farm.Template) ([]farm.FileRef, error)
	// File is a file that a team keeps, by its hash; CodeNotFound when it does not.
	File(team, sha256 string) (farm.FileRef, error)
}

// Room draws previews. Its methods may be called at the same time.
type Room struct {
	cfg    Config
	farm   Farm
	proofs *files.Proofs
	log    *slog.Logger

	ctx   context.Context // ends with Run
	end   context.CancelFunc
	seats chan struct{} // of drawings under way
	work  sync.WaitGroup

	mu     sync.Mutex
	closed bool
	stages map[string]*stage  // by what they show
	asked  map[string]*asking // the last preview that each person asked for, until it is answered
}

// asking is a preview that somebody waits for.
type asking struct{ end context.CancelCauseFunc }

// ErrOvertaken is the cause of a preview's end whose person has asked for another one.
var ErrOvertaken = errors.New("a newer preview took the place of this one")

// New makes a room. Run has to run, or processes are kept for ever.
func New(f Farm, proofs *files.Proofs, cfg Config) *Room {
	b := &cfg.Bounds
	b.Memory, b.Open, b.Draw = cmp.Or(b.Memory, 1<<30), cmp.Or(b.Open, time.Minute), cmp.Or(b.Draw, 30*time.Second)
	r := &Room{
		cfg: cfg, farm: f, proofs: proofs, log: cfg.Logger,
		seats: make(chan struct{}, mostWarm), stages: map[string]*stage{}, asked: map[string]*asking{},
	}
	r.ctx, r.end = context.WithCancel(context.Background())
	if err := os.RemoveAll(cfg.Dir); err != nil {
		r.log.Warn("clearing the folder of previews", "error", err)
	}
	return r
}

// Run ends processes that nobody needs, until ctx ends, and then all of them.
func (r *Room) Run(ctx context.Context) {
	tick := time.NewTicker(idle / 6)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			r.close()
			return
		case now := <-tick.C:
			r.tidy(now.Add(-idle))
		}
	}
}

// Draw draws a frame of a template of the caller's team. One caller has one preview at a time: a newer one takes the place of the one
// before, which is CodeConflict. CodeInvalid says what the engine cannot draw, CodeTooLarge that it takes more than a preview may.
func (r *Room) Draw(ctx context.Context, p farm.Principal, template string, shot Shot) (Picture, error) {
	if err := p.May(farm.ActSubmit); err != nil {
		return Picture{}, err
	}
	t, err := r.farm.Template(ctx, p, template)
	if err != nil {
		return Picture{}, err
	}
	t, kept := t.AtVersion(shot.Version)
	if !kept {
		return Picture{}, farm.Invalid("there is no such preview", t.WrongVersion("version", shot.Version))
	}
	if t.File == nil || t.Status != farm.TemplateUploaded {
		return Picture{}, farm.Errorf(farm.CodeConflict, "template %q has not been read: there is nothing to preview yet", t.DisplayName)
	}
	if len(r.cfg.Program) == 0 {
		return Picture{}, farm.Errorf(farm.CodeUnavailable, "this coordinator draws no previews")
	}
	if shot.Width = min(shot.Width, MostWidth); shot.Width <= 0 {
		shot.Width = usualWidth
	}
	ctx, leave := r.seat(ctx, p)
	defer leave()
	picture, err := r.draw(ctx, t, shot)
	if err != nil {
		return Picture{}, r.words(ctx, t, err)
	}
	return picture, nil
}

// seat makes a preview the one that its person waits for.
func (r *Room) seat(ctx context.Context, p farm.Principal) (context.Context, func()) {
	ctx, end := context.WithCancelCause(ctx)
	mine, who := &asking{end}, p.Team+" "+p.TokenID
	r.mu.Lock()
	defer r.mu.Unlock()
	if before := r.asked[who]; before != nil {
		before.end(ErrOvertaken)
	}
	r.asked[who] = mine
	return ctx, func() {
		end(nil)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.asked[who] == mine {
			delete(r.asked, who)
		}
	}
}

// draw draws a frame once there is room for it.
func (r *Room) draw(ctx context.Context, t farm.Template, shot Shot) (Picture, error) {
	select {
	case r.seats <- struct{}{}:
	case <-ctx.Done():
		return Picture{}, ctx.Err()
	}
	free := func() { <-r.seats }
	s, err := r.hold(t)
	if err != nil {
		free()
		return Picture{}, err
	}
	return s.draw(ctx, shot, func() { r.letGo(s); free() })
}

// words are an error for people.
func (r *Room) words(ctx context.Context, t farm.Template, err error) error {
	var refused *Refusal
	var told *farm.Error
	switch {
	case errors.Is(context.Cause(ctx), ErrOvertaken):
		return farm.Errorf(farm.CodeConflict, "%w", ErrOvertaken)
	case errors.As(err, &refused):
		return farm.Errorf(farm.CodeInvalid, "%s", farm.AsIs(refused.Message))
	case errors.As(err, &told), ctx.Err() != nil:
		return err
	case errors.Is(err, errMemory):
		return farm.Errorf(farm.CodeTooLarge, "a preview of this takes more than %d MiB of memory; render a draft instead", r.cfg.Bounds.Memory>>20)
	case errors.Is(err, errTime):
		return farm.Errorf(farm.CodeTooLarge, "a preview of this takes longer than it may; render a draft instead")
	case errors.Is(err, errClosed):
		return farm.Errorf(farm.CodeUnavailable, "this coordinator is stopping; ask again in a moment")
	}
	r.log.Error("drawing a preview", "template", t.ID, "error", err)
	return farm.Errorf(farm.CodeUnavailable, "the preview could not be drawn; the coordinator's log says why")
}

// tell keeps notes short and few.
func tell(notes []string) []string {
	told := make([]string, 0, min(len(notes), mostNotes))
	for _, note := range notes[:min(len(notes), mostNotes)] {
		if len(note) > longestNote {
			note = strings.ToValidUTF8(note[:longestNote], "") + "…"
		}
		told = append(told, note)
	}
	if more := len(notes) - len(told); more > 0 {
		told = append(told, fmt.Sprintf("(%d more)", more))
	}
	return told
}
