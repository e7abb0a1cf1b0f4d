package web

import (
	"context"
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"
)

// zoneCookie is where the script of each page notes the time zone of its reader, so that a day on a page is theirs.
const zoneCookie = "overcrank_zone"

type zoneKey struct{}

// withZone is a context for what a reader in a time zone reads, nil where theirs is not known.
func withZone(ctx context.Context, zone *time.Location) context.Context {
	return context.WithValue(ctx, zoneKey{}, zone)
}

// readerZone is the time zone of a request's reader; nil where their browser has not said it, or says what is none.
func readerZone(c *fiber.Ctx) *time.Location {
	name, err := url.QueryUnescape(c.Cookies(zoneCookie))
	if err != nil || name == "" {
		return nil
	}
	zone, err := zoneOf(name)
	if err != nil {
		return nil
	}
	return zone
}

// today is when the reader's day began; utc says that their time zone is not known, and it is that of UTC.
func today(ctx context.Context, now time.Time) (began time.Time, utc bool) {
	zone, _ := ctx.Value(zoneKey{}).(*time.Location)
	if zone == nil {
		zone, utc = time.UTC, true
	}
	y, m, d := now.In(zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone), utc
}
