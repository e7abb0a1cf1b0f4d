package page

import (
	"fmt"
	"slices"

	"overcrank/coordinator/notices"
	"overcrank/farm"
)

// Notices is what somebody is told of, as the page of their account shows it.
type Notices struct {
	notices.Settings
	Saved   bool
	Problem string // why what was sent is not kept
	// Tested is the way by which a test was sent, "" for none, and NotSent why it was not.
	Tested  farm.NoticeWay
	NotSent string
}

// happeningWords say what somebody may be told of.
func happeningWords(what farm.Happening) string {
	switch what {
	case farm.HappenedFinished:
		return "My job has finished"
	case farm.HappenedFailed:
		return "My job has failed"
	case farm.HappenedBatch:
		return "My batch is done"
	case farm.HappenedApproval:
		return "A job waits for approval"
	case farm.HappenedReview:
		return "My job was reviewed by a link"
	case farm.HappenedBudget:
		return "A budget is nearly used, or used up"
	}
	return string(what)
}

// wayName is a way to be told as a button names it.
func wayName(way farm.NoticeWay) string {
	if way == farm.ByMail {
		return "e-mail"
	}
	return "chat message"
}

// chatName is what people call a kind of chat.
func chatName(kind farm.ChatKind) string {
	switch kind {
	case farm.ChatSlack:
		return "Slack, Mattermost or Rocket.Chat"
	case farm.ChatTeams:
		return "Microsoft Teams"
	case farm.ChatDiscord:
		return "Discord"
	}
	return string(kind)
}

// chosenKind says whether a kind of chat was chosen, and is not told by the address.
func (v Notices) chosenKind(kind farm.ChatKind) bool {
	return v.Chat != nil && v.Chat.Kind == kind && notices.KindOf(v.Chat.Host) == ""
}

func (v Notices) quiet() (hours, zone string) {
	if v.Quiet == nil {
		return "", ""
	}
	return v.Quiet.Hours.String(), v.Quiet.Zone
}

func (v Notices) wants(what farm.Happening) bool { return slices.Contains(v.About, what) }

// queueWords say how telling by one way goes, "" when there is nothing to say.
func queueWords(q farm.NoticeQueue) string {
	switch waiting := len(q.Waiting) + q.More; {
	case q.Error != "" && waiting > 0:
		return fmt.Sprintf("Not sent so far, and tried again: %s.", q.Error)
	case q.Error != "":
		return fmt.Sprintf("The last message was given up: %s.", q.Error)
	case waiting > 0:
		return fmt.Sprintf("%d %s to be told.", waiting, plural(waiting, "thing waits", "things wait"))
	}
	return ""
}
