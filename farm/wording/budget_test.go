package wording

import (
	"testing"
	"time"

	"overcrank/farm"
)

func TestBudgetsAreToldInMachineHours(t *testing.T) {
	november := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	spring := &farm.Project{Name: "Spring"}
	of := func(project *farm.Project, hours float64, per farm.BudgetPeriod, used int64) farm.BudgetOf {
		return farm.BudgetOf{Project: project, Budget: farm.Budget{Hours: hours, Per: per}, Use: farm.ProjectUse{Total: used, Month: used}, Month: november}
	}
	for _, c := range []struct {
		got  farm.Text
		want string
	}{
		{Held(of(spring, 40, farm.BudgetMonth, 0)), "The project 'Spring' has used its 40 machine hours for November; an administrator can raise the budget."},
		{Held(of(spring, 1, farm.BudgetTotal, 0)), "The project 'Spring' has used its 1 machine hour; an administrator can raise the budget."},
		{Held(of(nil, 1200.5, farm.BudgetMonth, 0)), "Your team has used its 1,200.5 machine hours for November; an administrator of the farm can raise the budget."},
		{Held(of(nil, 1200, farm.BudgetTotal, 0)), "Your team has used its 1,200 machine hours; an administrator of the farm can raise the budget."},
		{Used(of(spring, 40, farm.BudgetMonth, 41*3_600_000)), "The project 'Spring' has used 41 of its 40 machine hours for November."},
		{Used(of(spring, 0.001, farm.BudgetTotal, 18_000)), "The project 'Spring' has used 0.005 of its 0.001 machine hours."},
		{Used(of(nil, 2_000_000, farm.BudgetTotal, 1_234_567*3_600_000)), "Your team has used 1,234,567 of its 2,000,000 machine hours."},
		{Used(of(nil, 2, farm.BudgetMonth, 5_400_000)), "Your team has used 1.5 of its 2 machine hours for November."},
	} {
		if c.got.String() != c.want {
			t.Errorf("told as %q, want %q", c.got, c.want)
		}
	}
}
