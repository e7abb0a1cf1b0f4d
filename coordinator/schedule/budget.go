package schedule

import "overcrank/farm"

// Held names what a budget holds work of: a project of a team, or, without a project, all that the team has.
type Held struct{ Team, Project string }

// SetHeld replaces what is held for want of machine hours, with a sentence that says why. Tasks of it wait in the queue, outside the order, and
// cost nothing until they are let go. It looks at each group, so it is meant for when a budget was used up or changed.
func (q *Queue) SetHeld(held map[Held]farm.Text) {
	q.held = held
	for _, t := range q.teamList {
		for l := range t.lanes {
			for _, b := range t.lanes[l].blocks {
				if b == nil {
					continue
				}
				for _, g := range b.groups {
					if g != nil {
						q.setHeld(g, !q.whyHeld(t.id, g.class.need.Project).IsZero())
					}
				}
			}
		}
	}
}

// whyHeld is the sentence that says why work is held, zero for work that is not.
func (q *Queue) whyHeld(team, project string) farm.Text {
	if why := q.held[Held{team, project}]; !why.IsZero() {
		return why
	}
	return q.held[Held{Team: team}]
}

// setHeld takes a group out of the order, or puts it back where it was left. Its tasks stay as they are.
func (q *Queue) setHeld(g *group, held bool) {
	if g.held == held {
		return
	}
	if len(g.ready) == 0 {
		g.held = held
		return
	}
	if held {
		if q.claim == g {
			q.claim = nil
		}
		q.line.remove(g)
		g.lane.ready -= len(g.ready)
	} else {
		q.line.append(g, q.latest)
		g.lane.ready += len(g.ready)
	}
	g.held = held
	g.lane.rank(g)
}
