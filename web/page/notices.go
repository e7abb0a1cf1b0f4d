package page

import (
	"context"

	"overcrank/coordinator/notices"
	"overcrank/farm"
)

// Notices is what somebody is told of, as the page of their account shows it.
type Notices struct {
	notices.Settings
	Saved   bool
	Problem string       // why what was sent is not kept
	Sent    *NoticesForm // that, which the form shows again
	// Tested is the way by which a test was sent, "" for none, and NotSent why it was not.
	Tested  farm.NoticeWay
	NotSent string
}

// happeningWords say what somebody may be told of.
func happeningWords(ctx context.Context, what farm.Happening) string {
	switch what {
	case farm.HappenedFinished:
		return say(ctx, "My job has finished")
	case farm.HappenedFailed:
		return say(ctx, "My job has failed")
	case farm.HappenedBatch:
		return say(ctx, "My batch is done")
	case farm.HappenedApproval:
		return say(ctx, "A job waits for approval")
	case farm.HappenedReview:
		return say(ctx, "My job was reviewed by a link")
	case farm.HappenedBudget:
		return say(ctx, "A budget is nearly used, or used up")
	}
	return string(what)
}

// testWords are what the button says that tries a way to be told.
func testWords(ctx context.Context, way farm.NoticeWay) string {
	if way == farm.ByMail {
		return say(ctx, "Send a test e-mail")
	}
	return say(ctx, "Send a test chat message")
}

// testedWords say what came of trying it.
func (v Notices) testedWords(ctx context.Context) string {
	mail := v.Tested == farm.ByMail
	switch {
	case v.NotSent == "" && mail:
		return say(ctx, "The test e-mail was sent.")
	case v.NotSent == "":
		return say(ctx, "The test chat message was sent.")
	case mail:
		return say(ctx, "The test e-mail was not sent: %s.", heard(ctx, v.NotSent))
	}
	return say(ctx, "The test chat message was not sent: %s.", heard(ctx, v.NotSent))
}

// chatName is what people call a kind of chat.
func chatName(ctx context.Context, kind farm.ChatKind) string {
	switch kind {
	case farm.ChatSlack:
		return say(ctx, "Slack, Mattermost or Rocket.Chat")
	case farm.ChatTeams:
		return "Microsoft Teams"
	case farm.ChatDiscord:
		return "Discord"
	}
	return string(kind)
}

// NoticesForm is what the form asks for. The address of a chat is a secret, so that no page has it.
type NoticesForm struct {
	About             []farm.Happening
	Mail, Chat, Quiet bool
	Kind              farm.ChatKind // "" where the address tells it
	Forgotten         bool          // an address of a chat was sent, and is not shown again
	Hours, Zone       string
}

// form is what the form shows: what the farm has, or what was sent and refused.
func (v Notices) form() NoticesForm {
	if v.Sent != nil {
		return *v.Sent
	}
	f := NoticesForm{About: v.About, Mail: v.Mail, Chat: v.Chat != nil, Quiet: v.Quiet != nil}
	if v.Chat != nil && notices.KindOf(v.Chat.Host) == "" {
		f.Kind = v.Chat.Kind
	}
	if v.Quiet != nil {
		f.Hours, f.Zone = v.Quiet.Hours.String(), v.Quiet.Zone
	}
	return f
}

// queueWords say how telling by one way goes, "" when there is nothing to say.
func queueWords(ctx context.Context, q farm.NoticeQueue) string {
	switch waiting := len(q.Waiting) + q.More; {
	case q.Error != "" && waiting > 0:
		return say(ctx, "Not sent so far, and tried again: %s.", heard(ctx, q.Error))
	case q.Error != "":
		return say(ctx, "The last message was given up: %s.", heard(ctx, q.Error))
	case waiting > 0:
		return many(ctx, waiting, "%d thing waits to be told.", "%d things wait to be told.")
	}
	return ""
}
