package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"overcrank/coordinator/machines"
	"overcrank/farm"
	"overcrank/farm/wording"
)

// MachineDay is what a machine did in the last 24 hours, as its page draws it.
type MachineDay struct {
	farm.MachineDay
	Now  time.Time
	Jobs []Choice // of the reader's team, by id and title, the latest first
}

// use is how a use of a machine's time is shown.
type use struct{ word, class string }

var uses = [farm.MachineUses]use{{"Rendering", "rendering"}, {"Idle", "idle"}, {"Artist at work", "artist"}, {"Away", "away"}}

// total is the time that went into a use.
func (d MachineDay) total(u farm.MachineUse) time.Duration {
	var seconds float64
	for _, p := range d.Parts {
		seconds += p.Seconds[u]
	}
	return time.Duration(seconds * float64(time.Second))
}

// legend are the uses that there were, with their time.
func (d MachineDay) legend() (list []struct {
	use
	For string
}) {
	for u, known := range uses {
		if t := d.total(farm.MachineUse(u)); t >= time.Second {
			list = append(list, struct {
				use
				For string
			}{known, wording.Duration(t)})
		}
	}
	return list
}

// ends are how many attempts ended, and how many of them failed.
func (d MachineDay) ends() (all, failed int) {
	for _, p := range d.Parts {
		all += p.Jobs
		failed += p.Failed
	}
	return all, failed
}

// sentence says all of it in words.
func (d MachineDay) sentence() string {
	var words []string
	for _, l := range d.legend() {
		words = append(words, strings.ToLower(l.word)+" for "+l.For)
	}
	if len(words) == 0 {
		return "Nothing is known of the last 24 hours yet."
	}
	said := wording.Title(strings.Join(words, ", ")) + "."
	if all, failed := d.ends(); all > 0 {
		said += fmt.Sprintf(" %s %s ended", grouped(all), plural(all, "attempt", "attempts"))
		if failed > 0 {
			said += fmt.Sprintf(", %s of them failed", grouped(failed))
		}
		said += "."
	}
	return said
}

// young tells whether the coordinator that leads has led for less than the day.
func (d MachineDay) young() bool {
	return !d.Since.IsZero() && d.Now.Sub(d.Since) < farm.DayParts*farm.DayPart
}

// dayBar is a bar of the strip: a use in a quarter of an hour.
type dayBar struct {
	Class           string
	X, Y, Width, Hi string
}

// The drawing of a day: a unit for each quarter of an hour, and its height.
const dayHeight = 40

// bars are the strip, from left to right.
func (d MachineDay) bars() (list []dayBar) {
	begin := d.Now.Add(-farm.DayParts * farm.DayPart).UTC().Truncate(farm.DayPart).Add(farm.DayPart)
	for _, p := range d.Parts {
		x, at := p.From.Sub(begin)/farm.DayPart, float64(dayHeight)
		for u := range uses {
			h := dayHeight * min(p.Seconds[u]/farm.DayPart.Seconds(), 1)
			if h < 0.05 {
				continue
			}
			at -= h
			list = append(list, dayBar{Class: uses[u].class, X: strconv.Itoa(int(x)), Y: tenths(max(at, 0)), Width: "1", Hi: tenths(h)})
		}
		if p.Failed > 0 {
			list = append(list, dayBar{Class: "failed", X: strconv.Itoa(int(x)), Y: "0", Width: "1", Hi: "4"})
		}
	}
	return list
}

// dayMarks are the hours below the strip, with the times that pages put on the reader's clock.
func (d MachineDay) marks() (list []time.Time) {
	for h := 24; h > 0; h -= 6 {
		list = append(list, d.Now.Add(-time.Duration(h)*time.Hour))
	}
	return list
}

// WeekRow is a day of the week in which a machine may work at some hours.
type WeekRow struct {
	Day   string
	Spans []WeekSpan
}

// WeekSpan is a window of a day, in minutes after midnight.
type WeekSpan struct{ From, To int }

// week are the days from Monday on, with the windows in which the rules let the machine work.
func week(r farm.WorkRules) []WeekRow {
	const day = 24 * 60
	open := [7][]WeekSpan{}
	for _, h := range r.Hours {
		for d := range 7 {
			if len(h.Days) > 0 && !slices.Contains(h.Days, time.Weekday(d)) {
				continue
			}
			if h.To > h.From {
				open[d] = append(open[d], WeekSpan{h.From, h.To})
				continue
			}
			open[d] = append(open[d], WeekSpan{h.From, day})
			if h.To > 0 {
				open[(d+1)%7] = append(open[(d+1)%7], WeekSpan{0, h.To})
			}
		}
	}
	rows := make([]WeekRow, 7)
	for i := range rows {
		d := time.Weekday((i + 1) % 7)
		rows[i].Day, rows[i].Spans = d.String()[:3], open[d]
		if len(r.Hours) == 0 {
			rows[i].Spans = []WeekSpan{{0, day}}
		}
	}
	return rows
}

// rulesWords are the rules besides the hours, as sentences.
func rulesWords(r farm.WorkRules) (list []string) {
	if len(r.Hours) > 0 {
		list = append(list, "It works for the farm "+hoursText(r.Hours, "; ")+", by its own clock ("+r.Zone+").")
	} else {
		list = append(list, "It may work for the farm at any hour.")
	}
	if r.IdleMinutes > 0 {
		words := "It waits until nobody has used it for " + wording.Duration(time.Duration(r.IdleMinutes*float64(time.Minute)))
		if r.LockedIsIdle {
			words += ", or its screen is locked"
		}
		list = append(list, words+".")
	}
	if len(r.Programs) > 0 {
		list = append(list, "It stops while one of these programs runs: "+commas(r.Programs)+".")
	}
	if r.MaxOtherLoad > 0 {
		list = append(list, fmt.Sprintf("It stops while other programs take more than %d %% of its processors.", r.MaxOtherLoad))
	}
	if r.NotOnBattery {
		list = append(list, "It does not work on its battery.")
	}
	return list
}

// nowInWeek is where the present is in the drawing of a week: the row, and minutes after midnight, by the machine's clock.
func nowInWeek(r farm.WorkRules, now time.Time) (row, minutes int) {
	at := r.Clock(now)
	return (int(at.Weekday()) + 6) % 7, at.Hour()*60 + at.Minute()
}

// lackWords say how usual something is.
func lackWords(c machines.Comparison, l machines.Lack) string {
	return grouped(l.Have) + " of " + grouped(c.Others) + " other machines have it"
}

// lackSentence says what a machine lacks of a kind; "" for nothing.
func lackSentence(list []machines.Lack, one, many string) string {
	if len(list) == 0 {
		return ""
	}
	return "Lacks " + grouped(len(list)) + " " + plural(len(list), one, many) + " that most other machines have"
}

// lacksListed is how many lacking things of a kind are listed.
const lacksListed = 50
