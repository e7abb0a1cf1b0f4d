package page

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"overcrank/farm"
)

// hoursCell is an hour of a weekday.
type hoursCell struct {
	Day  time.Weekday
	Hour int
	Open bool
}

func (c hoursCell) value() string { return fmt.Sprintf("%d-%d", c.Day, c.Hour) }

func (c hoursCell) name(ctx context.Context) string {
	return say(ctx, weekdays[c.Day]) + " " + clockHour(c.Hour)
}

func clockHour(hour int) string { return fmt.Sprintf("%d:00", hour) }

// exactly says whether hours can be drawn as they are, in whole hours.
func exactly(hours []farm.Hours) bool {
	return !slices.ContainsFunc(hours, func(h farm.Hours) bool { return h.From%60 != 0 || h.To%60 != 0 })
}

// weekDrawn are the hours of the day, each with the days from Monday on. No windows are all hours.
func weekDrawn(hours []farm.Hours) [][]hoursCell {
	rows := make([][]hoursCell, 24)
	for i, day := range week(farm.WorkRules{Hours: hours}) {
		for hour := range rows {
			open := slices.ContainsFunc(day.Spans, func(s WeekSpan) bool { return s.From <= hour*60 && (hour+1)*60 <= s.To })
			rows[hour] = append(rows[hour], hoursCell{Day: time.Weekday((i + 1) % 7), Hour: hour, Open: open})
		}
	}
	return rows
}

// MarksOf are the hours of a week that a drawing of windows has marked, in the order of their values.
func MarksOf(hours []farm.Hours) (marked []string) {
	for _, row := range weekDrawn(hours) {
		for _, cell := range row {
			if cell.Open {
				marked = append(marked, cell.value())
			}
		}
	}
	slices.Sort(marked)
	return marked
}

// HoursOf are the windows of the week of the hours that a form marked, and whether there are any. All hours of the week are no windows, which mean
// always. What is no hour of a week is left out.
func HoursOf(marked []string) (hours []farm.Hours, any bool) {
	var open [7][24]bool
	all := 0
	for _, text := range marked {
		d, h, _ := strings.Cut(text, "-")
		day, err := strconv.Atoi(d)
		hour, alsoErr := strconv.Atoi(h)
		if err != nil || alsoErr != nil || day < 0 || day > 6 || hour < 0 || hour > 23 || open[day][hour] {
			continue
		}
		open[day][hour] = true
		all++
	}
	if all == 7*24 {
		return nil, true
	}
	for i := range open {
		day := time.Weekday((i + 1) % 7)
		for hour := 0; hour < 24; hour++ {
			from := hour
			for hour < 24 && open[day][hour] {
				hour++
			}
			if hour > from {
				hours = addWindow(hours, day, from*60, hour*60%(24*60))
			}
		}
	}
	return hours, all > 0
}

// addWindow adds a window of a day to those that have the same times on other days.
func addWindow(hours []farm.Hours, day time.Weekday, from, to int) []farm.Hours {
	for i := range hours {
		if hours[i].From == from && hours[i].To == to {
			hours[i].Days = append(hours[i].Days, day)
			return hours
		}
	}
	return append(hours, farm.Hours{Days: []time.Weekday{day}, From: from, To: to})
}
