package notices

import (
	"context"
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
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"overcrank/farm"
	"overcrank/faults/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const secret = "correct horse battery"

// post is a real mail server, which keeps what it was sent.
type post struct {
	address string
	roots   *x509.CertPool
	refuses error // every letter
	signed  bool  // in is a must

	mu      sync.Mutex
	letters []letter
}

type letter struct{ user, from, to, text string }

// openPost starts a mail server; implicit speaks TLS from the first byte on, and plain never.
func openPost(t *testing.T, how MailTLS, edit func(*post)) *post {
	t.Helper()
	certified := httptest.NewTLSServer(nil) // for its certificate
	certified.Close()
	p := &post{roots: x509.NewCertPool()}
	p.roots.AddCert(certified.Certificate())
	edit(p)
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &visit{post: p}, nil }))
	server.Domain, server.AllowInsecureAuth, server.ErrorLog = "mail.test", how == MailPlaintext, log.New(io.Discard, "", 0)
	secure := &tls.Config{Certificates: certified.TLS.Certificates}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.address = listener.Addr().String()
	switch how {
	case MailImplicit:
		listener = tls.NewListener(listener, secure)
	case MailStartTLS:
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

// mailer sends by the server, as its user when that has to sign in.
func (p *post) mailer(t *testing.T, how MailTLS, password string) *Mailer {
	t.Helper()
	server := MailServer{Address: p.address, From: "Overcrank <farm@studio.example>", TLS: how, Roots: p.roots}
	if p.signed {
		server.User, server.PasswordFile = "farm", filepath.Join(t.TempDir(), "password")
		if err := os.WriteFile(server.PasswordFile, []byte(password+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := NewMailer(server)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (p *post) taken() []letter {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]letter(nil), p.letters...)
}

// visit is one connection to the server.
type visit struct {
	post *post
	letter
}

func (v *visit) AuthMechanisms() []string {
	if !v.post.signed {
		return nil
	}
	return []string{sasl.Plain}
}

func (v *visit) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "farm" || password != secret {
			return errors.New("no such user, or another password than " + password)
		}
		v.user = user
		return nil
	}), nil
}

func (v *visit) Reset() { v.letter = letter{user: v.user} }

func (*visit) Logout() error { return nil }

func (v *visit) Mail(from string, _ *smtp.MailOptions) error {
	if v.post.signed && v.user == "" {
		return smtp.ErrAuthRequired
	}
	v.from = from
	return nil
}

func (v *visit) Rcpt(to string, _ *smtp.RcptOptions) error {
	v.to += to
	return v.post.refuses
}

func (v *visit) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	v.text = string(text)
	v.post.mu.Lock()
	defer v.post.mu.Unlock()
	v.post.letters = append(v.post.letters, v.letter)
	return err
}

var mia = &mail.Address{Name: "Mia", Address: "mia@studio.example"}

func TestAMailServerTakesALetter(t *testing.T) {
	for _, how := range []MailTLS{MailStartTLS, MailImplicit, MailPlaintext} {
		t.Run(string(how), func(t *testing.T) {
			p := openPost(t, how, func(p *post) { p.signed = how != MailPlaintext })
			m := p.mailer(t, how, secret)
			const body = "Öffner has finished\nhttps://farm.example/jobs/01J?a=b\n.\nend\n"
			for range 2 {
				if err := m.send(t.Context(), mia, "Öffner has finished", body, "key"); err != nil {
					t.Fatal(err)
				}
			}
			letters := p.taken()
			if len(letters) != 2 || letters[0].from != "farm@studio.example" || letters[0].to != "mia@studio.example" || (letters[0].user != "") != p.signed {
				t.Fatalf("the server has %+v", letters)
			}
			for _, l := range letters {
				read, err := mail.ReadMessage(strings.NewReader(l.text))
				if err != nil {
					t.Fatal(err)
				}
				subject, err := new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject"))
				if err != nil || subject != "Öffner has finished" {
					t.Errorf("subject %q, %v", subject, err)
				}
				for name, want := range map[string]string{
					"To": `"Mia" <mia@studio.example>`, "From": `"Overcrank" <farm@studio.example>`, "Message-Id": "<key@studio.example>", "Auto-Submitted": "auto-generated", "User-Agent": "",
				} {
					if got := read.Header.Get(name); got != want {
						t.Errorf("%s is %q, want %q", name, got, want)
					}
				}
				text, err := io.ReadAll(quotedprintable.NewReader(read.Body))
				if got := strings.ReplaceAll(string(text), "\r\n", "\n"); err != nil || strings.TrimSpace(got) != strings.TrimSpace(body) {
					t.Errorf("the text is %q, %v", got, err)
				}
			}
		})
	}
}

func TestHostileNamesStayInTheirPlace(t *testing.T) {
	p := openPost(t, MailPlaintext, func(*post) {})
	m := p.mailer(t, MailPlaintext, "")
	const hostile = "x\r\nBcc: eve@evil.example\r\n\r\n<b>\x00\u202e\".\r\n.\r\nRCPT TO:<eve@evil.example>"
	n := &Notices{cfg: Config{Mail: m, PublicAddress: func() string { return "https://farm.example" }}}
	told := message{title: plain(hostile), lines: []line{{text: farm.AsIs(plain(hostile)), link: "https://farm.example/jobs/1"}}, key: "key"}
	if err := n.mail(t.Context(), farm.Token{Name: hostile, Email: "mia@studio.example"}, told); err != nil {
		t.Fatal(err)
	}
	if err := n.mail(t.Context(), farm.Token{Name: "Bo"}, told); farm.CodeOf(err) != farm.CodeConflict {
		t.Errorf("somebody without an address: %v", err)
	}
	letters := p.taken()
	if len(letters) != 1 || letters[0].to != "mia@studio.example" {
		t.Fatalf("the server has %+v", letters)
	}
	read, err := mail.ReadMessage(strings.NewReader(letters[0].text))
	if err != nil {
		t.Fatal(err)
	}
	if bcc := read.Header["Bcc"]; bcc != nil {
		t.Errorf("somebody else is named: %q", bcc)
	}
	if list, err := read.Header.AddressList("To"); err != nil || len(list) != 1 || list[0].Address != "mia@studio.example" {
		t.Errorf("it is for %v, %v", list, err)
	}
}

func TestProblemsOfMailServersAreToldWithoutThePassword(t *testing.T) {
	refusing := &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such mailbox"}
	for name, test := range map[string]struct {
		speaks, asked MailTLS
		signed        bool
		refuses       error
		password      string
		want          string
	}{
		"another password": {MailStartTLS, MailStartTLS, true, nil, "wrong and long enough", "another password than [redacted]"},
		"no such mailbox":  {MailStartTLS, MailStartTLS, true, refusing, secret, "no such mailbox"},
		"a server without TLS is not given the password": {MailPlaintext, MailStartTLS, true, nil, secret, "STARTTLS"},
	} {
		t.Run(name, func(t *testing.T) {
			p := openPost(t, test.speaks, func(p *post) { p.signed, p.refuses = test.signed, test.refuses })
			err := p.mailer(t, test.asked, test.password).send(t.Context(), mia, "s", "b", "key")
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), test.password) || len(p.taken()) != 0 {
				t.Errorf("got %v, and the server has %d letters", err, len(p.taken()))
			}
		})
	}
	gone := openPost(t, MailImplicit, func(p *post) { p.signed = true })
	m := gone.mailer(t, MailImplicit, secret)
	m.server.Roots = nil
	if err := m.send(t.Context(), mia, "s", "b", "key"); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a server that nobody vouches for: %v", err)
	}
	m.server.PasswordFile = filepath.Join(t.TempDir(), "none")
	if err := m.send(t.Context(), mia, "s", "b", "key"); err == nil || strings.Contains(err.Error(), m.server.PasswordFile) {
		t.Errorf("a password that is not there: %v", err)
	}
	if err := (&Mailer{host: "127.0.0.1", port: 1, from: mia, server: MailServer{TLS: MailPlaintext}}).send(t.Context(), mia, "s", "b", "key"); err == nil || !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("a server that is not there: %v", err)
	}
}

func TestAMailServerThatSaysNothingIsLeft(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		defer close(left)
		conn, err := listener.Accept()
		if err != nil {
			t.Error(err)
			return
		}
		cancel()
		_, _ = io.Copy(io.Discard, conn) // until the other side is gone
		_ = conn.Close()
	}()
	m, err := NewMailer(MailServer{Address: listener.Addr().String(), From: "farm@studio.example", TLS: MailPlaintext})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.send(ctx, mia, "s", "b", "key"); err == nil {
		t.Error("it was sent to nobody")
	}
	<-left
	if err := listener.Close(); err != nil {
		t.Error(err)
	}
}

func TestMailServersAreChecked(t *testing.T) {
	good := MailServer{Address: "smtp.example.com", From: "Farm <farm@example.com>", User: "farm", PasswordFile: "/etc/p", TLS: MailStartTLS}
	for name, test := range map[string]struct {
		edit func(*MailServer)
		port int // 0 for what is refused
	}{
		"as it should be":          {func(*MailServer) {}, 587},
		"TLS from the first":       {func(s *MailServer) { s.TLS = MailImplicit }, 465},
		"no TLS":                   {func(s *MailServer) { s.TLS, s.User, s.PasswordFile = MailPlaintext, "", "" }, 25},
		"a port":                   {func(s *MailServer) { s.Address = "smtp.example.com:2525" }, 2525},
		"no port":                  {func(s *MailServer) { s.Address = "smtp.example.com:mail" }, 0},
		"an address of a page":     {func(s *MailServer) { s.Address = "https://smtp.example.com" }, 0},
		"no sender":                {func(s *MailServer) { s.From = "" }, 0},
		"no password":              {func(s *MailServer) { s.PasswordFile = "" }, 0},
		"a password in plain text": {func(s *MailServer) { s.TLS = MailPlaintext }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			server := good
			test.edit(&server)
			m, err := NewMailer(server)
			if (err == nil) != (test.port != 0) || err == nil && m.port != test.port {
				t.Errorf("got %+v, %v", m, err)
			}
		})
	}
}
