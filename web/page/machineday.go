package page

import (
	"context"
	"slices"
	"strconv"
	"time"

	"overcrank/coordinator/machines"
	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/web/language"
)

// MachineDay is what a machine did in the last 24 hours, as its page draws it.
type MachineDay struct {
	farm.MachineDay
	Now  time.Time
	Jobs []Choice // of the reader's team, by id and title, the latest first
}

// use is how a use of a machine's time is shown.
type use struct{ word, lasting, class string }

var uses = [farm.MachineUses]use{
	{language.Text("Rendering"), language.Text("rendering for %s"), "rendering"}, {language.Text("Idle"), language.Text("idle for %s"), "idle"},
	{language.Text("Artist at work"), language.Text("artist at work for %s"), "artist"}, {language.Text("Away"), language.Text("away for %s"), "away"},
}

// total is the time that went into a use.
func (d MachineDay) total(u farm.MachineUse) time.Duration {
	var seconds float64
	for _, p := range d.Parts {
		seconds += p.Seconds[u]
	}
	return time.Duration(seconds * float64(time.Second))
}

// legend are the uses that there were, with their time.
func (d MachineDay) legend(ctx context.Context) (list []struct {
	use
	For string
}) {
	for u, known := range uses {
		if t := d.total(farm.MachineUse(u)); t >= time.Second {
			list = append(list, struct {
				use
				For string
			}{known, inWords(ctx).Duration(t)})
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
func (d MachineDay) sentence(ctx context.Context) string {
	var words []string
	for _, l := range d.legend(ctx) {
		words = append(words, say(ctx, l.lasting, l.For))
	}
	if len(words) == 0 {
		return say(ctx, "Nothing is known of the last 24 hours yet.")
	}
	said := wording.Title(commas(words)) + "."
	if all, failed := d.ends(); all > 0 {
		said += " " + many(ctx, all, "%d attempt ended", "%d attempts ended")
		if failed > 0 {
			said += ", " + many(ctx, failed, "%d of them failed", "%d of them failed")
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

// weekdays are the days as the drawing of a week calls them, by time.Weekday.
var weekdays = [7]string{
	language.Text("Sun"), language.Text("Mon"), language.Text("Tue"), language.Text("Wed"), language.Text("Thu"), language.Text("Fri"), language.Text("Sat"),
}

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
		rows[i].Day, rows[i].Spans = weekdays[d], open[d]
		if len(r.Hours) == 0 {
			rows[i].Spans = []WeekSpan{{0, day}}
		}
	}
	return rows
}

// rulesWords are the rules besides the hours, as sentences.
func rulesWords(ctx context.Context, r farm.WorkRules) (list []string) {
	if len(r.Hours) > 0 {
		list = append(list, say(ctx, "It works for the farm %s, by its own clock (%s).", hoursSaid(ctx, r.Hours), r.Zone))
	} else {
		list = append(list, say(ctx, "It may work for the farm at any hour."))
	}
	if r.IdleMinutes > 0 {
		idle := inWords(ctx).Duration(time.Duration(r.IdleMinutes * float64(time.Minute)))
		if r.LockedIsIdle {
			list = append(list, say(ctx, "It waits until nobody has used it for %s, or its screen is locked.", idle))
		} else {
			list = append(list, say(ctx, "It waits until nobody has used it for %s.", idle))
		}
	}
	if len(r.Programs) > 0 {
		list = append(list, say(ctx, "It stops while one of these programs runs: %s.", commas(r.Programs)))
	}
	if r.MaxOtherLoad > 0 {
		list = append(list, say(ctx, "It stops while other programs take more than %d %% of its processors.", r.MaxOtherLoad))
	}
	if r.NotOnBattery {
		list = append(list, say(ctx, "It does not work on its battery."))
	}
	return list
}

// nowInWeek is where the present is in the drawing of a week: the row, and minutes after midnight, by the machine's clock.
func nowInWeek(r farm.WorkRules, now time.Time) (row, minutes int) {
	at := r.Clock(now)
	return (int(at.Weekday()) + 6) % 7, at.Hour()*60 + at.Minute()
}

// lackWords say how usual something is.
func lackWords(ctx context.Context, c machines.Comparison, l machines.Lack) string {
	return many(ctx, l.Have, "%d of %d other machines have it", "%d of %d other machines have it", c.Others)
}

// lacksListed is how many lacking things of a kind are listed.
const lacksListed = 50
