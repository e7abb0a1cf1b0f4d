package notices

import (
	"regexp"
	"strings"
	"testing"

	"overcrank/coordinator/notices/mailtest"
	"overcrank/farm"
)

// marks puts what it says between marks, so that whatever stands outside of them was not said in anybody's language.
type marks struct{}

func (marks) Told(l farm.Language, t farm.Text) string {
	return "⟦" + string(l) + " " + strings.NewReplacer("⟦", "", "⟧", "").Replace(t.String()) + "⟧"
}

// known are what messages hold besides words: addresses, and the names and values of the chats' formats.
var known = regexp.MustCompile(`⟦de [^⟧]*⟧|https://farm\.example/[a-z0-9/]*|"[$\w]+":|"(TextRun|RichTextBlock|AdaptiveCard|Bolder|Action\.OpenUrl|message|1\.4)"|application/vnd\.microsoft\.card\.adaptive|http://adaptivecards\.io/schemas/adaptive-card\.json|\\n|\b(true|false)\b`)

func TestAllThatAMessageSaysIsInTheLanguageOfWhomItIsFor(t *testing.T) {
	one := message{title: farm.Say("%s has finished", "Opener"), lines: []line{{text: farm.Say("%s has finished", "Opener"), link: "https://farm.example/jobs/1"}}}
	many := message{title: farm.Say("40 things"), lines: []line{one.lines[0], one.lines[0]}, more: 38}
	tried := message{title: farm.Say("A test"), lines: one.lines}
	for name, m := range map[string]message{"one thing": one, "many things": many, "a test": tried} {
		m.key, m.voice = "key", voice{teller: marks{}, language: farm.German}
		for _, kind := range farm.ChatKinds() {
			body, err := chatBody(kind, m)
			if err != nil {
				t.Fatal(err)
			}
			saidInWords(t, name+" in "+string(kind), strings.ReplaceAll(string(body), `\\`, ""))
		}
		p := mailtest.Open(t, mailtest.Plaintext, func(*mailtest.Server) {})
		n := &Notices{cfg: Config{Mail: mailer(t, p, MailPlaintext, ""), PublicAddress: func() string { return "https://farm.example" }}}
		if err := n.mail(t.Context(), farm.Token{Name: "Mia", Email: "mia@studio.example"}, m); err != nil {
			t.Fatal(err)
		}
		head, subject, text, err := p.Letters()[0].Read()
		if err != nil || head.Get("Content-Language") != "de" {
			t.Errorf("%s: %v, %v", name, head, err)
		}
		saidInWords(t, name+" as a subject", subject)
		saidInWords(t, name+" as an e-mail", text)
	}
}

// saidInWords holds that no letter of a message stands outside of what the teller said.
func saidInWords(t *testing.T, what, text string) {
	t.Helper()
	if left := known.ReplaceAllString(text, ""); regexp.MustCompile(`\pL`).MatchString(left) || !strings.Contains(text, "⟦") {
		t.Errorf("%s says %q in no language: %s", what, left, text)
	}
}
