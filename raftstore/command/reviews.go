package command

import (
	"time"

	"overcrank/farm"
)

// PutReviewLink adds a link by which others may look at a job's result.
type PutReviewLink struct{ Link farm.ReviewLink }

// RevokeReviewLink ends a link. It is kept, with what came by it.
type RevokeReviewLink struct {
	Team, Job, ID string
	At            time.Time
}

// AddRemark adds what somebody said about a take. A verdict about a job that waits for approval decides it.
type AddRemark struct{ Remark farm.Remark }

// DeleteRemark takes a remark back.
type DeleteRemark struct {
	Team, Job, ID string
	At            time.Time
}

// PutTeamLogo sets the picture of a team, a PNG; an empty one takes it away.
type PutTeamLogo struct {
	Team    string
	Picture []byte `json:",omitempty"`
	At      time.Time
}

func (PutReviewLink) Needs() int    { return ReviewsLevel }
func (RevokeReviewLink) Needs() int { return ReviewsLevel }
func (AddRemark) Needs() int        { return ReviewsLevel }
func (DeleteRemark) Needs() int     { return ReviewsLevel }
func (PutTeamLogo) Needs() int      { return ReviewsLevel }
