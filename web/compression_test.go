package web_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

// wire is what a browser that reads some encodings gets of an address, as it comes.
func (v *visitor) wire(path, encodings string) answer {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.base+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", encodings) // and so the client leaves the answer as it is
	res, err := v.client.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return answer{t: v.t, path: path, status: res.StatusCode, header: res.Header, body: string(body)}
}

// text is the answer as it was before it was compressed.
func (a answer) text() string {
	a.t.Helper()
	content := io.Reader(strings.NewReader(a.body))
	switch a.header.Get("Content-Encoding") {
	case "br":
		content = brotli.NewReader(content)
	case "gzip":
		var err error
		if content, err = gzip.NewReader(content); err != nil {
			a.t.Fatal(err)
		}
	}
	text, err := io.ReadAll(content)
	if err != nil {
		a.t.Fatal(err)
	}
	return string(text)
}

func TestTextIsSentCompressedToThoseWhoReadThat(t *testing.T) {
	r := start(t)
	for _, path := range []string{"/sign-in", "/static/live.js", "/static/app.css"} {
		plain := r.visit().wire(path, "identity")
		for asked, want := range map[string]string{"identity": "", "gzip": "gzip", "gzip, deflate, br": "br", "gzip;q=0": "", "": ""} {
			if path == "/sign-in" && want == "br" {
				want = "gzip" // which takes no time to speak of
			}
			got := r.visit().wire(path, asked)
			if got.header.Get("Content-Encoding") != want || got.header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s in %q comes in %q, Vary is %q", path, asked, got.header.Get("Content-Encoding"), got.header.Get("Vary"))
			}
			if got.text() != plain.body {
				t.Errorf("%s in %q is another text", path, asked)
			}
		}
	}
}

func TestTheTypefaceIsTheFarmsOwn(t *testing.T) {
	r := start(t)
	page := r.visit().get("/sign-in")
	address := regexp.MustCompile(`href="(/static/inter[^"]*\.woff2)"`).FindStringSubmatch(page.body)
	if address == nil || !strings.Contains(page.header.Get("Content-Security-Policy"), "font-src 'self'") {
		t.Fatalf("the page has no typeface of its own: %s", page.header.Get("Content-Security-Policy"))
	}
	font := r.visit().wire(address[1], "gzip, br")
	if !bytes.HasPrefix([]byte(font.body), []byte("wOF2")) || font.header.Get("Content-Type") != "font/woff2" || font.header.Get("Content-Encoding") != "" {
		t.Errorf("the typeface is %q in %q", font.header.Get("Content-Type"), font.header.Get("Content-Encoding"))
	}
	if len(font.body) > 60_000 {
		t.Errorf("the typeface is %d bytes", len(font.body))
	}
	r.visit().get("/static/app.css").is(http.StatusOK, `url("`+strings.TrimPrefix(address[1], "/static/")+`")`)
	r.visit().get("/static/inter-license.txt").is(http.StatusOK, "SIL Open Font License")
}

func TestAFirstPageIsSmall(t *testing.T) {
	const limit = 100 << 10
	r := start(t)
	v := r.as("ada")
	home := v.wire("/", "gzip, br")
	sum := len(home.body)
	for _, m := range regexp.MustCompile(`(?:href|src)="(/static/[^"]*)"`).FindAllStringSubmatch(home.text(), -1) {
		sum += len(v.wire(m[1], "gzip, br").body)
	}
	if sum > limit {
		t.Errorf("the overview and its files are %d bytes, more than %d", sum, limit)
	}
	t.Logf("%d bytes", sum)
}
