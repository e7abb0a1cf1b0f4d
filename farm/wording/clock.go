package wording

import (
	"strconv"
	"time"

	"overcrank/farm"
)

// Local is a time on this machine's clock, to the second, so that a column of times can be compared: "2027-01-31 18:30:00".
func Local(t time.Time) string { return t.Local().Format(time.DateTime) }

// UTC is a time in a message that people on other machines read: "2027-01-31 17:30:00 UTC".
func UTC(t time.Time) string { return t.UTC().Format(time.DateTime + " UTC") }

// Moment is a time to the minute, as pages have it and as nameless things are named by it: "31 Jan 17:30 UTC".
func Moment(t time.Time) farm.Text {
	t = t.UTC()
	return farm.Say("%d %s %s UTC", t.Day(), farm.Say(t.Format("Jan")), t.Format("15:04"))
}

// Date is a day as pages have it in sentences: "31 January 2027".
func Date(t time.Time) farm.Text {
	return farm.Say("%d %s %s", t.Day(), Month(t.Month()), strconv.Itoa(t.Year())) // a year is no amount
}

// Day is a day of which the year is known: "31 Jan".
func Day(t time.Time) farm.Text { return farm.Say("%d %s", t.Day(), farm.Say(t.Format("Jan"))) }
