package access

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
)

// Notifications are the commands below overcrank notifications.
type Notifications struct {
	Show notificationsShow `cmd:"" default:"withargs" help:"Show what you are told of, and how that goes."`
	Set  notificationsSet  `cmd:"" help:"Choose what you are told of, and how."`
	Test notificationsTest `cmd:"" help:"Send yourself a test message, and say how that went."`
}

type notificationsShow struct{ remote.Flags }

func (n notificationsShow) Run(ctx context.Context, out *terminal.Output) error {
	c, err := n.Client()
	if err != nil {
		return err
	}
	now, err := c.Notifications(ctx)
	return n.Print(out, now, err, func() error { return printNotifications(out, now) })
}

func printNotifications(out *terminal.Output, n client.Notifications) error {
	about := strings.Join(n.About, ", ")
	if about == "" {
		about = "nothing"
	}
	fmt.Fprintf(out, "Told of: %s\n", about)
	t := terminal.NewTable("WAY", "WHERE", "WAITING", "LAST MESSAGE", "PROBLEM")
	for _, way := range n.Ways {
		where := "-"
		switch {
		case way.Way == "email" && n.Email:
			where = n.EmailAddress
		case way.Way == "chat" && n.Chat != nil:
			where = n.Chat.Kind + " at " + n.Chat.Host
		}
		t.Row(way.Way, where, fmt.Sprint(way.Waiting), terminal.LocalTime(way.EndedAt), way.Error)
	}
	if err := out.Table(t); err != nil {
		return err
	}
	if q := n.QuietHours; q != nil {
		fmt.Fprintf(out, "Quiet hours: %s, %s\n", q.Hours, q.TimeZone)
	}
	of := ""
	if n.Language == "" {
		of = ", as long as you choose none"
	}
	fmt.Fprintf(out, "Language: %s%s\n", farm.Language(n.ToldIn).Name(), of)
	return nil
}

type notificationsSet struct {
	remote.Flags
	About       []string `help:"What to be told of: finished, failed, batch, approval, review, budget. Default: as before." placeholder:"WHAT" xor:"about"`
	Nothing     bool     `help:"Be told of nothing." xor:"about"`
	Email       *bool    `help:"Be told by e-mail, at the address of your access." negatable:""`
	ChatURLFile string   `name:"chat-url-file" help:"File with the address for incoming messages that a chat gave." type:"existingfile" xor:"chat"`
	ChatKind    string   `help:"How the chat wants its messages: slack, teams or discord. Default: as its address tells." placeholder:"KIND"`
	NoChat      bool     `help:"Be told in no chat." xor:"chat"`
	QuietHours  string   `help:"When nothing is sent, such as 22:00-07:00 or 'mon-fri 19:00-08:00'." placeholder:"HOURS" xor:"quiet"`
	TimeZone    string   `help:"Time zone of the quiet hours, such as Europe/Berlin. Default: as before." placeholder:"ZONE"`
	NoQuiet     bool     `name:"no-quiet-hours" help:"Have no quiet hours." xor:"quiet"`
	Language    string   `help:"Language of messages and pages: en, de, fr, or browser for the one that your browser prefers. Default: as before." placeholder:"LANGUAGE"`
}

func (notificationsSet) Help() string {
	return `What is left out stays as it is. The address of a chat is no argument, because whoever knows it can write there.

    overcrank notifications set --about failed,batch --chat-url-file slack.url --quiet-hours 22:00-07:00 --time-zone Europe/Berlin
    overcrank notifications test chat`
}

func (n notificationsSet) Run(ctx context.Context, out *terminal.Output) error {
	c, err := n.Client()
	if err != nil {
		return err
	}
	now, err := c.Notifications(ctx)
	if err != nil {
		return err
	}
	wanted, err := n.wanted(now)
	if err != nil {
		return err
	}
	now, err = c.SetNotifications(ctx, wanted)
	return n.Print(out, now, err, func() error { return printNotifications(out, now) })
}

// wanted is what is there now, with what the flags change.
func (n notificationsSet) wanted(now client.Notifications) (wanted client.NotificationsWanted, err error) {
	wanted = client.NotificationsWanted{About: now.About, Email: now.Email, QuietHours: n.quiet(now.QuietHours)}
	switch {
	case n.Nothing:
		wanted.About = []string{}
	case len(n.About) > 0:
		wanted.About = n.About
	}
	if n.Email != nil {
		wanted.Email = *n.Email
	}
	switch n.Language {
	case "":
	case "browser":
		wanted.Language = json.RawMessage("null")
	default:
		if wanted.Language, err = json.Marshal(n.Language); err != nil {
			return wanted, err
		}
	}
	wanted.Chat, err = n.chat(now.Chat)
	return wanted, err
}

// chat is the chat to be told in, nil for none. Without an address it is the one that is known.
func (n notificationsSet) chat(now *client.NoticeChat) (*client.ChatWanted, error) {
	if n.NoChat || now == nil && n.ChatURLFile == "" && n.ChatKind == "" {
		return nil, nil
	}
	chat := &client.ChatWanted{Kind: n.ChatKind}
	if n.ChatURLFile == "" {
		if now != nil {
			chat.Kind = cmp.Or(n.ChatKind, now.Kind)
		}
		return chat, nil
	}
	address, err := os.ReadFile(n.ChatURLFile)
	if err != nil {
		return nil, fmt.Errorf("read the chat's address: %w", err)
	}
	chat.URL = strings.TrimSpace(string(address))
	return chat, nil
}

// quiet are the quiet hours, nil for none.
func (n notificationsSet) quiet(now *client.QuietHours) *client.QuietHours {
	if n.NoQuiet {
		return nil
	}
	if n.QuietHours == "" && n.TimeZone == "" {
		return now
	}
	quiet := client.QuietHours{Hours: n.QuietHours, TimeZone: n.TimeZone}
	if now != nil {
		quiet.Hours, quiet.TimeZone = cmp.Or(quiet.Hours, now.Hours), cmp.Or(quiet.TimeZone, now.TimeZone)
	}
	return &quiet
}

type notificationsTest struct {
	Way string `arg:"" help:"email or chat." enum:"email,chat"`
	remote.Flags
}

func (n notificationsTest) Run(ctx context.Context, out *terminal.Output) error {
	c, err := n.Client()
	if err != nil {
		return err
	}
	test, err := c.TestNotifications(ctx, n.Way)
	if err := n.Print(out, test, err, func() error { return nil }); err != nil {
		return err
	}
	if !test.Sent {
		return fmt.Errorf("the test was not sent: %s", test.Problem)
	}
	out.Remark("The test was sent.")
	return nil
}
