package notices

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"overcrank/farm"
)

// hosts tell the kind of a chat by the end of its host.
var hosts = []struct {
	suffix string
	kind   farm.ChatKind
}{
	{"hooks.slack.com", farm.ChatSlack}, {"hooks.slack-gov.com", farm.ChatSlack},
	{"discord.com", farm.ChatDiscord}, {"discordapp.com", farm.ChatDiscord},
	// Workflows of Power Automate, and the connectors before them.
	{"api.powerplatform.com", farm.ChatTeams}, {"logic.azure.com", farm.ChatTeams}, {"webhook.office.com", farm.ChatTeams},
}

// KindOf is the kind of chat that has a host, "" for one that is not known.
func KindOf(host string) farm.ChatKind {
	for _, h := range hosts {
		if host = strings.ToLower(host); host == h.suffix || strings.HasSuffix(host, "."+h.suffix) {
			return h.kind
		}
	}
	return ""
}

// chat tells somebody in the chat of their settings.
func (n *Notices) chat(ctx context.Context, s farm.NoticeSettings, m message) error {
	if s.Chat == nil {
		return farm.Errorf(farm.CodeConflict, "no chat is set")
	}
	address, err := n.addressOf(s)
	if err != nil {
		return err
	}
	body, err := chatBody(s.Chat.Kind, m)
	if err != nil {
		return fmt.Errorf("writing the message: %w", err)
	}
	return n.cfg.Caller.Post(ctx, address, body)
}

// chatBody is a message as a kind of chat takes it. Names in it are shown as they are: they mention nobody and bring no formatting.
func chatBody(kind farm.ChatKind, m message) ([]byte, error) {
	switch kind {
	case farm.ChatTeams:
		return teamsBody(m)
	case farm.ChatDiscord:
		return discordBody(m)
	}
	return slackBody(m)
}

// text is a message in lines, whose words are escaped.
func (m message) text(escape func(string) string) string {
	var b strings.Builder
	if !m.isOne() {
		b.WriteString(escape(m.voice.says(m.title)) + "\n")
	}
	for _, l := range m.lines {
		b.WriteString(escape(m.voice.says(l.text)) + "\n" + l.link + "\n")
	}
	if m.more > 0 {
		b.WriteString(m.voice.says(m.others()) + "\n")
	}
	return strings.TrimSpace(b.String())
}

// slackBody escapes the three characters that have a meaning in Slack's messages: with them somebody could be mentioned
// (https://docs.slack.dev/messaging/formatting-message-text).
func slackBody(m message) ([]byte, error) {
	return json.Marshal(struct {
		Text        string `json:"text"`
		Markdown    bool   `json:"mrkdwn"`
		UnfurlLinks bool   `json:"unfurl_links"`
	}{Text: m.text(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace)})
}

// mostDiscord is how many characters a message of Discord may have.
const mostDiscord = 2000

// noEmbeds is the flag of Discord by which a message shows no previews of its links.
const noEmbeds = 1 << 2

// discordBody escapes what Discord reads as formatting, and lets nobody be mentioned.
func discordBody(m message) ([]byte, error) {
	var escapes []string
	for _, c := range `\*_~|>[]()#-` + "`<:@" {
		escapes = append(escapes, string(c), `\`+string(c))
	}
	escape := strings.NewReplacer(escapes...).Replace
	text := m.text(escape)
	for len([]rune(text)) > mostDiscord && len(m.lines) > 0 {
		m.lines, m.more = m.lines[:len(m.lines)-1], m.more+1
		text = m.text(escape)
	}
	type mentions struct {
		Parse []string `json:"parse"`
	}
	return json.Marshal(struct {
		Content  string   `json:"content"`
		Mentions mentions `json:"allowed_mentions"`
		Flags    int      `json:"flags"`
	}{text, mentions{[]string{}}, noEmbeds})
}

// Parts of an Adaptive Card, https://adaptivecards.io/explorer/. Runs of a rich text are shown as they are; those of a TextBlock are Markdown.
type (
	cardRun struct {
		Type   string      `json:"type"`
		Text   string      `json:"text"`
		Weight string      `json:"weight,omitempty"`
		Select *cardAction `json:"selectAction,omitempty"`
	}
	cardText struct {
		Type    string    `json:"type"`
		Inlines []cardRun `json:"inlines"`
	}
	cardAction struct {
		Type  string `json:"type"`
		Title string `json:"title,omitempty"`
		URL   string `json:"url"`
	}
	card struct {
		Schema  string       `json:"$schema"`
		Type    string       `json:"type"`
		Version string       `json:"version"`
		Body    []cardText   `json:"body"`
		Actions []cardAction `json:"actions,omitempty"`
	}
	attachment struct {
		ContentType string `json:"contentType"`
		Content     card   `json:"content"`
	}
)

// teamsBody is an Adaptive Card: a line leads to what it is about, and one alone has a button for that.
func teamsBody(m message) ([]byte, error) {
	paragraph := func(run cardRun) cardText {
		run.Type = "TextRun"
		return cardText{Type: "RichTextBlock", Inlines: []cardRun{run}}
	}
	c := card{Schema: "http://adaptivecards.io/schemas/adaptive-card.json", Type: "AdaptiveCard", Version: "1.4"}
	c.Body = append(c.Body, paragraph(cardRun{Text: m.voice.says(m.title), Weight: "Bolder"}))
	if len(m.lines) == 1 {
		if !m.isOne() {
			c.Body = append(c.Body, paragraph(cardRun{Text: m.voice.says(m.lines[0].text)}))
		}
		c.Actions = []cardAction{{Type: "Action.OpenUrl", Title: m.voice.says(farm.Say("Open")), URL: m.lines[0].link}}
	} else {
		for _, l := range m.lines {
			c.Body = append(c.Body, paragraph(cardRun{Text: m.voice.says(l.text), Select: &cardAction{Type: "Action.OpenUrl", URL: l.link}}))
		}
	}
	if m.more > 0 {
		c.Body = append(c.Body, paragraph(cardRun{Text: m.voice.says(m.others())}))
	}
	return json.Marshal(struct {
		Type        string       `json:"type"`
		Attachments []attachment `json:"attachments"`
	}{"message", []attachment{{"application/vnd.microsoft.card.adaptive", c}}})
}
