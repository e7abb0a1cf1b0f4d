package notices

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"overcrank/farm"
)

func TestAChatIsKnownByItsHost(t *testing.T) {
	for host, want := range map[string]farm.ChatKind{
		"hooks.slack.com": farm.ChatSlack, "Discord.com": farm.ChatDiscord, "canary.discord.com": farm.ChatDiscord, "studio.webhook.office.com": farm.ChatTeams,
		"prod-01.westeurope.logic.azure.com": farm.ChatTeams, "a.b.environment.api.powerplatform.com": farm.ChatTeams,
		"evildiscord.com": "", "hooks.slack.com.evil.example": "", "chat.studio.example": "",
	} {
		if got := KindOf(host); got != want {
			t.Errorf("%s is %q, want %q", host, got, want)
		}
	}
}

// hostile is a message about a job whose name would mention everybody, or be read as formatting.
var hostile = message{
	title: farm.AsIs(`@everyone <!channel> [x](https://evil.example) **b** & "q"`),
	lines: []line{{text: farm.AsIs(`@everyone <!channel> [x](https://evil.example) **b** & "q"`), link: "https://farm.example/jobs/1"}},
}

func TestNamesInChatsAreShownAsTheyAre(t *testing.T) {
	for kind, wants := range map[farm.ChatKind][]string{
		farm.ChatSlack:   {`@everyone &lt;!channel&gt; [x](https://evil.example) **b** &amp; "q"` + "\nhttps://farm.example/jobs/1"},
		farm.ChatDiscord: {`\@everyone \<!channel\> \[x\]\(https\://evil.example\) \*\*b\*\* & "q"` + "\nhttps://farm.example/jobs/1"},
		farm.ChatTeams:   {hostile.title.String(), "https://farm.example/jobs/1"},
	} {
		body, err := chatBody(kind, hostile)
		if err != nil {
			t.Fatal(err)
		}
		var values any
		if err := json.Unmarshal(body, &values); err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !holds(values, want) {
				t.Errorf("%s: %s does not hold %q", kind, body, want)
			}
		}
	}
	body, err := chatBody(farm.ChatDiscord, hostile)
	if err != nil || !strings.Contains(string(body), `"allowed_mentions":{"parse":[]}`) {
		t.Errorf("somebody may be mentioned: %s, %v", body, err)
	}
	body, err = chatBody(farm.ChatTeams, hostile)
	if err != nil || strings.Contains(string(body), "TextBlock\",\"text") || !strings.Contains(string(body), `"type":"TextRun"`) {
		t.Errorf("a name is read as Markdown: %s, %v", body, err)
	}
}

// holds says whether a decoded JSON value has a text somewhere.
func holds(value any, text string) bool {
	switch v := value.(type) {
	case string:
		return v == text
	case []any:
		for _, each := range v {
			if holds(each, text) {
				return true
			}
		}
	case map[string]any:
		for _, each := range v {
			if holds(each, text) {
				return true
			}
		}
	}
	return false
}

func TestAMessageOfDiscordIsNotTooLong(t *testing.T) {
	m := message{title: farm.Say("40 things happened to your jobs"), more: 20}
	for i := range mostLines {
		m.lines = append(m.lines, line{text: farm.AsIs(strings.Repeat("_", mostWords)), link: fmt.Sprintf("https://farm.example/jobs/%d", i)})
	}
	body, err := chatBody(farm.ChatDiscord, m)
	if err != nil {
		t.Fatal(err)
	}
	var sent struct{ Content string }
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	if n := utf8.RuneCountInString(sent.Content); n > mostDiscord || !strings.Contains(sent.Content, "jobs/0") || !strings.Contains(sent.Content, "And 37 more.") {
		t.Errorf("%d characters: %s", n, sent.Content)
	}
	if len(m.lines) != mostLines {
		t.Error("the message itself was cut")
	}
}

func TestTextsFromOutsideStayInTheirLine(t *testing.T) {
	for text, want := range map[string]string{
		"a\r\nb\tc": "a b c", "\u202eevil\u200b": "evil", "\x00\x1b[31m": "[31m", "\xff": "", "Öffner 🎬": "Öffner 🎬", strings.Repeat("x", mostWords+1): strings.Repeat("x", mostWords) + "…",
	} {
		if got := plain(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
