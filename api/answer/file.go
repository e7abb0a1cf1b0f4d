package answer

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/text/unicode/norm"

	"overcrank/api/request"
	"overcrank/coordinator/files"
)

// FileOptions say how a file is given.
type FileOptions struct {
	ContentType  string // "" takes the file's own
	Download     bool   // as an attachment rather than inline
	Name         string // "" takes the file's own
	CacheControl string // "" leaves the header as it is
}

// File answers with a stored file, or with the part of it that the request's Range names, and closes it. Requests
// for several ranges at once get the whole file, as RFC 9110 allows.
func File(c *fiber.Ctx, f *files.File, opt FileOptions) error {
	handed := false
	defer func() {
		if !handed {
			f.Close()
		}
	}()
	describeFile(c, f, opt)
	if notModified(c, f) {
		c.Status(fiber.StatusNotModified)
		return nil
	}
	part, partial, err := requestedPart(c, f)
	if err != nil {
		return err
	}
	if partial {
		c.Status(fiber.StatusPartialContent)
		c.Set(fiber.HeaderContentRange, fmt.Sprintf("bytes %d-%d/%d", part.first, part.first+part.length-1, f.Size))
	}
	if c.Method() == fiber.MethodHead {
		c.Response().SkipBody = true
		c.Response().Header.SetContentLength(int(part.length))
		return nil
	}
	if _, err := f.Seek(part.first, io.SeekStart); err != nil {
		return fmt.Errorf("reading %s: %w", f.Name, err)
	}
	handed = true
	c.Response().SetBodyStream(&filePart{file: f, left: part.length, conn: c.Context().Conn()}, int(part.length))
	return nil
}

// Download answers with a file of unknown length that is made while it is sent, and closes it. When it breaks off, so does
// the connection, so that nobody takes a part for the whole.
func Download(c *fiber.Ctx, r io.ReadCloser, contentType, name string) error {
	c.Set(fiber.HeaderContentType, contentType)
	c.Set(fiber.HeaderContentDisposition, disposition("attachment", name))
	if c.Method() == fiber.MethodHead {
		c.Response().SkipBody = true
		return r.Close()
	}
	Stream(c, r)
	return nil
}

// Stream answers with what a reader gives, to its end, and closes it. Its receiver may take its time, but not stop altogether.
func Stream(c *fiber.Ctx, r io.ReadCloser) {
	c.Response().SetBodyStream(&filePart{file: r, left: math.MaxInt64, conn: c.Context().Conn()}, -1)
}

func describeFile(c *fiber.Ctx, f *files.File, opt FileOptions) {
	contentType := opt.ContentType
	if contentType == "" {
		contentType = f.ContentType
	}
	if contentType == "" {
		contentType = fiber.MIMEOctetStream
	}
	c.Set(fiber.HeaderContentType, contentType)
	c.Set(fiber.HeaderAcceptRanges, "bytes")
	if tag := entityTag(f.ETag); tag != "" {
		c.Set(fiber.HeaderETag, tag)
	}
	if sum, err := hex.DecodeString(f.SHA256); err == nil && len(sum) > 0 {
		c.Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum)+":") // RFC 9530
	}
	if !f.Modified.IsZero() {
		c.Set(fiber.HeaderLastModified, f.Modified.UTC().Format(http.TimeFormat))
	}
	name := opt.Name
	if name == "" {
		name = f.Name
	}
	kind := "inline"
	if opt.Download {
		kind = "attachment"
	}
	c.Set(fiber.HeaderContentDisposition, disposition(kind, name))
	if opt.CacheControl != "" {
		c.Set(fiber.HeaderCacheControl, opt.CacheControl)
	}
}

// disposition is the value of Content-Disposition (RFC 6266). A name with more than ASCII in it stands there twice: as it is, for all
// programs of today, and in plain letters.
func disposition(kind, name string) string {
	if name == "" {
		return kind
	}
	name = strings.ToValidUTF8(name, "_")
	plain := strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1 // what NFKD takes off its letter
		case r < ' ' || r > '~' || r == '"' || r == '\\' || r == '/' || r == '%':
			return '_'
		}
		return r
	}, norm.NFKD.String(name))
	value := kind + `; filename="` + plain + `"`
	if plain != name {
		value += "; filename*=UTF-8''" + extended(name)
	}
	return value
}

// extended is a value in the form of RFC 8187, 3.2.
func extended(value string) string {
	const plain = "!#$&+-.^_`|~"
	var out strings.Builder
	for i := range len(value) {
		switch b := value[i]; {
		case b >= '0' && b <= '9', b >= 'A' && b <= 'Z', b >= 'a' && b <= 'z', strings.IndexByte(plain, b) >= 0:
			out.WriteByte(b)
		case b == '/' || b == '\\' || b < ' ' || b == 0x7f:
			out.WriteByte('_')
		default:
			fmt.Fprintf(&out, "%%%02X", b)
		}
	}
	return out.String()
}

func entityTag(tag string) string {
	if tag == "" || strings.HasPrefix(tag, `"`) || strings.HasPrefix(tag, `W/"`) {
		return tag
	}
	return `"` + tag + `"`
}

// notModified tells whether the caller has the file already (RFC 9110, 13.1.2 and 13.1.3).
func notModified(c *fiber.Ctx, f *files.File) bool {
	if match := c.Get(fiber.HeaderIfNoneMatch); match != "" {
		tag := strings.TrimPrefix(entityTag(f.ETag), "W/")
		for _, candidate := range strings.Split(match, ",") {
			candidate = strings.TrimSpace(candidate)
			if candidate == "*" || tag != "" && strings.TrimPrefix(candidate, "W/") == tag {
				return true
			}
		}
		return false
	}
	since, err := http.ParseTime(c.Get(fiber.HeaderIfModifiedSince))
	return err == nil && !f.Modified.IsZero() && !f.Modified.Truncate(time.Second).After(since)
}

// span is a part of a file.
type span struct{ first, length int64 }

// requestedPart is the part that Range asks for, the whole file when there is none that counts.
func requestedPart(c *fiber.Ctx, f *files.File) (part span, partial bool, err error) {
	whole := span{0, f.Size}
	asked := c.Get(fiber.HeaderRange)
	if asked == "" || !rangeApplies(c.Get(fiber.HeaderIfRange), f) {
		return whole, false, nil
	}
	part, understood, satisfiable := parseRange(asked, f.Size)
	switch {
	case !understood:
		return whole, false, nil
	case !satisfiable:
		c.Set(fiber.HeaderContentRange, fmt.Sprintf("bytes */%d", f.Size))
		return span{}, false, fiber.NewError(fiber.StatusRequestedRangeNotSatisfiable, fmt.Sprintf("the range %s lies behind the end: there are %d bytes", asked, f.Size))
	}
	return part, true, nil
}

// rangeApplies tells whether the condition of an If-Range header holds; only strong tags and exact dates count.
func rangeApplies(condition string, f *files.File) bool {
	if condition == "" {
		return true
	}
	if strings.HasPrefix(condition, `"`) {
		return condition == entityTag(f.ETag)
	}
	at, err := http.ParseTime(condition)
	return err == nil && !f.Modified.IsZero() && f.Modified.Truncate(time.Second).Equal(at)
}

// parseRange reads the value of a Range header that names one range (RFC 9110, 14.1.2).
func parseRange(value string, size int64) (part span, understood, satisfiable bool) {
	spec, isBytes := strings.CutPrefix(value, "bytes=")
	first, last, found := strings.Cut(strings.TrimSpace(spec), "-")
	if !isBytes || !found || strings.Contains(spec, ",") {
		return span{}, false, false
	}
	if first == "" {
		tail, isNumber := rangeNumber(last)
		if !isNumber {
			return span{}, false, false
		}
		tail = min(tail, size)
		return span{size - tail, tail}, true, tail > 0
	}
	from, isNumber := rangeNumber(first)
	if !isNumber {
		return span{}, false, false
	}
	to := size - 1
	if last != "" {
		if to, isNumber = rangeNumber(last); !isNumber || to < from {
			return span{}, false, false
		}
		to = min(to, size-1)
	}
	return span{from, to - from + 1}, true, from < size
}

func rangeNumber(s string) (int64, bool) {
	n, err := strconv.ParseUint(s, 10, 63)
	return int64(n), err == nil && s[0] != '+'
}

// filePart streams a part of a file and lets the receiver take its time, but not stop altogether.
type filePart struct {
	file io.ReadCloser
	left int64
	conn net.Conn
}

// Read implements io.Reader.
func (p *filePart) Read(b []byte) (int, error) {
	if p.left <= 0 {
		return 0, io.EOF
	}
	if err := p.conn.SetWriteDeadline(time.Now().Add(request.StallTimeout)); err != nil {
		return 0, fmt.Errorf("sending a file: %w", err)
	}
	if int64(len(b)) > p.left {
		b = b[:p.left]
	}
	n, err := p.file.Read(b)
	p.left -= int64(n)
	return n, err
}

// Close implements io.Closer.
func (p *filePart) Close() error { return p.file.Close() }

// OpenFile answers with the file that open finds.
func OpenFile(c *fiber.Ctx, opt FileOptions, open func(context.Context) (*files.File, error)) error {
	ctx, done := request.Call(c)
	defer done()
	f, err := open(ctx)
	if err != nil {
		return err
	}
	return File(c, f, opt)
}
