package api_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestACallersOwnFileIsKeptByItsContent(t *testing.T) {
	r := start(t)
	content := strings.Repeat("pixels", 100_000)
	sum := sha256.Sum256([]byte(content))
	want := hex.EncodeToString(sum[:])

	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	if err := w.WriteField("note", "not a file"); err != nil {
		t.Fatal(err)
	}
	part, err := w.CreateFormFile("file", `C:\pictures\logo.png`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(part, content); err != nil {
		t.Fatal(err)
	}
	w.Close()

	for name, send := range map[string]func() reply{
		"raw": func() reply { return r.send(http.MethodPost, "/api/farm/v1/files?name=logo.png", content) },
		"named": func() reply {
			return r.send(http.MethodPost, "/api/farm/v1/files", content, "X-File-Name: l%C3%B6go.png")
		},
		"chunked": func() reply {
			return r.send(http.MethodPost, "/api/farm/v1/files", io.MultiReader(strings.NewReader(content)))
		},
		"unnamed": func() reply { return r.send(http.MethodPost, "/api/farm/v1/files", content) },
		"the form": func() reply {
			return r.send(http.MethodPost, "/api/farm/v1/files", form.Bytes(), "Content-Type: "+w.FormDataContentType())
		},
	} {
		t.Run(name, func(t *testing.T) {
			var kept struct {
				Src, SHA256 string
				Size        int
				ExpiresAt   time.Time
			}
			send().into(http.StatusCreated, &kept)
			if kept.SHA256 != want || kept.Src != "farm://"+want || kept.Size != len(content) || !kept.ExpiresAt.After(time.Now()) {
				t.Errorf("the farm kept %+v", kept)
			}
		})
	}
}

func TestFilesThatAreNotTaken(t *testing.T) {
	r := start(t)
	const path = "/api/farm/v1/files"
	r.send(http.MethodPost, path, "").refused(http.StatusBadRequest, "empty")
	r.send(http.MethodPost, path+"?name=..%2Fx", "x").refused(http.StatusBadRequest, "name")
	r.send(http.MethodPost, path, "x", "Content-Type: multipart/form-data; boundary=b").refused(http.StatusBadRequest, "form")
	r.send(http.MethodPost, path, "--b--\r\n", "Content-Type: multipart/form-data; boundary=b").refused(http.StatusBadRequest, "no file")
	file := "--b\r\nContent-Disposition: form-data; name=\"f%d\"; filename=\"a\"\r\n\r\nx\r\n"
	r.send(http.MethodPost, path, fmt.Sprintf(file+file+"--b--\r\n", 1, 2), "Content-Type: multipart/form-data; boundary=b").refused(http.StatusBadRequest, "more than one")
	r.send(http.MethodPost, path, fmt.Sprintf(file, 1), "Content-Type: multipart/form-data; boundary=b").refused(http.StatusBadRequest, "broke off")
	r.send(http.MethodPost, path, fmt.Sprintf(file, 1)+"--b\r\nnonsense\r\n\r\n", "Content-Type: multipart/form-data; boundary=b").
		refused(http.StatusBadRequest, "the form cannot be read")
	r.send(http.MethodPost, path, "x", "Authorization:").refused(http.StatusUnauthorized)
}

// raw sends bytes as they are and gives the status line of each answer until the server closes the connection, or
// until as many as wanted have come.
func (r *rig) raw(request string, wanted int) (answers string) {
	r.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.base, "http://"))
	if err != nil {
		r.t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		r.t.Fatal(err)
	}
	if wanted == 0 { // a sender that breaks off
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			r.t.Fatal(err)
		}
	}
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		r.t.Fatal(err)
	}
	buf := make([]byte, 4096)
	for wanted == 0 || strings.Count(answers, "HTTP/1.1 ") < wanted {
		n, err := conn.Read(buf)
		answers += string(buf[:n])
		if err != nil {
			break
		}
	}
	return answers
}

func TestUploadsThatBreakOffAreNotKept(t *testing.T) {
	r := start(t)
	for name, body := range map[string]string{
		"short of its length":         "Content-Length: 100000\r\n\r\n" + strings.Repeat("x", 50_000),
		"short within its first part": "Content-Length: 100\r\n\r\nxxx",
		"cut within a chunk":          "Transfer-Encoding: chunked\r\n\r\n5\r\nhel",
		"cut between two chunks":      "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
		"cut within a chunk's size":   "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1",
	} {
		t.Run(name, func(t *testing.T) {
			got := r.raw("POST /api/farm/v1/files HTTP/1.1\r\nHost: farm\r\nAuthorization: Bearer "+r.token+"\r\n"+body, 0)
			if !strings.HasPrefix(got, "HTTP/1.1 400 ") {
				t.Errorf("the answer is %q, want 400", got)
			}
		})
	}
}

func TestAConnectionServesTheNextRequestOrEnds(t *testing.T) {
	r := start(t)
	next := "GET /healthz HTTP/1.1\r\nHost: farm\r\nX-Request-Id: second\r\n\r\n"
	// What would be read as a request of its own if the body before it were left in the connection.
	smuggled := "GET /api/v2/smuggled HTTP/1.1\r\nHost: farm\r\n\r\n"
	length := fmt.Sprintf("Content-Length: %d\r\n\r\n", len(smuggled))
	for name, test := range map[string]struct{ request, first string }{
		"an unread body":                {"POST /nowhere HTTP/1.1\r\nHost: farm\r\n" + length + smuggled, "404"},
		"a body that was not let in":    {"POST /api/v2/jobs HTTP/1.1\r\nHost: farm\r\n" + length + smuggled, "401"},
		"a body of a GET":               {"GET /healthz HTTP/1.1\r\nHost: farm\r\n" + length + smuggled, "200"},
		"a body of an unknown method":   {"BREW /healthz HTTP/1.1\r\nHost: farm\r\n" + length + smuggled, "404"},
		"a chunked body that is unread": {"POST /nowhere HTTP/1.1\r\nHost: farm\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "404"},
	} {
		t.Run(name, func(t *testing.T) {
			got := r.raw(test.request+next, 2)
			if !strings.HasPrefix(got, "HTTP/1.1 "+test.first) {
				t.Fatalf("the first answer is %q, want %s", got, test.first)
			}
			if strings.Contains(got, "smuggled") {
				t.Fatalf("a body was read as a request: %q", got)
			}
			if n := strings.Count(got, "X-Request-Id: "); n != strings.Count(got, "HTTP/1.1 ") {
				t.Errorf("%d of the answers in %q carry a request id", n, got)
			}
			if strings.Contains(got, "second") {
				return // it went on with the request that really comes next
			}
			if !strings.Contains(strings.ToLower(got), "connection: close") {
				t.Errorf("the connection neither served the next request nor ended: %q", got)
			}
		})
	}
}

// TestAClientThatSendsAllBeforeItReadsSeesTheRefusal is what most HTTP libraries do: a connection that is closed under
// what they send is all they would see.
func TestAClientThatSendsAllBeforeItReadsSeesTheRefusal(t *testing.T) {
	r := start(t)
	body := strings.Repeat("x", 30<<20)
	for name, head := range map[string]string{
		"with a length": fmt.Sprintf("Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n", r.token, len(body)),
		"chunked":       fmt.Sprintf("Authorization: Bearer %s\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n", r.token, len(body)),
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		end := ""
		if name == "chunked" {
			end = "\r\n0\r\n\r\n"
		}
		if _, err := io.WriteString(conn, "POST /api/v2/jobs HTTP/1.1\r\nHost: farm\r\n"+head+body+end); err != nil {
			t.Errorf("%s: the connection was closed while it was written to: %v", name, err)
			continue
		}
		answer := make([]byte, 12)
		if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "HTTP/1.1 413" {
			t.Errorf("%s: the answer is %q, %v", name, answer, err)
		}
	}
}

func TestBodiesOverTheLimitAreRefused(t *testing.T) {
	r := start(t)
	big := strings.NewReader(strings.Repeat(" ", 10<<20) + "{}")
	r.send(http.MethodPost, "/api/v2/jobs", io.MultiReader(big)).refused(http.StatusRequestEntityTooLarge, "10 MiB")

	head := "POST /api/v2/jobs HTTP/1.1\r\nHost: farm\r\nAuthorization: Bearer " + r.token + "\r\nContent-Length: 99999999999\r\n\r\n"
	got := r.raw(head+strings.Repeat("x", 20_000), 1)
	if !strings.HasPrefix(got, "HTTP/1.1 413 ") {
		t.Errorf("a declared length over the limit gives %q", got)
	}
	head = "POST /page HTTP/1.1\r\nHost: farm\r\nContent-Length: 2000000\r\n\r\n"
	if got := r.raw(head+strings.Repeat("x", 20_000), 1); !strings.HasPrefix(got, "HTTP/1.1 413 ") {
		t.Errorf("a page's body over the limit gives %q", got)
	}
	if got := r.raw("GET /healthz?"+strings.Repeat("x", 20_000)+" HTTP/1.1\r\nHost: farm\r\n\r\n", 1); !strings.HasPrefix(got, "HTTP/1.1 431 ") {
		t.Errorf("an address over the limit gives %q", got)
	}
}
