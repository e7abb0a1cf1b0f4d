package farm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Hours are a weekly window of clock time. If To is not after From, the window ends on the next day.
type Hours struct {
	Days []time.Weekday `json:"days,omitempty"` // on which it begins; none means every day
	From int            `json:"from"`           // minutes after midnight, 0..1439
	To   int            `json:"to"`             // minutes after midnight, 0..1439
}

const minutesOfDay = 24 * 60

var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// ParseHours reads a window as people write it: "mon-fri 19:00-08:00", "sat,sun 00:00-24:00", "22:30-06:00" for every day.
func ParseHours(text string) (Hours, error) {
	var h Hours
	fields := strings.Fields(strings.ToLower(text))
	wrong := func(why string) (Hours, error) {
		return Hours{}, Errorf(CodeInvalid, "%q is not a weekly window: %s; write it as mon-fri 19:00-08:00", text, Say(why))
	}
	if len(fields) == 0 || len(fields) > 2 {
		return wrong("it needs days and a time, or a time alone")
	}
	if len(fields) == 2 {
		days, ok := parseDays(fields[0])
		if !ok {
			return wrong("the days are sun, mon, tue, wed, thu, fri, sat")
		}
		h.Days = days
	}
	from, to, found := strings.Cut(fields[len(fields)-1], "-")
	begin, ok := parseClock(from)
	end, alsoOK := parseClock(to)
	if !found || !ok || !alsoOK || begin == minutesOfDay {
		return wrong("times go from 00:00 to 24:00")
	}
	h.From, h.To = begin, end%minutesOfDay
	return h, nil
}

// parseDays reads days and ranges of days between commas. A range may go over the end of the week.
func parseDays(text string) (days []time.Weekday, ok bool) {
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		d, end := slices.Index(weekdays, first), slices.Index(weekdays, last)
		if d < 0 || end < 0 {
			return nil, false
		}
		for ; ; d = (d + 1) % len(weekdays) {
			if !slices.Contains(days, time.Weekday(d)) {
				days = append(days, time.Weekday(d))
			}
			if d == end {
				break
			}
		}
	}
	return days, true
}

// parseClock reads hh:mm as minutes after midnight.
func parseClock(text string) (minutes int, ok bool) {
	hour, minute, found := strings.Cut(text, ":")
	h, err := strconv.ParseUint(hour, 10, 8)
	m, alsoErr := strconv.ParseUint(minute, 10, 8)
	minutes = int(h)*60 + int(m)
	return minutes, found && len(minute) == 2 && err == nil && alsoErr == nil && m < 60 && minutes <= minutesOfDay
}

// String writes the window as ParseHours reads it.
func (h Hours) String() string {
	to := h.To
	if to == 0 {
		to = minutesOfDay
	}
	clock := fmt.Sprintf("%02d:%02d-%02d:%02d", h.From/60, h.From%60, to/60, to%60)
	if len(h.Days) == 0 {
		return clock
	}
	days := make([]string, len(h.Days))
	for i, d := range h.Days {
		days[i] = weekdays[d]
	}
	return strings.Join(days, ",") + " " + clock
}

// on is the window that begins on the day of at, in at's time zone. When the clock there jumps, the window moves with
// it.
func (h Hours) on(at time.Time) (begin, end time.Time, any bool) {
	if len(h.Days) > 0 && !slices.Contains(h.Days, at.Weekday()) {
		return begin, end, false
	}
	y, m, d := at.Date()
	begin = time.Date(y, m, d, h.From/60, h.From%60, 0, 0, at.Location())
	if h.To <= h.From {
		d++
	}
	return begin, time.Date(y, m, d, h.To/60, h.To%60, 0, 0, at.Location()), true
}

// noonOf is noon on the day that is so many days after that of at. Noon exists on every day, in every zone.
func noonOf(at time.Time, days int) time.Time {
	y, m, d := at.Date()
	return time.Date(y, m, d+days, 12, 0, 0, 0, at.Location())
}

// Within tells whether at lies in one of the windows, by the clock of its time zone. No windows at all mean always.
func Within(hours []Hours, at time.Time) bool {
	for _, h := range hours {
		for days := -1; days <= 0; days++ { // yesterday's may not have ended
			begin, end, any := h.on(noonOf(at, days))
			if any && !at.Before(begin) && at.Before(end) {
				return true
			}
		}
	}
	return len(hours) == 0
}

// NextChange is when Within next changes its answer after at; zero when it never does.
func NextChange(hours []Hours, at time.Time) time.Time {
	var bounds []time.Time
	for _, h := range hours {
		for days := -1; days <= 8; days++ {
			if begin, end, any := h.on(noonOf(at, days)); any {
				bounds = append(bounds, begin, end)
			}
		}
	}
	slices.SortFunc(bounds, time.Time.Compare)
	now := Within(hours, at)
	for _, b := range bounds {
		if b.After(at) && Within(hours, b) != now {
			return b
		}
	}
	return time.Time{}
}

// MostHours is how many windows the hours of one machine may have.
const MostHours = 50

// CheckHours says what is wrong with windows of the week, zero for nothing.
func CheckHours(hours []Hours) Text {
	if len(hours) > MostHours {
		return Say("has to have at most %d entries", MostHours)
	}
	for _, h := range hours {
		if h.From < 0 || h.From >= minutesOfDay || h.To < 0 || h.To >= minutesOfDay || len(h.Days) > len(weekdays) ||
			slices.ContainsFunc(h.Days, func(d time.Weekday) bool { return d < time.Sunday || d > time.Saturday }) {
			return Say("has a window that is not within a week")
		}
	}
	return Text{}
}

// hoursBetween stands between windows where several are one text.
const hoursBetween = "; "

// JoinHours writes windows as one text, "" for none.
func JoinHours(hours []Hours) string {
	texts := make([]string, len(hours))
	for i, h := range hours {
		texts[i] = h.String()
	}
	return strings.Join(texts, hoursBetween)
}

// SplitHours reads what JoinHours wrote, or people write with semicolons between windows; none for "".
func SplitHours(text string) (hours []Hours, err error) {
	for part := range strings.SplitSeq(text, ";") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		h, err := ParseHours(part)
		if err != nil {
			return nil, err
		}
		hours = append(hours, h)
	}
	return hours, nil
}
