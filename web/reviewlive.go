package web

import (
	"context"
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/socket"
	"overcrank/coordinator/reviews"
	"overcrank/farm"
)

// Messages to an open review page. They only say whether to look: what a page may see stands in one place, the answer to its look.
const (
	reviewLook = `{"look":true}`
	reviewHere = `{}` // the farm is there, and nothing is new
)

// reviewWatch follows a review page for as long as it is open.
type reviewWatch struct {
	*server
	reader farm.Principal
	// look reads which jobs the page is about; an error ends the page's socket.
	look func(ctx context.Context) (jobs map[string]bool, err error)
}

// guestLive tells a page of a link when something new was said: GET /review/…/live. Guests are held to the bounds of all who follow the farm, those
// of a link together to that of one person.
func (s *server) guestLive(c *fiber.Ctx) error {
	code, proof := c.Params("code"), c.Cookies(reviewCookie)
	visit := func(ctx context.Context) (reviews.Visit, error) { return s.farm.reviews.Visit(ctx, code, proof) }
	ctx, cancel := s.call()
	defer cancel()
	v, err := visit(ctx)
	if err != nil {
		return s.closed(c, signedOut, err)
	}
	link := farm.Principal{TokenID: "review " + v.Link.ID, Name: "this review link"}
	leave, err := s.follow.Enter(c, link)
	if err != nil {
		return s.closed(c, followsTooMuch, err)
	}
	w := reviewWatch{server: s, reader: v.Reader(), look: func(ctx context.Context) (map[string]bool, error) {
		v, err := visit(ctx)
		return jobsOf(v.Takes, v.Link.Job), err
	}}
	return s.sockets.Serve(c, socket.Options{Ended: leave}, w.run)
}

// teamReviewLive is guestLive for members of the team: GET /jobs/…/review/live.
func (s *server) teamReviewLive(c *fiber.Ctx) error {
	p, err := s.reader(c)
	if err != nil {
		return s.closed(c, signedOut, err)
	}
	leave, err := s.follow.Enter(c, p)
	if err != nil {
		return s.closed(c, followsTooMuch, err)
	}
	job := c.Params("id")
	w := reviewWatch{server: s, reader: p, look: func(ctx context.Context) (map[string]bool, error) {
		if now, err := s.farm.people.Current(ctx, p); err != nil || now != p {
			return nil, errors.Join(farm.Errorf(farm.CodeUnauthorized, "signed out"), err)
		}
		takes, err := s.farm.reviews.Takes(ctx, p, job)
		return jobsOf(takes, job), err
	}}
	return s.sockets.Serve(c, socket.Options{Ended: leave}, w.run)
}

// closed opens a socket only to say by its code why it ends: a browser's script sees no status of a refused one.
func (s *server) closed(c *fiber.Ctx, code int, err error) error {
	if farm.CodeOf(err) == "" {
		return err
	}
	return s.sockets.Serve(c, socket.Options{}, func(_ context.Context, conn *socket.Conn) error {
		conn.Close(code, "")
		return nil
	})
}

func jobsOf(takes []reviews.Take, job string) map[string]bool {
	jobs := map[string]bool{job: true}
	for _, t := range takes {
		jobs[t.ID] = true
	}
	return jobs
}

// run says when to look, at most four times a second, until the page is closed or its link is over.
func (w reviewWatch) run(ctx context.Context, conn *socket.Conn) error {
	events := w.farm.events.Watch(ctx, w.reader)
	jobs, err := w.look(ctx)
	if err != nil {
		return w.end(conn, err)
	}
	pause := time.NewTimer(0) // the first look closes the gap between the page and this socket
	defer pause.Stop()
	armed := true
	recheck := time.NewTicker(admitEvery)
	defer recheck.Stop()
	for {
		message := reviewHere
		select {
		case <-ctx.Done():
			return nil
		case _, open := <-conn.Messages():
			if !open {
				return nil
			}
			continue
		case e, open := <-events:
			if !open {
				return nil
			}
			if !armed && (e.Lost || e.Kind == farm.EventAccess || e.Kind == farm.EventJob && jobs[e.ID]) {
				pause.Reset(livePause)
				armed = true
			}
			continue
		case <-pause.C:
			message, armed = reviewLook, false
		case <-recheck.C: // a link runs out, and takes come, without an event of a job that is known here
		}
		if jobs, err = w.look(ctx); err != nil {
			return w.end(conn, err)
		}
		if err := conn.Write([]byte(message)); err != nil {
			return err
		}
	}
}

// end closes the socket of a page that may read no more; when it looks once more, it is told why.
func (w reviewWatch) end(conn *socket.Conn, err error) error {
	switch farm.CodeOf(err) {
	case farm.CodeNotFound, farm.CodeGone, farm.CodeUnauthorized:
		conn.Close(signedOut, "")
		return nil
	}
	return err
}
