package wording

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"overcrank/farm"
)

// MachineHours is a number of machine hours: "1 machine hour", "0.5 machine hours", "1,200 machine hours". What is less than a hundredth is
// told as it is.
func MachineHours(hours float64) string {
	if hours == 1 {
		return "1 machine hour"
	}
	return Hours(hours) + " machine hours"
}

// Hours is a number of hours, to the hundredth, or to the thousandth below one: "40", "0.25", "1,200.5".
func Hours(hours float64) string {
	places := 100.0
	if hours < 1 {
		places = 1000
	}
	text := strconv.FormatFloat(math.Round(hours*places)/places, 'f', -1, 64)
	whole, part, found := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if found {
		return whole + "." + part
	}
	return whole
}

// Held says why work waits whose budget is used up, and what lets it go on.
func Held(of farm.BudgetOf) string {
	hours, month := MachineHours(of.Budget.Hours), of.Month.Format("January")
	monthly := of.Budget.Per == farm.BudgetMonth
	switch {
	case of.Project != nil && monthly:
		return fmt.Sprintf("The project '%s' has used its %s for %s; an administrator can raise the budget.", of.Project.Name, hours, month)
	case of.Project != nil:
		return fmt.Sprintf("The project '%s' has used its %s; an administrator can raise the budget.", of.Project.Name, hours)
	case monthly:
		return fmt.Sprintf("Your team has used its %s for %s; an administrator of the farm can raise the budget.", hours, month)
	}
	return fmt.Sprintf("Your team has used its %s; an administrator of the farm can raise the budget.", hours)
}

// Used says how much of a budget is used: of a project in its own words, of a team as "Your team".
func Used(of farm.BudgetOf) string {
	used, hours, month := Hours(float64(of.Use.Of(of.Budget))/3_600_000), MachineHours(of.Budget.Hours), of.Month.Format("January")
	monthly := of.Budget.Per == farm.BudgetMonth
	switch {
	case of.Project != nil && monthly:
		return fmt.Sprintf("The project '%s' has used %s of its %s for %s.", of.Project.Name, used, hours, month)
	case of.Project != nil:
		return fmt.Sprintf("The project '%s' has used %s of its %s.", of.Project.Name, used, hours)
	case monthly:
		return fmt.Sprintf("Your team has used %s of its %s for %s.", used, hours, month)
	}
	return fmt.Sprintf("Your team has used %s of its %s.", used, hours)
}
