package wording

import (
	"math"
	"time"

	"overcrank/farm"
)

// MachineHours is a budget of machine hours, to the hundredth: "1 machine hour", "1,200.5 machine hours". Below one it is a time, as
// MachineTime tells it.
func MachineHours(hours float64) farm.Text {
	switch {
	case hours < 1:
		return MachineTime(hours)
	case hours == 1:
		return farm.Say("1 machine hour")
	}
	return farm.Say("%s machine hours", hoursNumber(hours))
}

// MachineTime is how long machines worked, in hours, as exact as one reads it: "4.2 s", "2 min 38 s", "1.5 h", "1,200 h".
func MachineTime(hours float64) farm.Text {
	switch {
	case hours*3600 < 0.05: // no work worth a word
		return farm.Say("%s h", farm.Decimal{})
	case math.Round(hours*3600) < 3600:
		return Length(time.Duration(hours * float64(time.Hour)))
	case math.Round(hours*10)/10 == math.Round(hours) || hours >= 100:
		return farm.Say("%s h", farm.Decimal{Value: hours})
	}
	return farm.Say("%s h", farm.Decimal{Value: hours, Places: 1})
}

// hoursNumber has no more places than it needs.
func hoursNumber(hours float64) farm.Decimal {
	const most = 2
	for places := range most {
		if scale := math.Pow10(most); math.Mod(math.Round(hours*scale), math.Pow10(most-places)) == 0 {
			return farm.Decimal{Value: hours, Places: places}
		}
	}
	return farm.Decimal{Value: hours, Places: most}
}

// Month is the name of a month.
func Month(m time.Month) farm.Text { return farm.Say(m.String()) }

// Held says why work waits whose budget is used up, and what lets it go on.
func Held(of farm.BudgetOf) farm.Text {
	hours, month := MachineHours(of.Budget.Hours), Month(of.Month.Month())
	monthly := of.Budget.Per == farm.BudgetMonth
	switch {
	case of.Project != nil && monthly:
		return farm.Say("The project '%s' has used its %s for %s; an administrator can raise the budget.", of.Project.Name, hours, month)
	case of.Project != nil:
		return farm.Say("The project '%s' has used its %s; an administrator can raise the budget.", of.Project.Name, hours)
	case monthly:
		return farm.Say("Your team has used its %s for %s; an administrator of the farm can raise the budget.", hours, month)
	}
	return farm.Say("Your team has used its %s; an administrator of the farm can raise the budget.", hours)
}

// Used says how much of a budget is used: of a project in its own words, of a team as "Your team".
func Used(of farm.BudgetOf) farm.Text {
	used, hours, month := MachineTime(float64(of.Use.Of(of.Budget))/3_600_000), MachineHours(of.Budget.Hours), Month(of.Month.Month())
	monthly := of.Budget.Per == farm.BudgetMonth
	switch {
	case of.Project != nil && monthly:
		return farm.Say("The project '%s' has used %s of its %s for %s.", of.Project.Name, used, hours, month)
	case of.Project != nil:
		return farm.Say("The project '%s' has used %s of its %s.", of.Project.Name, used, hours)
	case monthly:
		return farm.Say("Your team has used %s of its %s for %s.", used, hours, month)
	}
	return farm.Say("Your team has used %s of its %s.", used, hours)
}
