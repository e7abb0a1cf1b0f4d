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

	"overcrank/api"
	"overcrank/api/throttle"
	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/inbound"
	"overcrank/web/page"
)

const (
	sessionCookie = "overcrank_session"
	themeCookie   = "overcrank_theme"
	sessionLife   = 14 * 24 * time.Hour
)

// sessions signs the cookies that stand for a token in a browser. The token itself is looked up at each request, so
// that a revoked one ends its sessions.
type sessions struct{ key []byte }

// seal makes the value of a cookie.
func (s sessions) seal(tokenID string, until time.Time) string {
	body := tokenID + "." + strconv.FormatInt(until.Unix(), 10)
	return body + "." + s.signature(body)
}

// open gives the token's id when the cookie is ours and has not run out.
func (s sessions) open(cookie string, now time.Time) (tokenID string, ok bool) {
	i := strings.LastIndexByte(cookie, '.')
	if i < 0 || !hmac.Equal([]byte(cookie[i+1:]), []byte(s.signature(cookie[:i]))) {
		return "", false
	}
	tokenID, until, _ := strings.Cut(cookie[:i], ".")
	seconds, err := strconv.ParseInt(until, 10, 64)
	return tokenID, err == nil && now.Before(time.Unix(seconds, 0))
}

func (s sessions) signature(body string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(body))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// reader is who is signed in; CodeUnauthorized when nobody is.
func (s *server) reader(c *fiber.Ctx) (farm.Principal, error) { return s.sessions.reader(c, s.farm) }

func (s sessions) reader(c *fiber.Ctx, f *coordinator.Coordinator) (farm.Principal, error) {
	tokenID, ok := s.open(c.Cookies(sessionCookie), time.Now())
	if !ok {
		return farm.Principal{}, farm.Errorf(farm.CodeUnauthorized, "not signed in")
	}
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	return f.PrincipalOf(ctx, tokenID)
}

func sessionsOf(f *coordinator.Coordinator) sessions {
	return sessions{key: f.SigningKey("browser sessions")}
}

// Reader tells other handlers of the same server who is signed in to the dashboard; CodeUnauthorized when nobody is.
func Reader(f *coordinator.Coordinator) func(*fiber.Ctx) (farm.Principal, error) {
	s := sessionsOf(f)
	return func(c *fiber.Ctx) (farm.Principal, error) { return s.reader(c, f) }
}

// begin signs the browser in, and shows it a page.
func (s *server) begin(c *fiber.Ctx, tokenID, to string) error {
	until := time.Now().Add(sessionLife)
	c.Cookie(&fiber.Cookie{
		Name: sessionCookie, Value: s.sessions.seal(tokenID, until), Path: "/", Expires: until,
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
	p, err := s.farm.Authenticate(ctx, strings.TrimSpace(c.FormValue("token")))
	if farm.CodeOf(err) == farm.CodeUnauthorized {
		if wait := s.strangers.Take(inbound.Caller(api.Origin(c)), time.Now()); wait > 0 {
			c.Set(fiber.HeaderRetryAfter, throttle.RetryAfter(wait))
			return farm.Errorf(farm.CodeRateLimited, "too many tokens from this address were wrong; try again in a moment")
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

// signInByLink takes a code that works once.
func (s *server) signInByLink(c *fiber.Ctx) error { return s.goOn(c, c.Params("code")) }

func (s *server) signOut(c *fiber.Ctx, _ farm.Principal) error {
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
