package page

import (
	"context"
	"net/url"

	"overcrank/farm"
)

// MachineHours is the drawing in which the hours of machines are set.
type MachineHours struct {
	Machines []farm.Machine
	Asked    url.Values // which machines, as the list named them
	Hours    []farm.Hours
	Blank    bool // no hour is marked, which Hours cannot say
	Error    string
}

// drawn is the week with the hours that are marked.
func (v MachineHours) drawn() [][]hoursCell {
	rows := weekDrawn(v.Hours)
	for _, row := range rows {
		for i := range row {
			row[i].Open = row[i].Open && !v.Blank
		}
	}
	return rows
}

// farmHoursWords say which hours the farm has set for a machine.
func farmHoursWords(ctx context.Context, hours []farm.Hours) string {
	if len(hours) == 0 {
		return say(ctx, "The farm gives it work at any hour.")
	}
	return say(ctx, "The farm gives it work %s, by the machine’s own clock.", farm.JoinHours(hours))
}

// hoursOfOne is the drawing for one machine.
func hoursOfOne(m farm.Machine) MachineHours {
	return MachineHours{Machines: []farm.Machine{m}, Asked: url.Values{"id": {m.ID}}, Hours: m.Hours}
}
