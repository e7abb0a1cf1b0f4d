package page

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"overcrank/coordinator/reviews"
	"overcrank/farm"
	"overcrank/web/language"
)

// Review is the page on which a result is looked at and commented on, by a link or by the team.
type Review struct {
	Base   string // begins the addresses that its script asks
	Back   string // the job's page; "" for those who came by a link
	Team   string
	Logo   bool
	Guest  bool
	May    bool // comment
	Decide bool
	Job    string // that is shown first
	Takes  []ReviewTake
}

// ReviewTake is one take with what the player needs.
type ReviewTake struct {
	ID       string  `json:"id"`
	Number   int     `json:"number"`
	Name     string  `json:"name"`
	Kind     string  `json:"kind"` // film, picture or frames
	Src      string  `json:"src"`
	Download string  `json:"download"` // "" when it may not be
	Width    int     `json:"width"`    // of the result in pixels, 0 while that is not known
	Height   int     `json:"height"`
	Rate     float64 `json:"rate"`
	First    int     `json:"first"`
	Total    int     `json:"total"`
	Frames   []int   `json:"frames"` // that have pictures
	Thumbs   string  `json:"thumbs"` // begins their addresses
	Ext      string  `json:"ext"`
	Waits    bool    `json:"waits"`
	Proxy    bool    `json:"proxy"` // Src is a small film of a result that browsers do not play
}

// Title is what is looked at.
func (r Review) Title(ctx context.Context) string {
	for _, t := range r.Takes {
		if t.ID == r.Job {
			return cmp.Or(t.Name, say(ctx, "Review"))
		}
	}
	return say(ctx, "Review")
}

// waits says whether the job that is shown first waits for approval.
func (r Review) waits() bool {
	for _, t := range r.Takes {
		if t.ID == r.Job {
			return t.Waits
		}
	}
	return false
}

// data is what the page's script needs. It fails for a number that JSON has no way to write.
func (r Review) data() (string, error) {
	raw, err := json.Marshal(struct {
		Base  string       `json:"base"`
		Job   string       `json:"job"`
		Guest bool         `json:"guest"`
		Takes []ReviewTake `json:"takes"`
	}{r.Base, r.Job, r.Guest, r.Takes})
	if err != nil {
		return "", fmt.Errorf("writing the takes of job %s for their player: %w", r.Job, err)
	}
	return string(raw), nil
}

// playerData is what the player on a job's page needs.
func (j Job) playerData() (string, error) { return Review{Job: j.ID, Takes: j.Takes}.data() }

// RemarkShape is a remark as the page's script reads it.
type RemarkShape struct {
	ID      string        `json:"id"`
	Take    string        `json:"take"`
	Name    string        `json:"name"`
	Text    string        `json:"text"`
	Frame   *int          `json:"frame"`
	Drawing []farm.Stroke `json:"drawing"`
	Verdict string        `json:"verdict"`
	Inside  bool          `json:"inside"`
	At      time.Time     `json:"at"`
}

// RemarkShapes are remarks as the page's script reads them.
func RemarkShapes(remarks []farm.Remark) []RemarkShape {
	out := make([]RemarkShape, len(remarks))
	for i, r := range remarks {
		out[i] = RemarkShape{ID: r.ID, Take: r.Job, Name: r.Name, Text: r.Text, Frame: r.Frame, Drawing: r.Drawing, Verdict: string(r.Verdict), Inside: r.Inside, At: r.At}
	}
	return out
}

// NewReview is the form that makes a review link, as it was filled in.
type NewReview struct {
	For, Days, Password string
	Download, Takes     bool
	Wrong               Wrong
}

// newReview is what the form holds that makes a review link.
func (v JobView) newReview() NewReview {
	if v.Refused != nil {
		return *v.Refused
	}
	return NewReview{Days: count(int(reviews.DefaultLife / (24 * time.Hour)))}
}

// ReviewDoor asks for the password of a link.
type ReviewDoor struct{ Action, Team, Problem string }

// JobReviews are the review links of a job, and what was said about it.
type JobReviews struct {
	Job     string
	Links   []farm.ReviewLink
	Remarks []farm.Remark
	First   int // number of the result's first frame
	Now     time.Time
	// Viewable says that there is something to look at: a result of the job or of another take, or frames that wait for approval.
	Viewable bool
}

// any tells whether there is something to look at, or something was said or shared.
func (v JobReviews) any() bool { return v.Viewable || len(v.Remarks) > 0 || len(v.open()) > 0 }

// open are the links that can be used.
func (v JobReviews) open() (open []farm.ReviewLink) {
	for _, l := range v.Links {
		if l.Open(v.Now) {
			open = append(open, l)
		}
	}
	return open
}

// colourWord is a colour that people draw with. One of a later release is said as it comes.
func colourWord(ctx context.Context, colour string) string {
	words := map[string]string{
		"amber": language.Text("amber"), "red": language.Text("red"), "green": language.Text("green"), "blue": language.Text("blue"), "white": language.Text("white"),
	}
	return say(ctx, cmp.Or(words[colour], colour))
}

// remarkWords say what a remark decides, and what it is about, of a result that begins with a frame of its composition.
func remarkWords(ctx context.Context, first int, r farm.Remark) string {
	switch {
	case r.Verdict == farm.VerdictApproved:
		return say(ctx, "approved")
	case r.Verdict == farm.VerdictRejected:
		return say(ctx, "rejected")
	case r.Frame != nil:
		return say(ctx, "frame %d", first+*r.Frame)
	}
	return ""
}
