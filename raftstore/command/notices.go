package command

import (
	"time"

	"overcrank/farm"
)

// PutNoticeSettings says what the holder of a token is told of. What waits for a way that they no longer want is forgotten, and what waits
// because tries failed is tried at once.
type PutNoticeSettings struct {
	Settings farm.NoticeSettings
	At       time.Time
}

// RecordNotice notes one try of the message with a Number to the holder of a token: of the first Count notices of the queue, and of as many
// as More without room. Error is "" when it was sent; otherwise it is tried again, unless GiveUp says that it is not. Next is before when
// nothing else is tried.
type RecordNotice struct {
	Token       string
	Way         farm.NoticeWay
	Number, Try int
	Count, More int
	Error       string `json:",omitempty"`
	GiveUp      bool   `json:",omitempty"`
	Next, At    time.Time
}

// WatchJob has the holder of a token told when a job of a team has ended, or no longer.
type WatchJob struct {
	Team, Job string
	Token     string
	Stop      bool `json:",omitempty"`
}

func (WatchJob) Needs() int          { return NoticesLevel }
func (PutNoticeSettings) Needs() int { return NoticesLevel }
func (RecordNotice) Needs() int      { return NoticesLevel }
