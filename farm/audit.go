package farm

import (
	"slices"
	"time"
)

// AuditRecord is who did what at the farm, to what, from where, and what came of it.
type AuditRecord struct {
	// ID sorts records by time, and is unique.
	ID string    `json:"-"`
	At time.Time `json:"at"`
	// Team is that of who did it. ThingTeam is whose the thing is, when that is another one.
	Team      string `json:"team,omitempty"`
	ThingTeam string `json:"thingTeam,omitempty"`
	// Token is who did it, "" for somebody who had not signed in. Name is what they were called then.
	Token  string `json:"token,omitempty"`
	Name   string `json:"name,omitempty"`
	Person bool   `json:"person,omitempty"`
	// Address is where they asked from.
	Address string      `json:"address,omitempty"`
	Action  AuditAction `json:"action"`
	Thing   AuditThing  `json:"thing,omitzero"`
	// Left and Joined are the teams of a person who was moved from one into the other.
	Left   AuditThing `json:"left,omitzero"`
	Joined AuditThing `json:"joined,omitzero"`
	// More is to how many things more the same was done at once.
	More int `json:"more,omitempty"`
	// Refused is why nothing was done: a code, with the words that were answered. "" when it was done.
	Refused Code   `json:"refused,omitempty"`
	Reason  string `json:"reason,omitempty"`
	// Times is how often it happened, of what is noted only once for many: 0 for once.
	Times int `json:"times,omitempty"`
}

// Teams are the ids of those whom the record concerns, each once.
func (r AuditRecord) Teams() []string {
	var ids []string
	for _, id := range []string{r.Team, r.ThingTeam, r.Left.ID, r.Joined.ID} {
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// AuditThing is what something was done to.
type AuditThing struct {
	Kind string `json:"kind,omitempty"`
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
}

// Actor is who asks for a change of the farm, and from where.
type Actor struct {
	Token   string    `json:"token,omitempty"` // "" for somebody who has not signed in
	Address string    `json:"address,omitempty"`
	At      time.Time `json:"at"`
}

// MostAudited is how many records are kept at most. Of what programs and people do all day, such as submitting jobs, the oldest goes first.
const MostAudited = 200_000

// AuditQuery says which records somebody asks for. What is zero is not asked for.
type AuditQuery struct {
	Team     string // whose members did it, or whose thing it was
	Token    string // who did it
	Thing    string // id
	Action   AuditAction
	Refused  bool // only what was refused
	From, To time.Time
	Before   string // the id of a record: those that are older
	Limit    int
}

// Fits says whether a record is one of those that are asked for.
func (q AuditQuery) Fits(r AuditRecord) bool {
	switch {
	case q.Team != "" && !slices.Contains(r.Teams(), q.Team),
		q.Token != "" && q.Token != r.Token,
		q.Thing != "" && q.Thing != r.Thing.ID,
		q.Action != "" && q.Action != r.Action,
		q.Refused && r.Refused == "",
		!q.From.IsZero() && r.At.Before(q.From),
		!q.To.IsZero() && !r.At.Before(q.To):
		return false
	}
	return true
}
