package web

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/request"
	"overcrank/coordinator"
	"overcrank/coordinator/people"
	"overcrank/farm"
)

const (
	sessionCookie = "overcrank_session"
	themeCookie   = "overcrank_theme"
	// knownCookie shows that somebody has signed in with a password in this browser, which may then try again while others guess.
	knownCookie = "overcrank_known"
	knownLife   = 365 * 24 * time.Hour
	sessionLife = 14 * 24 * time.Hour
	// movedCookie tells the page's script by which code this browser has just come here: what the fields of another coordinator's page
	// held is filled in only when it came with the same code. No link can set a cookie.
	movedCookie = "overcrank_moved"
	movedFor    = 60 // seconds
)

// sessions signs the cookies that stand for a session of a token's holder. Both are looked up at each request, so that revoking the one and
// ending the other hold at once.
type sessions struct{ key []byte }

// seal makes the value of a cookie: the token's id, the session's, the second at which it ends, and how often the cookie was replaced.
func (s sessions) seal(tokenID string, session farm.Session) string {
	body := tokenID + "." + session.ID + "." + strconv.FormatInt(session.Until.Unix(), 10) + "." + strconv.Itoa(session.Turn)
	return body + "." + s.signature(body)
}

// open gives what a cookie stands for when it is ours.
func (s sessions) open(cookie string) (tokenID string, session farm.Session, ok bool) {
	i := strings.LastIndexByte(cookie, '.')
	if i < 0 || !hmac.Equal([]byte(cookie[i+1:]), []byte(s.signature(cookie[:i]))) {
		return "", session, false
	}
	parts := strings.Split(cookie[:i], ".")
	if len(parts) != 4 {
		return "", session, false // one of an earlier release, whose sessions the farm does not know
	}
	seconds, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil {
		return "", session, false
	}
	turn, err := strconv.Atoi(parts[3])
	return parts[0], farm.Session{ID: parts[1], Until: time.Unix(seconds, 0), Turn: turn}, err == nil
}

func (s sessions) signature(body string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(body))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// reader is who is signed in; CodeUnauthorized when nobody is.
func (s *server) reader(c *fiber.Ctx) (farm.Principal, error) {
	return s.sessions.reader(c, s.farm.people)
}

func (s sessions) reader(c *fiber.Ctx, directory *people.Directory) (farm.Principal, error) {
	tokenID, session, ok := s.open(c.Cookies(sessionCookie))
	if !ok {
		return farm.Principal{}, farm.Errorf(farm.CodeUnauthorized, "not signed in")
	}
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	return directory.InSession(ctx, tokenID, session)
}

func sessionsOf(f *coordinator.Coordinator) sessions {
	return sessions{key: f.SigningKey("browser sessions")}
}

// Reader tells other handlers of the same server who is signed in to the dashboard; CodeUnauthorized when nobody is.
func Reader(f *coordinator.Coordinator) func(*fiber.Ctx) (farm.Principal, error) {
	s := sessionsOf(f)
	return func(c *fiber.Ctx) (farm.Principal, error) { return s.reader(c, f.Directory) }
}

// begin signs the browser in, and shows it a page.
func (s *server) begin(c *fiber.Ctx, tokenID, to string) error {
	if err := s.signInAs(c, tokenID); err != nil {
		return err
	}
	return c.Redirect(to, fiber.StatusSeeOther)
}

// signInAs signs the browser in. Whoever was signed in before is signed out.
func (s *server) signInAs(c *fiber.Ctx, tokenID string) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if before, err := s.reader(c); err == nil {
		if err := s.farm.people.EndSession(ctx, before); err != nil {
			return err
		}
	}
	from := people.Browser{Name: c.Get(fiber.HeaderUserAgent), Address: hostOf(request.Origin(c))}
	session, err := s.farm.people.BeginSession(ctx, tokenID, from, sessionLife)
	if err != nil {
		return err
	}
	s.keepSession(c, tokenID, session)
	p, err := s.farm.people.InSession(ctx, tokenID, session)
	if err != nil {
		return err
	}
	s.noteLanguage(c, p, browserLanguage(c))
	return nil
}

func (s *server) keepSession(c *fiber.Ctx, tokenID string, session farm.Session) {
	c.Cookie(&fiber.Cookie{
		Name: sessionCookie, Value: s.sessions.seal(tokenID, session), Path: "/", Expires: session.Until,
		HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode, Secure: c.Secure(),
	})
}

// turn gives the browser another cookie once in a while, so that one that was taken from it is of no use for long. A page is shown without
// it, too: without a leader the farm replaces none.
func (s *server) turn(c *fiber.Ctx, p farm.Principal) {
	if c.Method() != fiber.MethodGet {
		return
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	lasts := time.Duration(0)
	if c.Route().Path == wallPath {
		lasts = sessionLife // nobody is there to sign in again
	}
	session, due, err := s.farm.people.TurnSession(ctx, p, lasts)
	switch {
	case err != nil:
		s.logger.Warn("the cookie of a session was not replaced; the next page tries again", "error", err)
	case due:
		s.keepSession(c, p.TokenID, session)
	}
}

// hostOf is an address without its port.
func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}

// theme remembers light, dark or the system's.
func (s *server) theme(c *fiber.Ctx, _ farm.Principal) error {
	c.Cookie(&fiber.Cookie{
		Name: themeCookie, Value: knownTheme(c.FormValue("theme")), Path: "/", Expires: time.Now().AddDate(1, 0, 0),
		HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode,
	})
	return c.Redirect(cameFrom(c, "/"), fiber.StatusSeeOther)
}

// cameFrom is the page of this farm that a form was sent from, other when the browser does not say.
func cameFrom(c *fiber.Ctx, other string) string {
	from, err := url.Parse(c.Get(fiber.HeaderReferer))
	if err != nil || from.Host != string(c.Request().URI().Host()) || !strings.HasPrefix(from.Path, "/") || strings.HasPrefix(from.Path, "//") {
		return other
	}
	return from.RequestURI()
}

func themeOf(c *fiber.Ctx) string { return knownTheme(c.Cookies(themeCookie)) }

func knownTheme(name string) string {
	if name == "dark" || name == "light" {
		return name
	}
	return "auto"
}

// sameOrigin tells whether a request that changes something was made by a page of this farm.
func sameOrigin(c *fiber.Ctx) bool {
	if site := c.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	origin, err := url.Parse(c.Get(fiber.HeaderOrigin))
	return err == nil && origin.Host != "" && origin.Host == string(c.Request().URI().Host())
}
