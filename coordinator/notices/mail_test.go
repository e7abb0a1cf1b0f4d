package notices

import (
	"context"
	"io"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"

	"overcrank/coordinator/notices/mailtest"
	"overcrank/farm"
	"overcrank/faults/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// mailer sends by a server, as its user when that has to sign in.
func mailer(t *testing.T, p *mailtest.Server, how MailTLS, password string) *Mailer {
	t.Helper()
	server := MailServer{Address: p.Address, From: "Overcrank <farm@studio.example>", TLS: how, Roots: p.Roots}
	if p.Signed {
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

var mia = &mail.Address{Name: "Mia", Address: "mia@studio.example"}

func TestAMailServerTakesALetter(t *testing.T) {
	for _, how := range []MailTLS{MailStartTLS, MailImplicit, MailPlaintext} {
		t.Run(string(how), func(t *testing.T) {
			p := mailtest.Open(t, mailtest.Speaks(how), func(p *mailtest.Server) { p.Signed = how != MailPlaintext })
			m := mailer(t, p, how, mailtest.Secret)
			const body = "Öffner has finished\nhttps://farm.example/jobs/01J?a=b\n.\nend\n"
			for range 2 {
				if err := m.send(t.Context(), mia, mailText{subject: "Öffner has finished", body: body, key: "key", language: farm.English}); err != nil {
					t.Fatal(err)
				}
			}
			letters := p.Letters()
			if len(letters) != 2 || letters[0].From != "farm@studio.example" || letters[0].To != "mia@studio.example" || (letters[0].User != "") != p.Signed {
				t.Fatalf("the server has %+v", letters)
			}
			for _, l := range letters {
				head, subject, text, err := l.Read()
				if err != nil || subject != "Öffner has finished" || strings.TrimSpace(text) != strings.TrimSpace(body) {
					t.Errorf("subject %q, text %q, %v", subject, text, err)
				}
				for name, want := range map[string]string{
					"To": `"Mia" <mia@studio.example>`, "From": `"Overcrank" <farm@studio.example>`, "Message-Id": "<key@studio.example>", "Auto-Submitted": "auto-generated", "Content-Language": "en", "User-Agent": "",
				} {
					if got := head.Get(name); got != want {
						t.Errorf("%s is %q, want %q", name, got, want)
					}
				}
			}
		})
	}
}

func TestHostileNamesStayInTheirPlace(t *testing.T) {
	p := mailtest.Open(t, mailtest.Plaintext, func(*mailtest.Server) {})
	m := mailer(t, p, MailPlaintext, "")
	const hostile = "x\r\nBcc: eve@evil.example\r\n\r\n<b>\x00\u202e\".\r\n.\r\nRCPT TO:<eve@evil.example>"
	n := &Notices{cfg: Config{Mail: m, PublicAddress: func() string { return "https://farm.example" }}}
	told := message{title: farm.AsIs(plain(hostile)), lines: []line{{text: farm.AsIs(plain(hostile)), link: "https://farm.example/jobs/1"}}, key: "key"}
	if err := n.mail(t.Context(), farm.Token{Name: hostile, Email: "mia@studio.example"}, told); err != nil {
		t.Fatal(err)
	}
	if err := n.mail(t.Context(), farm.Token{Name: "Bo"}, told); farm.CodeOf(err) != farm.CodeConflict {
		t.Errorf("somebody without an address: %v", err)
	}
	letters := p.Letters()
	if len(letters) != 1 || letters[0].To != "mia@studio.example" {
		t.Fatalf("the server has %+v", letters)
	}
	read, err := mail.ReadMessage(strings.NewReader(letters[0].Text))
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
		"no such mailbox":  {MailStartTLS, MailStartTLS, true, refusing, mailtest.Secret, "no such mailbox"},
		"a server without TLS is not given the password": {MailPlaintext, MailStartTLS, true, nil, mailtest.Secret, "STARTTLS"},
	} {
		t.Run(name, func(t *testing.T) {
			p := mailtest.Open(t, mailtest.Speaks(test.speaks), func(p *mailtest.Server) { p.Signed, p.Refuses = test.signed, test.refuses })
			err := mailer(t, p, test.asked, test.password).send(t.Context(), mia, mailText{subject: "s", body: "b", key: "key"})
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), test.password) || len(p.Letters()) != 0 {
				t.Errorf("got %v, and the server has %d letters", err, len(p.Letters()))
			}
		})
	}
	gone := mailtest.Open(t, mailtest.Implicit, func(p *mailtest.Server) { p.Signed = true })
	m := mailer(t, gone, MailImplicit, mailtest.Secret)
	m.server.Roots = nil
	if err := m.send(t.Context(), mia, mailText{subject: "s", body: "b", key: "key"}); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a server that nobody vouches for: %v", err)
	}
	m.server.PasswordFile = filepath.Join(t.TempDir(), "none")
	if err := m.send(t.Context(), mia, mailText{subject: "s", body: "b", key: "key"}); err == nil || strings.Contains(err.Error(), m.server.PasswordFile) {
		t.Errorf("a password that is not there: %v", err)
	}
	if err := (&Mailer{host: "127.0.0.1", port: 1, from: mia, server: MailServer{TLS: MailPlaintext}}).send(t.Context(), mia, mailText{subject: "s", body: "b", key: "key"}); err == nil || !strings.Contains(err.Error(), "cannot be reached") {
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
	if err := m.send(ctx, mia, mailText{subject: "s", body: "b", key: "key"}); err == nil {
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
