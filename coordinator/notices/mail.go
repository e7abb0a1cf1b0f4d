package notices

import (
	"context"

	"overcrank/farm"
)

// Mailer sends e-mails. There is none yet.
type Mailer struct{}

// errNoMail is for a farm that sends no e-mails.
var errNoMail = farm.Errorf(farm.CodeConflict, "this farm sends no e-mail: it has not been given a mail server")

// mail tells somebody by e-mail.
func (n *Notices) mail(_ context.Context, _ farm.Token, _ message) error { return errNoMail }
