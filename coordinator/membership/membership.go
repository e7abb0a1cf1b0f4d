// Package membership decides which coordinators get a vote and which lose their place. It is pure: it takes what the leader has observed
// and returns at most one step; the next call sees its effect.
package membership

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"overcrank/farm/wording"
)

// DeadAfter is how long a coordinator may be silent before it counts as dead: several times what a busy machine takes to answer, and
// short enough that whoever unplugged it still remembers. Being dead has no consequence yet.
const DeadAfter = 5 * time.Second

// MostSkew is how far the clocks of two coordinators may differ: the leader's clock decides when certificates, leases and addresses
// expire.
const MostSkew = time.Minute

// Member is one coordinator, as another sees it.
type Member struct {
	ID      string
	Name    string
	Voter   bool
	Silent  time.Duration // since its last answer; 0 for the observer itself
	KeepsUp time.Duration // for how long it has stayed within a few hundred changes of the newest
	Skew    time.Duration // how far its clock is ahead of the observer's
	Astray  bool          // its state differs from that of the others
	Mended  int64         // how often it found its state file damaged and rebuilt it
}

// Dead reports whether the coordinator has been silent for too long.
func (m Member) Dead() bool { return m.Silent >= DeadAfter }

// Limits are the waiting times of the rule.
type Limits struct {
	// PromoteAfter is how long a coordinator without a vote must keep up before it gets one.
	PromoteAfter time.Duration
	// RemoveAfter is how long a coordinator may be dead before it loses its place; 0 for any time.
	RemoveAfter time.Duration
}

// FollowerRemoveAfter is the longest RemoveAfter of coordinators without a vote: the farm does not need their place, and most of them
// never came up.
const FollowerRemoveAfter = time.Hour

// Change is the kind of a step.
type Change string

// The changes.
const (
	Nothing Change = ""
	Promote Change = "promote" // the member gets a vote
	Remove  Change = "remove"  // the member loses its place
)

// Step is the leader's next change of the membership.
type Step struct {
	Change Change
	Member Member
	Why    string
}

// Next returns the one step to take now. Votes are given first, since a new voter may make up for a dead one.
func Next(members []Member, limits Limits) Step {
	var ready []Member
	for _, m := range members {
		if !m.Voter && !m.Dead() && m.KeepsUp >= limits.PromoteAfter {
			ready = append(ready, m)
		}
	}
	if len(ready) > 0 {
		longest := slices.MaxFunc(ready, func(a, b Member) int { return cmp.Or(cmp.Compare(a.KeepsUp, b.KeepsUp), -cmp.Compare(a.ID, b.ID)) })
		return Step{Promote, longest, fmt.Sprintf("it has kept up for %s", wording.Duration(longest.KeepsUp))}
	}
	if limits.RemoveAfter <= 0 {
		return Step{}
	}
	var gone []Member
	for _, m := range members {
		limit := limits.RemoveAfter
		if !m.Voter {
			limit = min(limit, FollowerRemoveAfter)
		}
		if m.Dead() && m.Silent >= limit && Removable(members, m.ID) == nil {
			gone = append(gone, m)
		}
	}
	if len(gone) == 0 {
		return Step{}
	}
	longest := slices.MaxFunc(gone, func(a, b Member) int { return cmp.Or(cmp.Compare(a.Silent, b.Silent), -cmp.Compare(a.ID, b.ID)) })
	return Step{Remove, longest, fmt.Sprintf("it has been silent for %s", wording.Duration(longest.Silent))}
}

// Removable is nil when the farm keeps working without a member: those left that are alive are a majority of those left.
func Removable(members []Member, id string) error {
	voters, alive := 0, 0
	voter := false
	for _, m := range members {
		if m.ID == id {
			voter = m.Voter
			continue
		}
		if m.Voter {
			voters++
			if !m.Dead() {
				alive++
			}
		}
	}
	switch {
	case !voter:
		return nil
	case voters == 0:
		return fmt.Errorf("it is the only coordinator with a vote, and none would be left to lead the farm")
	case alive < Majority(voters):
		return fmt.Errorf("of the %d coordinators that would be left with a vote %d answer, and %d are needed for a majority", voters, alive, Majority(voters))
	}
	return nil
}

// Majority is how many of a number of voters must agree.
func Majority(voters int) int { return voters/2 + 1 }

// Standing counts a farm's coordinators.
type Standing struct {
	Voters, Alive int // of the voters
	// Spare is how many more voters may fail before the farm stops; below 0 it has stopped.
	Spare int
}

// Stand counts the members.
func Stand(members []Member) Standing {
	var s Standing
	for _, m := range members {
		if m.Voter {
			s.Voters++
			if !m.Dead() {
				s.Alive++
			}
		}
	}
	s.Spare = s.Alive - Majority(s.Voters)
	return s
}

// AstrayWayOut is what to do about a coordinator whose state differs from that of the others. Its snapshots are wrong too.
const AstrayWayOut = "stop it, set its data folder aside, run the same release of overcrank as the others, and let it join again with an empty folder"

// Warnings lists in words what somebody should do about the farm's coordinators; none when all is well.
func Warnings(members []Member) []string {
	var words []string
	s := Stand(members)
	for _, m := range members {
		if m.Astray {
			words = append(words, fmt.Sprintf("the state of coordinator %s differs from the others': %s", m.Name, AstrayWayOut))
		}
		if m.Mended > 0 {
			words = append(words, fmt.Sprintf("coordinator %s found its state file damaged and rebuilt it (since its start: %d): nothing is lost, check the disk "+
				"and memory of its machine", m.Name, m.Mended))
		}
		if m.Dead() {
			words = append(words, fmt.Sprintf("coordinator %s has not answered for %s", m.Name, wording.Duration(m.Silent)))
		} else if apart := m.Skew.Abs(); apart > MostSkew {
			way := "ahead of"
			if m.Skew < 0 {
				way = "behind"
			}
			words = append(words, fmt.Sprintf("the clock of coordinator %s is %s %s this coordinator's: correct the one that is wrong", m.Name, wording.Duration(apart.Round(time.Minute)), way))
		}
	}
	switch {
	case s.Voters == 0:
		return words
	case s.Spare < 0:
		words = append(words, fmt.Sprintf("%d of %d coordinators with a vote answer, %d are needed: the farm takes no changes until more of them are back", s.Alive, s.Voters, Majority(s.Voters)))
	case s.Spare == 0 && s.Voters > 1:
		words = append(words, "the farm stops working if one more coordinator fails")
	}
	if s.Voters%2 == 0 {
		words = append(words, fmt.Sprintf("%d coordinators have a vote: an even number tolerates no more failures than one fewer; use 1, 3 or 5", s.Voters))
	}
	return words
}
