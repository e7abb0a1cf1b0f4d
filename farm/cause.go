package farm

import (
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// CauseKind is what kind of thing made an attempt fail. What cures it follows from it.
type CauseKind string

// The kinds of causes.
const (
	CauseFootage     CauseKind = "footage"     // a file of the project is missing or cannot be read; the subject is its name
	CauseFont        CauseKind = "font"        // the subject is the font's name
	CauseComposition CauseKind = "composition" // the project has none of the name
	CauseLayer       CauseKind = "layer"       // the composition has none of the name
	CauseExpression  CauseKind = "expression"  // an expression or a script of the job is wrong
	CauseAsset       CauseKind = "asset"       // something that the job brings cannot be fetched or used
	CauseSecret      CauseKind = "secret"      // the subject is the secret's name
	CauseTemplate    CauseKind = "template"    // the project cannot be read; the subject is the template's id
	CauseEffect      CauseKind = "effect"      // a plug-in that the machine lacks
	CauseLicence     CauseKind = "licence"     // no machine got a licence
	CauseEngine      CauseKind = "engine"      // the engine crashed, hung, or is not there
	CauseMemory      CauseKind = "memory"      // the subject is the machine's id
	CauseDisk        CauseKind = "disk"        // the subject is the machine's id
	CauseMachine     CauseKind = "machine"     // something else about the machine, which is the subject
	CauseFrames      CauseKind = "frames"      // frames came out missing or damaged, again and again
	CauseDelivery    CauseKind = "delivery"    // the result cannot be stored where the job wants it; the subject is the host
	CauseTime        CauseKind = "time"        // the render took longer than it may
	CauseOther       CauseKind = "other"       // the subject is the message, shortened
)

// CauseKinds are all kinds of causes.
func CauseKinds() []CauseKind {
	return []CauseKind{
		CauseFootage, CauseFont, CauseComposition, CauseLayer, CauseExpression, CauseAsset, CauseSecret, CauseTemplate, CauseEffect, CauseLicence,
		CauseEngine, CauseMemory, CauseDisk, CauseMachine, CauseFrames, CauseDelivery, CauseTime, CauseOther,
	}
}

// OfMachine tells whether the subject of causes of the kind is the id of a machine.
func (k CauseKind) OfMachine() bool {
	return k == CauseMemory || k == CauseDisk || k == CauseMachine
}

// known tells whether it is one of the kinds above.
func (k CauseKind) known() bool {
	for _, kind := range CauseKinds() {
		if k == kind {
			return true
		}
	}
	return false
}

// Cause is why an attempt failed: the same for all jobs that one remedy helps. The zero Cause says nothing.
type Cause struct {
	Kind    CauseKind `json:"kind,omitempty"`
	Subject string    `json:"subject,omitempty"` // what is missing or at fault; "" when that is not known, or nobody's business
}

// MostCauseSubject bounds the subject of a cause, in bytes.
const MostCauseSubject = 160

// Key names the cause among those of a team; CauseOf reads it back.
func (c Cause) Key() string { return string(c.Kind) + ":" + c.Subject }

// CauseOf reads the key of a cause; known is false for what is none.
func CauseOf(key string) (c Cause, known bool) {
	kind, subject, found := strings.Cut(key, ":")
	c = Cause{CauseKind(kind), subject}
	return c, found && c.Kind.known() && c == c.Tidy()
}

// Tidy is the cause as it may be kept, whoever told of it: of a kind that is known, its subject one short line of text.
func (c Cause) Tidy() Cause {
	if c.Kind == "" {
		return Cause{}
	}
	if !c.Kind.known() {
		c.Kind = CauseOther
	}
	c.Subject = oneLine(c.Subject, MostCauseSubject)
	return c
}

// oneLine is text without control characters and runs of spaces, cut to a length in bytes.
func oneLine(text string, most int) string {
	if len(text) <= most && plainLine(text) {
		return text
	}
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	for len(text) > most {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return strings.TrimSpace(text)
}

// plainLine says of a text that oneLine has nothing to change in it: it is printable ASCII, and its words stand one space apart. Most texts
// are so, and one is looked at with each attempt that ends.
func plainLine(text string) bool {
	space := true // before the text, as if one more led it
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c >= 0x7f || c == ' ' && space {
			return false
		}
		space = c == ' '
	}
	return !space || text == ""
}

// CauseOfMessage is the cause of a failure about which nothing is known but its words. Numbers do not tell causes apart.
func CauseOfMessage(message string) Cause {
	message = strings.TrimPrefix(message, "Render failed: ")
	subject := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '#'
		}
		return r
	}, message)
	return Cause{CauseOther, subject}.Tidy()
}

// CauseOfError is the cause of an error for which a task cannot begin.
func CauseOfError(err error) Cause {
	var e *Error
	if errors.As(err, &e) && e.Cause.Kind != "" {
		return e.Cause
	}
	return CauseOfMessage(err.Error())
}

// OpenFailure is a job that failed and still needs somebody.
type OpenFailure struct {
	Job   string    `json:"job"`
	Team  string    `json:"team"`
	Cause Cause     `json:"cause"`
	At    time.Time `json:"at"`
	Agent string    `json:"agent,omitempty"` // the machine of the last attempt, if a machine was part of it
}

// FailureGroup is all open failures of one cause.
type FailureGroup struct {
	Cause  Cause
	Count  int
	First  time.Time // of those that are open
	Last   time.Time
	Latest OpenFailure
}

// What is kept of the failures of a team. Beyond it the oldest of a cause are let go, and new causes are told apart by their kind only.
const (
	MostOpenFailures = 1000 // of one cause
	MostCauses       = 200  // of one team
)
