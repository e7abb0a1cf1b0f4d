package workstation

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"overcrank/agent"
	"overcrank/agent/identity"
	"overcrank/durable"
	"overcrank/farm/redact"
)

// concealer takes secrets out of text that leaves the machine: those that it knows, and whatever looks like one.
type concealer struct{ known *redact.Redactor }

// secretNames are parts of the names of variables and settings whose values are secret.
var secretNames = regexp.MustCompile(`(?i)token|secret|passw|credential|api_?key|access_?key|private`)

// looksSecret are the forms of secrets, each with what is left of it. Patterns take a second for two megabytes, and most lines have no secret:
// a text that holds none of a form's words, in small letters, is not searched for it.
var looksSecret = []struct {
	words []string
	form  *regexp.Regexp
	left  string
}{
	{[]string{"oc"}, regexp.MustCompile(`\boc[a-z]_[0-9A-Za-z]{8,}(\.[0-9a-f]{64})?`), redact.Mark},                         // tokens of farms
	{[]string{"bearer", "basic"}, regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9+/=._~-]{8,}`), "$1 " + redact.Mark}, // in headers
	{[]string{"://"}, regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^/\s"'@]+@`), "$1" + redact.Mark + "@"},              // user and password in an address
	{[]string{"://"}, regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://[^\s"'?]+\?)[^\s"']+`), "$1" + redact.Mark},            // signatures of addresses
	{
		[]string{"token", "secret", "passw", "credential", "api", "access"},
		regexp.MustCompile(`(?i)(\b[\w-]*(?:token|secret|passw(?:or)?d|credential|api[_-]?key|access[_-]?key)[\w-]*["']?\s*[:=]\s*)("[^"]*"|'[^']*'|[^\s,;&]+)`),
		"$1" + redact.Mark,
	},
}

// newConcealer knows the secrets of this machine: of its settings, its environment and its data folder.
func newConcealer(s Settings) *concealer {
	values := []string{s.JoinToken}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if secretNames.MatchString(name) && len(value) >= 6 {
			values = append(values, value)
		}
	}
	for _, name := range []string{agent.JoinTokenFile, identity.CredentialFile} {
		text, err := durable.ReadSmall(filepath.Join(s.DataDir, name), maxInvitation)
		if err != nil {
			continue // who cannot read it has not collected it either
		}
		for word := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return strings.ContainsRune(" \t\r\n\",{}[]", r) }) {
			if len(word) >= 20 {
				values = append(values, word)
			}
		}
	}
	return &concealer{known: redact.New(values...)}
}

// String conceals the secrets of a text.
func (c *concealer) String(text string) string {
	text = c.known.String(text)
	small := strings.ToLower(text)
	for _, secret := range looksSecret {
		if slices.ContainsFunc(secret.words, func(word string) bool { return strings.Contains(small, word) }) {
			text = secret.form.ReplaceAllString(text, secret.left)
		}
	}
	return text
}

// lineBytes is the longest line that is copied. A longer one is cut there: concealing it in parts could tear a secret in two that neither part shows.
const lineBytes = 1 << 20

// cutMark ends a line that was cut.
const cutMark = " [the rest of this line is left out]\n"

// copy copies a text, line by line. Blocks of keys are left out as a whole.
func (c *concealer) copy(w io.Writer, from io.Reader) error {
	lines := bufio.NewReaderSize(from, lineBytes)
	inKey, inLine := false, false // within a block of keys; within a line that was cut
	for {
		line, err := lines.ReadSlice('\n')
		tooLong := errors.Is(err, bufio.ErrBufferFull)
		text := string(line)
		if strings.Contains(text, "-----BEGIN") && strings.Contains(text, "PRIVATE KEY") {
			inKey = true
		}
		switch {
		case inKey:
			inKey = !strings.Contains(text, "-----END")
			text = redact.Mark + "\n"
		case inLine:
			text = ""
		case tooLong:
			text = c.String(beforeSecret(text)) + cutMark
		default:
			text = c.String(text)
		}
		inLine = tooLong
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !tooLong:
			return err
		}
	}
}

// secretBytes is longer than any secret that newConcealer knows.
const secretBytes = 8 << 10

// beforeSecret leaves out the end of a line that was cut, which may be the beginning of a secret.
func beforeSecret(line string) string { return line[:max(0, len(line)-secretBytes)] }
