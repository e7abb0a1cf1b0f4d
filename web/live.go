package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"overcrank/api/socket"
	"overcrank/farm"
	"overcrank/web/language"
	"overcrank/web/page"
)

// events tells what happens at the farm, to whoever may hear of it.
type events interface {
	Watch(ctx context.Context, p farm.Principal) <-chan farm.Event
}

// admitEvery is how soon a page notices that its reader's access has run out, or was ended at another node, while nothing
// happens on it.
const admitEvery = 15 * time.Second

// staleAgain is when what could not be drawn is drawn again.
const staleAgain = time.Second

// livePause is the shortest time between two updates of a page: numbers must not flicker.
const livePause = 250 * time.Millisecond

// part is one message to a page: a rendered piece that replaces the one with its id, lines of a log, or where else the page could be.
type part struct {
	ID   string  `json:"id,omitempty"`
	HTML *string `json:"html,omitempty"`
	// Rows are rows of the piece with ID that are drawn anew, by their own ids; the rest of it is as it was.
	Rows  map[string]string `json:"rows,omitempty"`
	Lines []string          `json:"lines,omitempty"`
	Next  int64             `json:"next,omitempty"`  // offset in the log behind Lines
	Reset bool              `json:"reset,omitempty"` // Lines are the whole log
	// Elsewhere is where the page goes on when this coordinator is gone.
	Elsewhere *elsewhere `json:"elsewhere,omitempty"`
	// Notice is what the browser shows its reader, if that asked for it.
	Notice *browserNotice `json:"notice,omitempty"`
}

// piece is a live part of a page.
type piece struct {
	id      string
	kinds   []farm.EventKind // what makes it stale
	subject string           // id that an event must have, "" for any
	daily   bool             // what it shows depends on when the reader's day began
	common  bool             // drawn alike for all members of a team who have the same role and read the same language
	// own is what a common part shows of the reader alone, nil for nothing: it is drawn alike for those of whom it is the same.
	own func(ctx context.Context) (string, error)
	// of is what the part is drawn of, nil where that is not known without drawing it: it is drawn again only when that has changed.
	of   func(ctx context.Context) (string, error)
	draw func(ctx context.Context) (templ.Component, error)
}

// drawnOf is what the part would be drawn of now, "" where that is not known.
func (p piece) drawnOf(ctx context.Context) (string, error) {
	if p.of == nil {
		return "", nil
	}
	return p.of(ctx)
}

// signedOut is the code (RFC 6455, 7.4.1: a policy is violated) that closes the socket of a reader who may not read on.
const signedOut = 1008

// followsTooMuch is the code (of the registry of RFC 6455, 11.7: try again later) that closes the socket of a reader who has too many open.
const followsTooMuch = 1013

// live keeps the live parts of one open page current: GET /live?topic=…, and the log of a job from the offset log on, which the page has up to there.
func (s *server) live(c *fiber.Ctx) error {
	p, err := s.reader(c)
	if farm.CodeOf(err) == farm.CodeUnauthorized {
		// A browser's script sees no status of a refused socket, only the code of one that was open.
		return s.sockets.Serve(c, socket.Options{}, func(_ context.Context, conn *socket.Conn) error {
			conn.Close(signedOut, "signed out")
			return nil
		})
	}
	if err != nil {
		return err
	}
	s.greet(c, p)
	topic := c.Query("topic")
	if err := p.May(liveAction(topic)); err != nil {
		return err
	}
	shown, err := offsetOf(c.Query("log"))
	if err != nil {
		return err
	}
	leave, err := s.follow.Enter(c, p)
	if err != nil {
		return s.sockets.Serve(c, socket.Options{}, func(_ context.Context, conn *socket.Conn) error {
			conn.Close(followsTooMuch, err.Error())
			return nil
		})
	}
	// Parts are in the language that the page is in, also when another one was chosen elsewhere since.
	shell, zone, reads := s.shell(c, p, "", ""), readerZone(c), cmp.Or(farm.KnownLanguage(c.Query("language")), languageOf(c))
	return s.sockets.Serve(c, socket.Options{Ended: leave}, func(ctx context.Context, conn *socket.Conn) error {
		l := &liveSession{server: s, conn: conn, reader: p, pieces: s.pieces(p, shell, topic)}
		defer l.watch(topic, reads, zone)()
		if id, ok := strings.CutPrefix(topic, "job:"); ok {
			l.logOf, l.logAt = id, shown
		}
		return l.run(withZone(language.With(ctx, reads), zone))
	})
}

// liveAction is what it takes to watch a topic.
func liveAction(topic string) farm.Action {
	switch name, _, _ := strings.Cut(topic, ":"); name {
	case "coordinators":
		return farm.ActManageCoordinators
	case "joined":
		return farm.ActInviteMachines
	}
	return farm.ActView
}

// pieces are the live parts of a topic: a page's name, and behind a colon what of it is shown. Those of each page stand where that is read.
func (s *server) pieces(p farm.Principal, shell page.Shell, topic string) []piece {
	name, subject, _ := strings.Cut(topic, ":")
	all := s.everyPagePieces(p, shell)
	if of, ok := map[string]func(farm.Principal, page.Shell, string) []piece{
		"approvals":    s.approvalPieces,
		"batch":        s.batchPieces,
		"batches":      s.batchListPieces,
		"coordinators": s.coordinatorPieces,
		"failures":     s.failurePieces,
		"home":         s.homePieces,
		"job":          s.jobPieces,
		"jobs":         s.jobListPieces,
		"joined":       s.joinedPieces,
		"machine":      s.machinePieces,
		"machines":     s.machineListPieces,
		"projects":     s.projectPieces,
		"queue":        s.queuePieces,
		"template":     s.templatePieces,
		"templates":    s.templateListPieces,
		"wall":         s.wallPieces,
		"welcome":      s.welcomePieces,
	}[name]; ok {
		all = append(all, of(p, shell, subject)...)
	}
	return all
}

// everyPagePieces are the live parts that every page has.
func (s *server) everyPagePieces(p farm.Principal, shell page.Shell) []piece {
	return []piece{
		{id: "pulse", common: true, kinds: []farm.EventKind{farm.EventJob, farm.EventMachine}, draw: func(ctx context.Context) (templ.Component, error) {
			pulse, _ := s.pulse(ctx, p)
			return page.PulseLine(pulse), nil
		}},
		{id: "leader", common: true, kinds: []farm.EventKind{farm.EventMachine, farm.EventFarm}, draw: func(ctx context.Context) (templ.Component, error) {
			pulse, _ := s.pulse(ctx, p)
			return page.LeaderBanner(pulse), nil
		}},
		{id: "pause", common: true, kinds: []farm.EventKind{farm.EventFarm}, draw: func(ctx context.Context) (templ.Component, error) {
			_, shell.Pause = s.pulse(ctx, p)
			return page.PauseBanner(shell), nil
		}},
	}
}

// liveSession is one open page.
type liveSession struct {
	*server
	conn   *socket.Conn
	reader farm.Principal
	pieces []piece
	stale  map[string]time.Time // since when each piece may be other than what was sent
	behind bool                 // one was drawn for others before it became stale here
	shared []sharing            // of pieces, in their order
	drawn  map[string]*drawn    // what was sent of each piece
	logOf  string               // job whose log the page shows
	logAt  int64                // offset behind the lines that were sent
	news   bool                 // the log has grown
	told   []string             // notices to the reader that are not shown yet

	others []string // addresses that the page was told, and when
	toldAt time.Time
}

// sharing is the drawing that a session has in common with others of an audience.
type sharing struct {
	*drawing
	with  audience
	leave func()
}

// watch has the session share what is drawn with others, until it has left.
func (l *liveSession) watch(topic string, reads farm.Language, zone *time.Location) (leave func()) {
	for _, p := range l.pieces {
		s := sharing{drawing: newDrawing(), leave: func() {}}
		if p.common {
			s.with = audience{topic: topic, piece: p.id, reads: reads, team: l.reader.Team, first: l.reader.FirstTeam, role: l.reader.Role}
			if p.daily && zone != nil {
				s.with.zone = zone.String()
			}
			s.drawing, s.leave = l.drawings.watch(s.with)
		}
		l.shared = append(l.shared, s)
	}
	return func() {
		for _, s := range l.shared {
			s.leave()
		}
	}
}

// drawingOf is the drawing of a piece that the reader is to see now: another one once what it shows of them alone has changed.
func (l *liveSession) drawingOf(ctx context.Context, i int) (*drawing, error) {
	s := &l.shared[i]
	if l.pieces[i].own == nil {
		return s.drawing, nil
	}
	own, err := l.pieces[i].own(ctx)
	if err != nil || own == s.with.own {
		return s.drawing, err
	}
	s.leave()
	s.with.own = own
	s.drawing, s.leave = l.drawings.watch(s.with)
	return s.drawing, nil
}

// run sends what is stale, at most four times a second, until the page is closed.
func (l *liveSession) run(ctx context.Context) error {
	events := l.farm.events.Watch(ctx, l.reader)
	l.stale, l.drawn = map[string]time.Time{}, map[string]*drawn{}
	l.markAll()
	timer := time.NewTimer(0) // the first update closes the gap between the page and this socket
	defer timer.Stop()
	armed := true
	recheck := time.NewTicker(admitEvery)
	defer recheck.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case _, ok := <-l.conn.Messages():
			if !ok {
				return nil
			}
		case <-recheck.C:
			if err := l.admit(ctx); err != nil {
				return err
			}
			l.markAll() // places in line and estimates move on though nothing happens to what is shown
			if !armed {
				timer.Reset(livePause)
				armed = true
			}
		case e, ok := <-events:
			if !ok {
				return nil
			}
			if e.Kind == farm.EventAccess {
				if err := l.admit(ctx); err != nil {
					return err
				}
			}
			l.mark(e)
			if !armed && (len(l.stale) > 0 || l.news || len(l.told) > 0) {
				timer.Reset(livePause)
				armed = true
			}
		case <-timer.C:
			armed = false
			if err := l.admit(ctx); err != nil {
				return err
			}
			if err := errors.Join(l.tellElsewhere(time.Now()), l.sendNotices(ctx), l.send(ctx)); err != nil {
				return err
			}
			switch {
			case l.news, l.behind: // a long log goes out in pieces
				timer.Reset(livePause)
				armed = true
			case len(l.stale) > 0: // the farm had no leader to ask
				timer.Reset(staleAgain)
				armed = true
			}
		}
	}
}

// admit closes the page when its reader may read on no more, or may do other things than when it was opened: it is loaded again.
func (l *liveSession) admit(ctx context.Context) error {
	now, err := l.farm.people.Current(ctx, l.reader)
	if farm.CodeOf(err) == farm.CodeUnauthorized || err == nil && now != l.reader {
		l.conn.Close(signedOut, "signed out")
		return socket.ErrClosed
	}
	return err
}

func (l *liveSession) markAll() {
	for _, p := range l.pieces {
		l.stale[p.id] = time.Now()
	}
	l.news = l.logOf != ""
}

// mark notes what an event makes stale.
func (l *liveSession) mark(e farm.Event) {
	if e.Lost {
		l.markAll()
		return
	}
	l.noteNotice(e)
	for _, p := range l.pieces {
		for _, k := range p.kinds {
			if k == e.Kind && (p.subject == "" || p.subject == e.ID || p.subject == e.Job) {
				l.stale[p.id] = time.Now()
			}
		}
	}
	if l.logOf == e.ID && (e.Kind == farm.EventLog || e.Kind == farm.EventJob) {
		l.news = true
	}
}

// update is what the page has to be sent of a piece, as drawing.update has it.
func (l *liveSession) update(ctx context.Context, i int) (message *socket.Message, now *drawn, began time.Time, err error) {
	d, err := l.drawingOf(ctx, i)
	if err != nil {
		return nil, nil, time.Time{}, err
	}
	return d.update(ctx, l.pieces[i], l.drawn[l.pieces[i].id])
}

// send sends what is stale.
func (l *liveSession) send(ctx context.Context) error {
	later := map[string]time.Time{}
	defer func() { maps.Copy(l.stale, later) }()
	l.behind = false
	for i, p := range l.pieces {
		since, stale := l.stale[p.id]
		if !stale {
			continue
		}
		delete(l.stale, p.id)
		message, now, began, err := l.update(ctx, i)
		switch farm.CodeOf(err) {
		case farm.CodeNotFound:
			continue // it was removed while the page was open
		case farm.CodeUnavailable:
			later[p.id] = since
			continue // the page stays as it is until a leader knows more
		}
		if err != nil {
			return err
		}
		l.drawn[p.id] = now
		if began.Before(since) {
			later[p.id], l.behind = since, true
		}
		if message == nil {
			continue
		}
		if err := l.conn.Send(message); err != nil {
			return err
		}
	}
	if !l.news {
		return nil
	}
	l.news = false
	return l.sendLog(ctx)
}

// sendLog sends the lines that the job's log has grown by; of many, some, and then news stays set.
func (l *liveSession) sendLog(ctx context.Context) error {
	if l.logAt == 0 {
		return l.sendSections(ctx)
	}
	tail, err := l.readLog(ctx, l.reader, l.logOf, l.logAt)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if tail.other || slices.ContainsFunc(tail.lines, page.LogTurns) {
		return l.sendSections(ctx)
	}
	l.logAt, l.news = tail.next, tail.more
	if len(tail.lines) == 0 {
		return nil
	}
	return l.write(part{Lines: tail.lines, Next: tail.next})
}

// sendSections sends the end of the job's log in its sections.
func (l *liveSession) sendSections(ctx context.Context) error {
	log, tail, err := l.readJobLog(ctx, l.reader, l.logOf)
	if err != nil {
		return err
	}
	l.logAt, l.news = tail.next, tail.more
	if len(tail.lines) == 0 {
		return nil
	}
	var html strings.Builder
	if err := page.LogPart(log).Render(ctx, &html); err != nil {
		return fmt.Errorf("drawing the log of job %s: %w", l.logOf, err)
	}
	drawn := html.String()
	return l.write(part{ID: "log", HTML: &drawn})
}

func (l *liveSession) write(p part) error {
	message, err := messageOf(p)
	if err != nil {
		return err
	}
	return l.conn.Send(message)
}
