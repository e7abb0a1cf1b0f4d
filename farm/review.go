package farm

import (
	"time"
	"unicode/utf8"
)

// ReviewLink lets whoever has its address look at a job's result and say what they think of it, without an account.
type ReviewLink struct {
	ID, Team, Job string
	Hash          string // SHA-256 in hex of the code in its address, which is kept nowhere
	For           string `json:",omitempty"` // whom it was made for, in its maker's words
	Password      string `json:",omitempty"` // Argon2id of the password that it asks for; "" when it asks for none
	Download      bool   `json:",omitempty"` // the result may be downloaded
	Takes         bool   `json:",omitempty"` // earlier and later takes of the job are shown too
	By            string // who made it
	At, Until     time.Time
	RevokedAt     time.Time `json:",omitzero"`
}

// Open says whether the link can be used at a moment.
func (l ReviewLink) Open(now time.Time) bool { return l.RevokedAt.IsZero() && now.Before(l.Until) }

// Verdict is what somebody decided about a take, "" for a remark that decides nothing.
type Verdict string

// The verdicts.
const (
	VerdictApproved Verdict = "approved"
	VerdictRejected Verdict = "rejected"
)

// Remark is what somebody said about a take of a job: a comment on one of its frames, or a verdict.
type Remark struct {
	ID, Team, Job string
	Link          string   `json:",omitempty"` // by which they came; "" for the team itself
	Name          string   // as they gave it; of the team, as the farm knows it
	Text          string   `json:",omitempty"`
	Frame         *int     `json:",omitempty"` // it is about, from 0 on; nil for the whole take
	Drawing       []Stroke `json:",omitempty"` // on that frame
	Verdict       Verdict  `json:",omitempty"`
	Inside        bool     `json:",omitempty"` // only the team sees it
	At            time.Time
}

// Stroke is a line of a drawing. Its points are pairs of x and y, in DrawingSide ths of the picture's width and height.
type Stroke struct {
	Colour string // one of StrokeColours
	Points []int
}

// DrawingSide is how many steps a drawing has from one side of the picture to the other.
const DrawingSide = 10_000

// StrokeColours are what drawings are made in.
func StrokeColours() []string { return []string{"amber", "red", "green", "blue", "white"} }

// What reviews are held to.
const (
	// MostReviewLinks is how many links of a job can be used at a time. Of those that no longer can as many are kept.
	MostReviewLinks = 20
	// MostRemarks is how many remarks a job has at most, MostRemarksOfLink how many came by one link.
	MostRemarks       = 400
	MostRemarksOfLink = 200
	// MostStrokes and MostPoints bound a drawing; points are those of all its strokes.
	MostStrokes = 60
	MostPoints  = 1200
	// MostRemark and MostReviewName bound what is written, in bytes.
	MostRemark     = 2000
	MostReviewName = 100
	// MostLogo bounds the picture of a team, in bytes.
	MostLogo = 64 << 10
	// MostTakes is how many takes of a job are looked at: the newest ones.
	MostTakes = 20
)

// Check says what is wrong with a remark by itself, nil for nothing.
func (r Remark) Check() *Error {
	wrong := func(field, message string, args ...any) *Error {
		return Invalid("this cannot be kept", Field(field, message, args...))
	}
	switch {
	case r.Name == "":
		return wrong("name", "is missing")
	case len(r.Name) > MostReviewName || !utf8.ValidString(r.Name):
		return wrong("name", "is too long")
	case len(r.Text) > MostRemark || !utf8.ValidString(r.Text):
		return wrong("text", "is too long: it may have 2,000 bytes")
	case r.Text == "" && len(r.Drawing) == 0 && r.Verdict == "":
		return wrong("text", "is missing")
	case r.Verdict != "" && r.Verdict != VerdictApproved && r.Verdict != VerdictRejected:
		return wrong("verdict", "has to be approved or rejected")
	case r.Frame == nil && len(r.Drawing) > 0:
		return wrong("frame", "is missing: a drawing is on one")
	case r.Frame != nil && (*r.Frame < 0 || *r.Frame > maxReviewFrame):
		return wrong("frame", "is not a frame of the film")
	}
	return checkDrawing(r.Drawing)
}

// maxReviewFrame is more than any film has.
const maxReviewFrame = 10_000_000

func checkDrawing(strokes []Stroke) *Error {
	wrong := func(message string, args ...any) *Error {
		return Invalid("this cannot be kept", Field("drawing", message, args...))
	}
	colours, points := map[string]bool{}, 0
	for _, c := range StrokeColours() {
		colours[c] = true
	}
	if len(strokes) > MostStrokes {
		return wrong("has too many lines")
	}
	for _, s := range strokes {
		if points += len(s.Points) / 2; points > MostPoints {
			return wrong("has too many points")
		}
		if !colours[s.Colour] || len(s.Points) < 2 || len(s.Points)%2 != 0 {
			return wrong("has a line that cannot be read")
		}
		for _, p := range s.Points {
			if p < 0 || p > DrawingSide {
				return wrong("has a point outside of the picture")
			}
		}
	}
	return nil
}
