package wording

import (
	"math"
	"time"

	"overcrank/farm"
)

// MachineHours is a number of machine hours: "1 machine hour", "0.5 machine hours", "1,200 machine hours". What is less than a hundredth is
// told as it is.
func MachineHours(hours float64) string { return machineHours(hours).String() }

func machineHours(hours float64) farm.Text {
	if hours == 1 {
		return farm.Say("1 machine hour")
	}
	return farm.Say("%s machine hours", hoursNumber(hours))
}

// Hours is a number of hours, to the hundredth, or to the thousandth below one: "40", "0.25", "1,200.5".
func Hours(hours float64) string { return hoursNumber(hours).String() }

// hoursNumber has no more places than it needs.
func hoursNumber(hours float64) farm.Decimal {
	most := 2
	if hours < 1 {
		most = 3
	}
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
	hours, month := machineHours(of.Budget.Hours), Month(of.Month.Month())
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
	used, hours, month := hoursNumber(float64(of.Use.Of(of.Budget))/3_600_000), machineHours(of.Budget.Hours), Month(of.Month.Month())
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
