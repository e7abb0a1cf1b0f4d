package page

import (
	"context"
	"math"

	"overcrank/farm/wording"
)

// DayBar is a bar of the chart: where it stands, how high it is, in percent of the chart.
type DayBar struct {
	X, Width, Y, Height string
	BadY, BadHeight     string // of the part that was wasted, on the ground
	Title               string
}

// chartMark is a mark on an axis of the chart, at a place in percent of it.
type chartMark struct {
	At, Anchor, Label string
}

const (
	// mostSteps is how many steps the axis of hours has at most, mostDays how many days the other names: as many as fit on a telephone.
	mostSteps = 4
	mostDays  = 6
)

// chartSteps are the steps that an axis of machine time can have, in hours; above them it goes on by 1, 2 and 5.
var chartSteps = []float64{10. / 3600, 30. / 3600, 1. / 60, 2. / 60, 5. / 60, 10. / 60, 15. / 60, 0.5, 1, 2, 5}

// daySteps are the numbers of days from one that the chart names to the next.
var daySteps = []int{1, 2, 5, 7, 15, 30, 61}

// axis is the step of the hours' axis, and how many of them hold the longest day.
func (r ReportValues) axis() (step float64, steps int) {
	most := 0.0
	for _, d := range r.Days {
		most = max(most, d.Hours())
	}
	fits := func(step float64) bool { return step*mostSteps >= most }
	for _, step = range chartSteps {
		if fits(step) {
			break
		}
	}
	for scale := 10.0; !fits(step); scale *= 10 {
		for _, part := range []float64{1, 2, 5} {
			if step = part * scale; fits(step) {
				break
			}
		}
	}
	return step, max(1, int(math.Ceil(most/step)))
}

// hourMarks are the marks of the hours' axis, from the top down.
func (r ReportValues) hourMarks(ctx context.Context) []chartMark {
	step, steps := r.axis()
	marks := make([]chartMark, steps+1)
	for i := range marks {
		marks[i] = chartMark{At: percent(float64(i) / float64(steps)), Label: hoursWord(ctx, float64(steps-i)*step)}
	}
	return marks
}

// dayMarks are the days that the chart names, the last one among them.
func (r ReportValues) dayMarks(ctx context.Context) (marks []chartMark) {
	days := len(r.Days)
	step := 0
	for _, step = range daySteps {
		if (days+step-1)/step <= mostDays {
			break
		}
	}
	for i := days - 1; i >= 0; i -= step {
		at := (float64(i) + 0.5) / float64(days)
		mark := chartMark{At: percent(at), Anchor: "middle", Label: told(ctx, wording.Day(r.From.AddDate(0, 0, i)))}
		switch { // what would stand out beyond the chart
		case at < 0.06:
			mark.At, mark.Anchor = percent(0), "start"
		case at > 0.94:
			mark.At, mark.Anchor = percent(1), "end"
		}
		marks = append(marks, mark)
	}
	return marks
}

// bars are the machine hours of days as a chart.
func (r ReportValues) bars(ctx context.Context) []DayBar {
	step, steps := r.axis()
	top, wide := step*float64(steps), 1/float64(max(len(r.Days), 1))
	bars := make([]DayBar, len(r.Days))
	for i, d := range r.Days {
		high, bad := d.Hours()/top, d.WastedHours()/top
		bars[i] = DayBar{
			X: percent((float64(i) + 0.1) * wide), Width: percent(0.8 * wide), Y: percent(1 - high), Height: percent(high),
			BadY: percent(1 - bad), BadHeight: percent(bad),
			Title: say(ctx, "%s: %s", told(ctx, wording.Day(r.From.AddDate(0, 0, i))), hoursWord(ctx, d.Hours())),
		}
	}
	return bars
}

func percent(part float64) string { return places(100*part) + "%" }
