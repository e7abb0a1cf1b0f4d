// Package mailtest is a real mail server for tests, which keeps what it is sent.
package mailtest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	"net/mail"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Secret is the password of the server's only user, farm.
const Secret = "correct horse battery"

// Speaks is how connections to a server are encrypted.
type Speaks string

// The ways.
const (
	StartTLS  Speaks = "starttls"
	Implicit  Speaks = "tls"
	Plaintext Speaks = "off"
)

// Server is a mail server.
type Server struct {
	Address string
	Roots   *x509.CertPool
	Refuses error // every letter
	Signed  bool  // in is a must

	mu      sync.Mutex
	letters []Letter
}

// Letter is what it was sent, and by whom.
type Letter struct{ User, From, To, Text string }

// Read is the letter's head, its subject, and its text with lines that end as in Go.
func (l Letter) Read() (head mail.Header, subject, text string, err error) {
	read, err := mail.ReadMessage(strings.NewReader(l.Text))
	if err != nil {
		return nil, "", "", err
	}
	if subject, err = new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject")); err != nil {
		return nil, "", "", err
	}
	body, err := io.ReadAll(quotedprintable.NewReader(read.Body))
	return read.Header, subject, strings.ReplaceAll(string(body), "\r\n", "\n"), err
}

// Open starts a mail server that ends with the test. edit says what it is to do before it is asked anything.
func Open(t *testing.T, how Speaks, edit func(*Server)) *Server {
	t.Helper()
	certified := httptest.NewTLSServer(nil) // for its certificate
	certified.Close()
	p := &Server{Roots: x509.NewCertPool()}
	p.Roots.AddCert(certified.Certificate())
	edit(p)
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &visit{post: p}, nil }))
	server.Domain, server.AllowInsecureAuth, server.ErrorLog = "mail.test", how == Plaintext, log.New(io.Discard, "", 0)
	secure := &tls.Config{Certificates: certified.TLS.Certificates}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.Address = listener.Addr().String()
	switch how {
	case Implicit:
		listener = tls.NewListener(listener, secure)
	case StartTLS:
		server.TLSConfig = secure
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close() // what it is in the middle of is of no account
		if err := <-served; err != nil && !errors.Is(err, smtp.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			t.Errorf("the mail server: %v", err)
		}
	})
	return p
}

// Letters are what the server has taken so far.
func (p *Server) Letters() []Letter {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Letter(nil), p.letters...)
}

// visit is one connection to the server.
type visit struct {
	post *Server
	Letter
}

func (v *visit) AuthMechanisms() []string {
	if !v.post.Signed {
		return nil
	}
	return []string{sasl.Plain}
}

func (v *visit) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "farm" || password != Secret {
			return errors.New("no such user, or another password than " + password)
		}
		v.User = user
		return nil
	}), nil
}

func (v *visit) Reset() { v.Letter = Letter{User: v.User} }

func (*visit) Logout() error { return nil }

func (v *visit) Mail(from string, _ *smtp.MailOptions) error {
	if v.post.Signed && v.User == "" {
		return smtp.ErrAuthRequired
	}
	v.From = from
	return nil
}

func (v *visit) Rcpt(to string, _ *smtp.RcptOptions) error {
	v.To += to
	return v.post.Refuses
}

func (v *visit) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	v.Text = string(text)
	v.post.mu.Lock()
	defer v.post.mu.Unlock()
	v.post.letters = append(v.post.letters, v.Letter)
	return err
}
