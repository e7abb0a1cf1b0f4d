package web

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/request"
	"overcrank/api/throttle"
	"overcrank/coordinator"
	"overcrank/coordinator/people"
	"overcrank/farm"
	"overcrank/inbound"
	"overcrank/web/page"
)

const (
	sessionCookie = "overcrank_session"
	themeCookie   = "overcrank_theme"
	sessionLife   = 14 * 24 * time.Hour
	// movedCookie tells the page's script by which code this browser has just come here: what the fields of another coordinator's page
	// held is filled in only when it came with the same code. No link can set a cookie.
	movedCookie = "overcrank_moved"
	movedFor    = 60 // seconds
)

// sessions signs the cookies that stand for a token in a browser. The token and the session are looked up at each request, so that
// revoking the one and ending the other hold at once.
type sessions struct{ key []byte }

// seal makes the value of a cookie: the token's id, the session's, and the second at which it ends.
func (s sessions) seal(tokenID string, session farm.Session) string {
	body := tokenID + "." + session.ID + "." + strconv.FormatInt(session.Until.Unix(), 10)
	return body + "." + s.signature(body)
}

// open gives what a cookie stands for when it is ours.
func (s sessions) open(cookie string) (tokenID string, session farm.Session, ok bool) {
	i := strings.LastIndexByte(cookie, '.')
	if i < 0 || !hmac.Equal([]byte(cookie[i+1:]), []byte(s.signature(cookie[:i]))) {
		return "", session, false
	}
	parts := strings.Split(cookie[:i], ".")
	if len(parts) != 3 {
		return "", session, false // one of an earlier release, whose sessions could not be ended
	}
	seconds, err := strconv.ParseInt(parts[2], 10, 64)
	return parts[0], farm.Session{ID: parts[1], Until: time.Unix(seconds, 0)}, err == nil
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

// begin signs the browser in, and shows it a page. Whoever was signed in before is signed out.
func (s *server) begin(c *fiber.Ctx, tokenID, to string) error {
	if before, err := s.reader(c); err == nil {
		ctx, cancel := s.call()
		defer cancel()
		if err := s.farm.people.EndSession(ctx, before); err != nil {
			return err
		}
	}
	session := s.farm.people.NewSession(sessionLife)
	c.Cookie(&fiber.Cookie{
		Name: sessionCookie, Value: s.sessions.seal(tokenID, session), Path: "/", Expires: session.Until,
		HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode, Secure: c.Secure(),
	})
	return c.Redirect(to, fiber.StatusSeeOther)
}

func (s *server) signInPage(c *fiber.Ctx) error {
	if _, err := s.reader(c); err == nil {
		return c.Redirect("/", fiber.StatusSeeOther)
	}
	return s.render(c, page.SignIn(page.Shell{Title: "Sign in", Theme: themeOf(c), Version: s.version}, ""))
}

func (s *server) signIn(c *fiber.Ctx) error {
	ctx, cancel := s.call()
	defer cancel()
	p, err := s.farm.people.Authenticate(ctx, strings.TrimSpace(c.FormValue("token")))
	if farm.CodeOf(err) == farm.CodeUnauthorized {
		if wait := s.strangers.Take(inbound.Caller(request.Origin(c)), time.Now()); wait > 0 {
			c.Set(fiber.HeaderRetryAfter, throttle.RetryAfter(wait))
			return farm.Errorf(farm.CodeRateLimited, "too many wrong tokens from this address; try again in a moment")
		}
		c.Status(fiber.StatusUnauthorized)
		return s.render(c, page.SignIn(page.Shell{Title: "Sign in", Theme: themeOf(c), Version: s.version},
			"The farm does not know this token, or it has been revoked."))
	}
	if err != nil {
		return err
	}
	return s.begin(c, p.TokenID, "/")
}

// lookAtLink shows whom a sign-in link stands for. Looking signs nobody in and does not use the link up: mail gateways and previews
// look at every link that they pass on.
func (s *server) lookAtLink(c *fiber.Ctx) error {
	ctx, cancel := s.call()
	defer cancel()
	to := localPath(c.Query("to"))
	now, unknown := s.reader(c)
	p, err := s.farm.people.LookAtSignIn(ctx, c.Params("code"))
	if unknown == nil && (err == nil && p.TokenID == now.TokenID || farm.CodeOf(err) == farm.CodeGone && to != "/") {
		return c.Redirect(to, fiber.StatusSeeOther)
	}
	if err != nil {
		return err
	}
	team, _, err := s.farm.people.Team(ctx, p, p.Team)
	if err != nil {
		return err
	}
	v := page.SignInLink{Action: c.OriginalURL(), Who: p.Name, Team: team.Name, Now: now.Name}
	return s.render(c, page.SignInByLink(page.Shell{Title: "Sign in", Theme: themeOf(c), Version: s.version}, v))
}

// signInByLink takes a code that works once. Only this page, or a page of another coordinator that goes on here, may sign a browser in:
// what other sites send is only looked at, so that nobody is signed in as somebody else without being asked.
func (s *server) signInByLink(c *fiber.Ctx) error {
	moved := s.fromThisFarm(c)
	if !moved && !sameOrigin(c) {
		return s.lookAtLink(c)
	}
	ctx, cancel := s.call()
	defer cancel()
	to, code := localPath(c.Query("to")), c.Params("code")
	now, unknown := s.reader(c)
	p, err := s.farm.people.UseSignIn(ctx, code)
	if farm.CodeOf(err) == farm.CodeGone && to != "/" && unknown == nil {
		return c.Redirect(to, fiber.StatusSeeOther)
	}
	if err != nil {
		return err
	}
	c.Cookie(&fiber.Cookie{Name: movedCookie, Value: code, Path: "/", MaxAge: movedFor, SameSite: fiber.CookieSameSiteLaxMode, Secure: c.Secure()})
	if unknown == nil && p.TokenID == now.TokenID {
		return c.Redirect(to, fiber.StatusSeeOther)
	}
	return s.begin(c, p.TokenID, to)
}

func (s *server) signOut(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.call()
	defer cancel()
	if err := s.farm.people.EndSession(ctx, p); err != nil {
		return err // the cookie stays, so that it can be tried again
	}
	c.Cookie(&fiber.Cookie{Name: sessionCookie, Path: "/", Expires: time.Unix(0, 0), HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode})
	return c.Redirect("/sign-in", fiber.StatusSeeOther)
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
