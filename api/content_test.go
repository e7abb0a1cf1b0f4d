package api_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/coordinator/files"
)

func TestAResultIsGivenWholeAndInParts(t *testing.T) {
	r := start(t)
	film := make([]byte, 100_000)
	for i := range film {
		film[i] = byte(i * 7)
	}
	job := r.submit(srcJob)
	m := r.enrol("suite-1")
	m.connect()
	m.finish(film)
	address := job.OutputURL
	whole := r.get(address, "Authorization:").into(http.StatusOK, nil)
	tag, modified := whole.header.Get("ETag"), whole.header.Get("Last-Modified")
	if !bytes.Equal(whole.body, film) || !strings.HasPrefix(tag, `"`) || modified == "" || whole.header.Get("Accept-Ranges") != "bytes" {
		t.Fatalf("the result is %d bytes, %v", len(whole.body), whole.header)
	}
	later := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	last := film[len(film)-1:]
	for name, test := range map[string]struct {
		header []string
		status int
		body   []byte
		span   string
	}{
		"a part":                    {[]string{"Range: bytes=10-19"}, 206, film[10:20], "bytes 10-19/100000"},
		"from a place on":           {[]string{"Range: bytes=99990-"}, 206, film[99990:], "bytes 99990-99999/100000"},
		"the end":                   {[]string{"Range: bytes=-10"}, 206, film[99990:], "bytes 99990-99999/100000"},
		"more than there is":        {[]string{"Range: bytes=99999-200000"}, 206, last, "bytes 99999-99999/100000"},
		"a tail longer than all":    {[]string{"Range: bytes=-200000"}, 206, film, "bytes 0-99999/100000"},
		"behind the end":            {[]string{"Range: bytes=100000-"}, 416, nil, "bytes */100000"},
		"an empty tail":             {[]string{"Range: bytes=-0"}, 416, nil, "bytes */100000"},
		"several parts":             {[]string{"Range: bytes=0-1,5-6"}, 200, film, ""},
		"backwards":                 {[]string{"Range: bytes=9-3"}, 200, film, ""},
		"another unit":              {[]string{"Range: frames=1-2"}, 200, film, ""},
		"no numbers":                {[]string{"Range: bytes=a-b"}, 200, film, ""},
		"a sign":                    {[]string{"Range: bytes=+1-2"}, 200, film, ""},
		"a huge number":             {[]string{"Range: bytes=99999999999999999999-"}, 200, film, ""},
		"if it is the same":         {[]string{"Range: bytes=0-0", "If-Range: " + tag}, 206, film[:1], "bytes 0-0/100000"},
		"if its time is the same":   {[]string{"Range: bytes=0-0", "If-Range: " + modified}, 206, film[:1], "bytes 0-0/100000"},
		"if it is another":          {[]string{"Range: bytes=0-0", `If-Range: "another"`}, 200, film, ""},
		"if a weak tag fits":        {[]string{"Range: bytes=0-0", "If-Range: W/" + tag}, 200, film, ""},
		"known by tag":              {[]string{"If-None-Match: " + tag}, 304, nil, ""},
		"known by one of some tags": {[]string{`If-None-Match: "x", W/` + tag}, 304, nil, ""},
		"another is known":          {[]string{`If-None-Match: "x"`, "If-Modified-Since: " + later}, 200, film, ""},
		"not modified since":        {[]string{"If-Modified-Since: " + later}, 304, nil, ""},
		"modified since":            {[]string{"If-Modified-Since: Mon, 01 Jan 2001 00:00:00 GMT"}, 200, film, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := r.get(address, test.header...)
			if a.status != test.status || test.status < 300 && !bytes.Equal(a.body, test.body) || a.header.Get("Content-Range") != test.span {
				t.Errorf("got %d, %d bytes, Content-Range %q", a.status, len(a.body), a.header.Get("Content-Range"))
			}
			head := r.send(http.MethodHead, address, nil, test.header...)
			if head.status != test.status || len(head.body) != 0 || test.status < 300 && head.header.Get("Content-Length") != a.header.Get("Content-Length") {
				t.Errorf("HEAD gives %d, %d bytes, Content-Length %q; GET has %q", head.status, len(head.body), head.header.Get("Content-Length"), a.header.Get("Content-Length"))
			}
		})
	}
	for _, name := range []string{"x.mp4", "%2e%2e", "..%2f..%2fadmin.token", strings.TrimSuffix(job.ID, "A") + ".mp4"} {
		r.get("/outputs/"+name, "Authorization:").refused(http.StatusNotFound)
	}
}

func TestAResultIsNamedByItsJob(t *testing.T) {
	r := start(t)
	m := r.enrol("suite-1")
	m.connect()
	for name, want := range map[string]string{
		"Frühling / 2027":  `inline; filename="Fruhling _ 2027.mp4"; filename*=UTF-8''Fr%C3%BChling%20_%202027.mp4`,
		"Night Shift.mp4":  `inline; filename="Night Shift.mp4"`,
		`a"b\\c`:           `inline; filename="a_b__c.mp4"`,
		"../../etc/passwd": `inline; filename="_.._etc_passwd.mp4"`,
		"春":                `inline; filename="_.mp4"; filename*=UTF-8''%E6%98%A5.mp4`,
	} {
		named, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		job := r.submit(strings.Replace(srcJob, "{", `{"name": `+string(named)+`, `, 1))
		m.finish([]byte("film"))
		if got := r.get(job.OutputURL, "Authorization:").into(http.StatusOK, nil).header.Get("Content-Disposition"); got != want {
			t.Errorf("%q is given as %s, want %s", name, got, want)
		}
	}
}

// A caller can compare what came with what was rendered, and is given nothing of a result that is not that any more.
func TestAResultCarriesItsHash(t *testing.T) {
	r := start(t)
	job := r.submit(srcJob)
	m := r.enrol("suite-1")
	m.connect()
	film := bytes.Repeat([]byte("a film "), 20_000)
	m.finish(film)
	sum := sha256.Sum256(film)
	digest := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
	for _, span := range []string{"", "Range: bytes=10-19"} {
		header := []string{"Authorization:"}
		if span != "" {
			header = append(header, span)
		}
		if a := r.get(job.OutputURL, header...); a.header.Get("Repr-Digest") != digest || a.header.Get("ETag") != `"`+hex.EncodeToString(sum[:])+`"` {
			t.Errorf("%q: %d, Repr-Digest %q, ETag %q", span, a.status, a.header.Get("Repr-Digest"), a.header.Get("ETag"))
		}
	}
	var shown struct {
		Output struct {
			SHA256 string
			Size   int
		}
	}
	r.get("/api/v2/jobs/"+job.ID).into(http.StatusOK, &shown)
	if shown.Output.SHA256 != hex.EncodeToString(sum[:]) || shown.Output.Size != len(film) {
		t.Errorf("the job shows %+v", shown.Output)
	}

	path := filepath.Join(r.dir, "files", "outputs", job.OutputURL[strings.LastIndexByte(job.OutputURL, '/')+1:])
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)-1] ^= 1
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, header := range [][]string{{"Authorization:"}, {"Authorization:", "Range: bytes=10-19"}} {
		a := r.get(job.OutputURL, header...)
		if a.status != http.StatusGone || !bytes.Contains(a.body, []byte("damaged")) || !bytes.Contains(a.body, []byte("submit the job again")) || a.header.Get("ETag") != "" {
			t.Errorf("%v: %d, %s, ETag %q", header, a.status, a.body, a.header.Get("ETag"))
		}
	}
	if a := r.get("/readyz"); a.status != http.StatusOK || !bytes.Contains(a.body, []byte("damaged")) {
		t.Errorf("/readyz says %d, %s", a.status, a.body)
	}
}

// torn gives some bytes and then says that they are not what was kept.
type torn struct{ *bytes.Reader }

func (torn) Close() error { return nil }

func (f torn) Read(b []byte) (int, error) {
	if f.Len() <= 1000 {
		return 0, errors.New("the file is not what was kept")
	}
	return f.Reader.Read(b[:min(len(b), f.Len()-1000)])
}

// A file that turns out to be damaged while it is sent ends with a broken connection, never as a whole answer.
func TestAFileThatIsTornBreaksTheConnection(t *testing.T) {
	t.Parallel()
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/", func(c *fiber.Ctx) error {
		text := make([]byte, 200_000)
		return answer.File(c, &files.File{ReadSeekCloser: torn{bytes.NewReader(text)}, Name: "a.mp4", Size: int64(len(text))}, answer.FileOptions{})
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- app.Listener(ln) }()
	defer func() {
		if err := errors.Join(app.Shutdown(), <-served); err != nil {
			t.Error(err)
		}
	}()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get("http://" + ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got, err := io.ReadAll(res.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d bytes of %d came, and the answer ended with %v", len(got), res.ContentLength, err)
	}
}
