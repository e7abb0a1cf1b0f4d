package notices

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"os"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"overcrank/farm"
	"overcrank/farm/redact"
	"overcrank/farm/wording"
	"overcrank/outbound"
)

// MailTLS is how the connection to a mail server is encrypted.
type MailTLS string

// The ways.
const (
	MailStartTLS  MailTLS = "starttls" // from plain text on, port 587
	MailImplicit  MailTLS = "tls"      // from the first byte on, port 465
	MailPlaintext MailTLS = "off"      // not at all, port 25
)

// port is what mail servers listen on for it.
func (t MailTLS) port() int {
	switch t {
	case MailImplicit:
		return 465
	case MailPlaintext:
		return 25
	}
	return 587
}

const (
	// mailWithin bounds the sending of an e-mail.
	mailWithin = time.Minute
	// mostPassword bounds a file with a password, in bytes.
	mostPassword = 4 << 10
)

// MailServer is the server that takes the farm's e-mails.
type MailServer struct {
	Address      string // host, or host:port
	From         string // an address, or "Name <address>"
	User         string // "" for a server that wants none
	PasswordFile string
	TLS          MailTLS
	Roots        *x509.CertPool // that vouch for the server; nil for the system's
}

// Mailer sends e-mails.
type Mailer struct {
	server MailServer
	host   string
	port   int
	from   *mail.Address
}

// NewMailer makes a mailer. Its errors are about what the server is said to be; it is not asked.
func NewMailer(server MailServer) (*Mailer, error) {
	m := &Mailer{server: server, host: server.Address, port: server.TLS.port()}
	if host, port, err := net.SplitHostPort(server.Address); err == nil {
		m.host = host
		if m.port, err = strconv.Atoi(port); err != nil || m.port < 1 || m.port > 65535 {
			return nil, fmt.Errorf("mail server %q: %q is not a port", server.Address, port)
		}
	}
	if m.host == "" || strings.ContainsAny(m.host, "/ @") {
		return nil, fmt.Errorf("mail server %q: has to look like smtp.example.com or smtp.example.com:587", server.Address)
	}
	var err error
	if m.from, err = mail.ParseAddress(server.From); err != nil {
		return nil, fmt.Errorf("the sender of e-mails, %q: has to look like farm@example.com or Farm <farm@example.com>", server.From)
	}
	switch {
	case (server.User == "") != (server.PasswordFile == ""):
		return nil, errors.New("a mail server's user and the file with the password go together")
	case server.User != "" && server.TLS == MailPlaintext:
		return nil, errors.New("a mail server without TLS would be sent the password in plain text: leave user and password out, or use TLS")
	}
	return m, nil
}

// password reads the password anew each time, so that another one needs no restart.
func (m *Mailer) password() (string, error) {
	if m.server.PasswordFile == "" {
		return "", nil
	}
	info, err := os.Stat(m.server.PasswordFile)
	if err != nil {
		return "", fmt.Errorf("the file with the mail server's password cannot be read: %w", cause(err))
	}
	if info.Size() > mostPassword {
		return "", fmt.Errorf("the file with the mail server's password has %d bytes, more than a password has", info.Size())
	}
	text, err := os.ReadFile(m.server.PasswordFile)
	if err != nil {
		return "", fmt.Errorf("the file with the mail server's password cannot be read: %w", cause(err))
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}

// cause is an error without the path that it is about, which is nobody's matter but the administrator's.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// mailText is what an e-mail says. key names it.
type mailText struct {
	subject, body, key string
	language           farm.Language // "" for one that is not known
}

// send sends a text to an address, once. The error holds no password.
func (m *Mailer) send(ctx context.Context, to *mail.Address, said mailText) error {
	password, err := m.password()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, mailWithin)
	defer cancel()
	client, err := m.client(password, func(dialling context.Context, network, address string) (net.Conn, error) {
		conn, err := m.dial(dialling, network, address)
		if err == nil {
			// The library looks at its own deadlines only, and leaves the connection open when the server refuses to begin.
			context.AfterFunc(ctx, func() { _ = conn.Close() })
		}
		return conn, err
	})
	if err != nil {
		return fmt.Errorf("the mail server's settings cannot be used: %w", err)
	}
	letter := m.letter(to, said)
	err = client.DialAndSendWithContext(ctx, letter)
	switch {
	case err == nil || letter.IsDelivered():
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("the mail server did not take it within %s", wording.Duration(mailWithin))
	}
	return mailError(err, password)
}

// letter is a text as an e-mail.
func (m *Mailer) letter(to *mail.Address, said mailText) *gomail.Msg {
	letter := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	letter.FromMailAddress(m.from)
	letter.ToMailAddress(to)
	letter.Subject(said.subject)
	letter.SetDate()
	_, domain, _ := strings.Cut(m.from.Address, "@")
	letter.SetMessageIDWithValue(said.key + "@" + domain)
	letter.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: nobody's absence is told to the farm
	if said.language != "" {
		letter.SetGenHeader(gomail.HeaderContentLang, string(said.language))
	}
	letter.SetBodyString(gomail.TypeTextPlain, said.body)
	return letter
}

func (m *Mailer) client(password string, dial gomail.DialContextFunc) (*gomail.Client, error) {
	options := []gomail.Option{gomail.WithPort(m.port), gomail.WithTLSConfig(m.tls()), gomail.WithDialContextFunc(dial)}
	switch m.server.TLS {
	case MailImplicit:
		options = append(options, gomail.WithSSL()) // which dial has begun
	case MailPlaintext:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if m.server.User != "" {
		options = append(options, gomail.WithUsername(m.server.User), gomail.WithPassword(password),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthCramMD5))
	}
	return gomail.NewClient(m.host, options...)
}

func (m *Mailer) tls() *tls.Config {
	return &tls.Config{ServerName: m.host, RootCAs: m.server.Roots, MinVersion: tls.VersionTLS12}
}

// dial connects, with TLS where that comes first.
func (m *Mailer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if m.server.TLS != MailImplicit {
		return conn, nil
	}
	secure := tls.Client(conn, m.tls())
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close() // the handshake's error says more
		return nil, err
	}
	return secure, nil
}

// mailError words why a mail server has not taken an e-mail.
func mailError(err error, password string) error {
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		reason, _ := outbound.Reason(err)
		return fmt.Errorf("the mail server cannot be reached: %s", reason)
	}
	return fmt.Errorf("the mail server did not take it: %s", plain(redact.New(password).String(err.Error())))
}

// errNoMail is for a farm that sends no e-mails.
var errNoMail = farm.Errorf(farm.CodeConflict, "this farm sends no e-mail: it has not been given a mail server")

// mail tells somebody by e-mail.
func (n *Notices) mail(ctx context.Context, who farm.Token, m message) error {
	if err := n.canMail(who.Email); err != nil {
		return err
	}
	to := &mail.Address{Name: plain(who.Name), Address: who.Email}
	foot := m.voice.says(farm.Say("What you are told of, and how: %s", n.cfg.PublicAddress()+"/account"))
	return n.cfg.Mail.send(ctx, to, mailText{
		subject: m.voice.says(m.title), body: m.body() + "\n-- \n" + foot + "\n", key: m.key, language: m.voice.language,
	})
}
