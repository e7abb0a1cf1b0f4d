package farm

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Happening is something that people may be told of.
type Happening string

// What people may be told of. A job that is nested in another is part of that one. The jobs of a batch are told of together, when the last has
// ended, but for the first that fails.
const (
	HappenedFinished Happening = "finished" // a job of theirs has finished
	HappenedFailed   Happening = "failed"   // a job of theirs has failed, or the first of a batch of theirs
	HappenedBatch    Happening = "batch"    // a batch of theirs has ended
	HappenedApproval Happening = "approval" // a job waits for somebody to approve it: theirs; of the whole team for producers and above
	HappenedReview   Happening = "review"   // somebody has said what they think of a job, by a review link: theirs, or one that they made the link for
	// HappenedBudget is that a share of a budget is used, of a project or of the team: for producers and above
	HappenedBudget Happening = "budget"
	// HappenedEnded is that a job has ended which they watch. It is asked for with the job, not in settings.
	HappenedEnded Happening = "ended"
)

// Happenings are all that people may want to be told of.
func Happenings() []Happening {
	return []Happening{HappenedFinished, HappenedFailed, HappenedBatch, HappenedApproval, HappenedReview, HappenedBudget}
}

// NoticeWay is a way by which people are told.
type NoticeWay string

// The ways.
const (
	ByMail NoticeWay = "email" // to the address of their access
	ByChat NoticeWay = "chat"  // to an address of a chat that takes messages
)

// NoticeWays are all of them.
func NoticeWays() []NoticeWay { return []NoticeWay{ByMail, ByChat} }

// ChatKind is how a chat wants its messages.
type ChatKind string

// The kinds of chats.
const (
	ChatSlack   ChatKind = "slack" // also Mattermost, Rocket.Chat and others that take the same
	ChatTeams   ChatKind = "teams"
	ChatDiscord ChatKind = "discord"
)

// ChatKinds are all of them.
func ChatKinds() []ChatKind { return []ChatKind{ChatSlack, ChatTeams, ChatDiscord} }

// NoticeChat is the chat that somebody is told in.
type NoticeChat struct {
	Kind ChatKind
	Host string // of its address, which is a secret
	// Sealed is the address, which whoever knows can write with.
	Sealed []byte
}

// QuietHours are when somebody is not told: what happens then is told in one message at their end. Zone is the name of a time zone in the
// IANA database.
type QuietHours struct {
	Hours Hours
	Zone  string
}

// NoticeSettings say what the holder of a token is told of, and how.
type NoticeSettings struct {
	Token, Team string
	About       []Happening
	Mail        bool
	Chat        *NoticeChat `json:",omitempty"`
	Quiet       *QuietHours `json:",omitempty"`
}

// Wants says whether the holder is told of what happens.
func (s NoticeSettings) Wants(what Happening) bool { return slices.Contains(s.About, what) }

// Uses says whether the holder is told by a way.
func (s NoticeSettings) Uses(way NoticeWay) bool {
	return way == ByMail && s.Mail || way == ByChat && s.Chat != nil
}

// MostNotices is how many notices to somebody by one way wait at most. Those behind are only counted.
const MostNotices = 50

// MostWatchers is how many may watch a job.
const MostWatchers = 100

// Notice is something that has happened and that somebody is to be told of.
type Notice struct {
	About Happening
	Job   string `json:",omitempty"` // "" when it is about a batch
	Batch string `json:",omitempty"`
	// Project is whose budget it is about, "" for that of the team; Percent is how much of it is used.
	Project string `json:",omitempty"`
	Percent int    `json:",omitempty"`
	At      time.Time
}

// NoticeID names a notice to the holder of a token, for those who show it at once.
func NoticeID(token string, n Notice) string {
	subject := n.Job + n.Batch
	if n.About == HappenedBudget {
		subject = strconv.Itoa(n.Percent) + "/" + n.Project
	}
	return token + " " + string(n.About) + " " + subject
}

// ReadNoticeID is the notice that a name stands for, to whose token's holder; ok is false for what is no name.
func ReadNoticeID(id string) (token string, n Notice, ok bool) {
	parts := strings.Split(id, " ")
	if len(parts) != 3 {
		return "", Notice{}, false
	}
	n.About = Happening(parts[1])
	switch n.About {
	case HappenedBatch:
		n.Batch = parts[2]
	case HappenedBudget:
		percent, project, _ := strings.Cut(parts[2], "/")
		var err error
		if n.Percent, err = strconv.Atoi(percent); err != nil {
			return "", Notice{}, false
		}
		n.Project = project
	default:
		n.Job = parts[2]
	}
	return parts[0], n, true
}

// NoticeQueue is what somebody is still to be told by one way. What waits goes out in one message.
type NoticeQueue struct {
	Token, Team string
	Way         NoticeWay
	Waiting     []Notice  `json:",omitempty"` // the oldest first
	More        int       `json:",omitempty"` // for which there was no room
	Number      int       // of the next message: how many were sent or given up before it
	Tries       int       `json:",omitempty"` // of that message
	Next        time.Time `json:",omitzero"`  // not to be tried before
	// EndedAt is when the last message was sent or given up; Error says why a try of the last one failed, "" when it did not.
	EndedAt time.Time `json:",omitzero"`
	Error   string    `json:",omitempty"`
}
