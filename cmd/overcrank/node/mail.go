package node

import (
	"errors"

	"overcrank/coordinator/notices"
)

// mailFlags are the flags of a coordinator that say how it sends e-mails.
type mailFlags struct {
	MailServer       string          `help:"Mail server that takes the farm's e-mails to people, host or host:port; none are sent without one. The same for all coordinators." placeholder:"HOST:PORT" env:"OVERCRANK_MAIL_SERVER"`
	MailFrom         string          `help:"Sender of e-mails, such as 'Overcrank <farm@studio.example>'; needed with --mail-server." placeholder:"ADDRESS" env:"OVERCRANK_MAIL_FROM"`
	MailUser         string          `help:"User at the mail server; none when left out." placeholder:"USER" env:"OVERCRANK_MAIL_USER"`
	MailPasswordFile string          `help:"File with the password of --mail-user. It is read for each e-mail." type:"path" placeholder:"FILE" env:"OVERCRANK_MAIL_PASSWORD_FILE"`
	MailTLS          notices.MailTLS `name:"mail-tls" help:"How the connection to the mail server is encrypted: starttls (port 587), tls (from the first byte on, port 465) or off (port 25, without a password)." enum:"starttls,tls,off" default:"starttls" env:"OVERCRANK_MAIL_TLS"`
}

// mailer is what sends e-mails, nil for a farm that sends none.
func (f mailFlags) mailer() (*notices.Mailer, error) {
	if f.MailServer == "" {
		if f.MailFrom != "" || f.MailUser != "" || f.MailPasswordFile != "" {
			return nil, errors.New("--mail-from, --mail-user and --mail-password-file need --mail-server")
		}
		return nil, nil
	}
	return notices.NewMailer(notices.MailServer{Address: f.MailServer, From: f.MailFrom, User: f.MailUser, PasswordFile: f.MailPasswordFile, TLS: f.MailTLS})
}
