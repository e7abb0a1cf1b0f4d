package web

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
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
	others := l.farm.OtherAddresses()
	if slices.Equal(others, l.others) && (len(others) == 0 || now.Sub(l.toldAt) < codeEvery) {
		return nil
	}
	l.others, l.toldAt = others, now
	at := elsewhere{Others: append([]string{}, others...)}
	if len(others) > 0 {
		at.Code = l.farm.SignIn(l.reader).Code
	}
	return l.write(part{Elsewhere: &at})
}

// goOn signs a browser in with a code that works once, and shows it the page that it was at elsewhere. Where somebody is signed in
// already, the code may have run out.
func (s *server) goOn(c *fiber.Ctx, code string) error {
	ctx, cancel := s.call()
	defer cancel()
	to := localPath(c.Query("to"))
	p, err := s.farm.UseSignIn(ctx, code)
	if farm.CodeOf(err) == farm.CodeGone && to != "/" {
		if _, unknown := s.reader(c); unknown == nil {
			return c.Redirect(to, fiber.StatusSeeOther)
		}
	}
	if err != nil {
		return err
	}
	return s.begin(c, p.TokenID, to)
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
// are there.
func (s *server) policy() string {
	const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; connect-src 'self'"
	var others strings.Builder
	for _, address := range s.farm.OtherAddresses() {
		if u, err := url.Parse(address); err == nil && u.Host != "" && !strings.ContainsAny(u.Host, " ;,'\"") {
			others.WriteString(" " + u.Scheme + "://" + u.Host)
		}
	}
	return policy + others.String()
}
