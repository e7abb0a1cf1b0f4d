package api_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
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
