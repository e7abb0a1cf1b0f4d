package language

// untold are why a message to somebody, or a webhook, has not been taken.
var untold = []string{
	// coordinator/delivery
	"the receiver answered %d",
	"the receiver did not answer within %s",
	"the receiver cannot be asked: %s",
	"the receiver redirects with %d, which would lose the body; give its final address, or let it redirect with 307 or 308",
	"the receiver redirects from https to http",
	"its address cannot be read",

	// outbound
	"the address is not allowed by this farm",
	"only http and https addresses can be asked",
	"it redirects more than %d times",

	// coordinator/notices
	"the mail server cannot be reached: %s",
	"the mail server did not take it: %s",
	"the mail server did not take it within %s",
	"the mail server's settings cannot be used: %s",
	"the file with the mail server's password cannot be read: %s",
	"the file with the mail server's password has %d bytes, more than a password has",
	"this farm sends no e-mail: it has not been given a mail server",
	"no chat is set",
}
