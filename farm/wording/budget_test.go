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
		{Used(of(spring, 40, farm.BudgetMonth, 41*3_600_000)), "The project 'Spring' has used 41 h of its 40 machine hours for November."},
		{Used(of(spring, 0.001, farm.BudgetTotal, 18_000)), "The project 'Spring' has used 18 s of its 3.6 s."},
		{Used(of(nil, 2_000_000, farm.BudgetTotal, 1_234_567*3_600_000)), "Your team has used 1,234,567 h of its 2,000,000 machine hours."},
		{Used(of(nil, 2, farm.BudgetMonth, 5_400_000)), "Your team has used 1.5 h of its 2 machine hours for November."},
	} {
		if c.got.String() != c.want {
			t.Errorf("told as %q, want %q", c.got, c.want)
		}
	}
}

func TestMachineTimeIsToldAsPeopleSayIt(t *testing.T) {
	for hours, want := range map[float64]string{
		0: "0 h", 0.00001: "0 h", 0.00005: "0.2 s", 0.005: "18 s", 0.044: "2 min 38 s", 0.5: "30 min", 0.99999: "1 h", 1: "1 h", 1.26: "1.3 h", 40.02: "40 h", 1200.4: "1,200 h",
	} {
		if got := MachineTime(hours).String(); got != want {
			t.Errorf("%v hours are told as %q, want %q", hours, got, want)
		}
	}
}
