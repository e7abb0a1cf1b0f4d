package web

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
)

// codeEvery is how often an open page gets a fresh code with which it can go on at another coordinator: such codes are good for
// minutes only.
const codeEvery = 3 * time.Minute

// elsewhere is how a page goes on when its coordinator is gone: at which addresses, and with what it is let in there, once.
type elsewhere struct {
	Others []string `json:"others"`
	Code   string   `json:"code"`
}

// tellElsewhere tells the page where else it could be, when that has changed or its code grows old.
func (l *liveSession) tellElsewhere(now time.Time) error {
	others := l.farm.otherAddresses()
	if slices.Equal(others, l.others) && (len(others) == 0 || now.Sub(l.toldAt) < codeEvery) {
		return nil
	}
	l.others, l.toldAt = others, now
	at := elsewhere{Others: append([]string{}, others...)}
	if len(others) > 0 {
		at.Code = l.farm.people.SignIn(l.reader).Code
	}
	return l.write(part{Elsewhere: &at})
}

// fromThisFarm tells whether a form was sent by a page of another coordinator of the farm.
func (s *server) fromThisFarm(c *fiber.Ctx) bool {
	origin, err := url.Parse(c.Get(fiber.HeaderOrigin))
	if err != nil || origin.Host == "" {
		return false
	}
	return slices.ContainsFunc(s.farm.otherAddresses(), func(address string) bool {
		other, err := url.Parse(address)
		return err == nil && other.Scheme == origin.Scheme && other.Host == origin.Host
	})
}

// localPath is a path of this farm, "/" for what is none.
func localPath(path string) string {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n\t") {
		return "/"
	}
	if u, err := url.Parse(path); err != nil || u.Host != "" || u.Scheme != "" {
		return "/"
	}
	return path
}

// policy is the content policy of a page: it may load and reach nothing but this farm, and ask its other coordinators whether they
// are there and go on at one of them.
func (s *server) policy() string {
	var others strings.Builder
	for _, address := range s.farm.otherAddresses() {
		if u, err := url.Parse(address); err == nil && u.Host != "" && !strings.ContainsAny(u.Host, " ;,'\"") {
			others.WriteString(" " + u.Scheme + "://" + u.Host)
		}
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' blob:; media-src 'self' blob:; " +
		"base-uri 'none'; frame-ancestors 'none'; form-action 'self'" + others.String() + "; connect-src 'self'" + others.String()
}
