package farmv1

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator"
	"overcrank/farm"
)

// Projects is what the interface asks of the farm about projects and budgets of machine hours.
type Projects interface {
	Projects(ctx context.Context, p farm.Principal) ([]coordinator.ProjectListed, error)
	Project(ctx context.Context, p farm.Principal, named string) (coordinator.ProjectListed, error)
	AddProject(ctx context.Context, p farm.Principal, name string, budget *farm.Budget) (coordinator.ProjectListed, error)
	ChangeProject(ctx context.Context, p farm.Principal, named string, change coordinator.ProjectChange) (coordinator.ProjectListed, error)
	TeamBudget(ctx context.Context, p farm.Principal, team string) (coordinator.TeamBudget, error)
	PutTeamBudget(ctx context.Context, p farm.Principal, team string, budget *farm.Budget) (coordinator.TeamBudget, error)
	Now() time.Time
}

// projectHandlers answers for projects, and for the budgets of teams.
type projectHandlers struct{ projects Projects }

func (h projectHandlers) routes() []route.Route {
	const projects, budget = root + "/projects", root + "/teams/:id/budget"
	return []route.Route{
		route.Get(projects, farm.ActView, h.list),
		route.Post(projects, farm.ActChangeProjects, h.add),
		route.Get(projects+"/:id", farm.ActView, h.get),
		route.Patch(projects+"/:id", farm.ActChangeProjects, h.change),
		route.Post(projects+"/:id/archive", farm.ActChangeProjects, h.archive(true)),
		route.Post(projects+"/:id/reopen", farm.ActChangeProjects, h.archive(false)),
		route.Get(budget, farm.ActView, h.teamBudget),
		route.Put(budget, farm.ActSetTeamBudgets, h.putTeamBudget),
		route.Delete(budget, farm.ActSetTeamBudgets, h.deleteTeamBudget),
	}
}

// budgetBody is how many machine hours may be used, and what happens when they are.
type budgetBody struct {
	Hours float64 `json:"hours"`
	Per   string  `json:"per"`
	Then  string  `json:"then"`
}

// useBody is what was used of a budget, and in all.
type useBody struct {
	Month          string   `json:"month"`
	HoursThisMonth float64  `json:"hoursThisMonth"`
	HoursTotal     float64  `json:"hoursTotal"`
	PercentUsed    *float64 `json:"percentUsed"` // of the budget, null without one
	Held           bool     `json:"held"`
}

// jobsBody counts a project's jobs.
type jobsBody struct {
	Active   int `json:"active"`
	Finished int `json:"finished"`
	Failed   int `json:"failed"`
}

// projectBody is a project with its budget and what it used.
type projectBody struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Archived   bool        `json:"archived"`
	Budget     *budgetBody `json:"budget"`
	Use        useBody     `json:"use"`
	Jobs       jobsBody    `json:"jobs"`
	CreatedAt  answer.Time `json:"createdAt"`
	CreatedBy  *string     `json:"createdBy"`
	ArchivedAt answer.Time `json:"archivedAt"`
}

// teamBudgetBody is the budget of a team and what the team used.
type teamBudgetBody struct {
	Budget *budgetBody `json:"budget"`
	Use    useBody     `json:"use"`
}

func budgetShape(b *farm.Budget) *budgetBody {
	if b == nil {
		return nil
	}
	return &budgetBody{Hours: b.Hours, Per: string(b.Per), Then: string(b.Then)}
}

func useShape(b *farm.Budget, use farm.ProjectUse, held bool, now time.Time) useBody {
	body := useBody{Month: farm.Month(now).Format("2006-01"), HoursThisMonth: use.MonthHours(), HoursTotal: use.TotalHours(), Held: held}
	if b != nil {
		percent := 100 * float64(use.Of(*b)) / float64(b.Milliseconds())
		body.PercentUsed = &percent
	}
	return body
}

func projectShape(p coordinator.ProjectListed, now time.Time) projectBody {
	return projectBody{
		ID: p.ID, Name: p.Name, Archived: p.Archived(), Budget: budgetShape(p.Budget), Use: useShape(p.Budget, p.Use, p.Held, now),
		Jobs:      jobsBody(p.Jobs),
		CreatedAt: answer.Time(p.CreatedAt), CreatedBy: answer.OrNull(p.By), ArchivedAt: answer.Time(p.ArchivedAt),
	}
}

func (h projectHandlers) answer(c *fiber.Ctx, p coordinator.ProjectListed, err error) error {
	if err != nil {
		return err
	}
	return answer.OK(c, projectShape(p, h.projects.Now()))
}

// list answers with the open projects, or with the archived ones too.
func (h projectHandlers) list(c *fiber.Ctx, p farm.Principal) error {
	wrong := &input.Problems{}
	archived := input.QueryFlag(c, "archived", wrong)
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	projects, err := h.projects.Projects(ctx, p)
	if err != nil {
		return err
	}
	out := []projectBody{}
	for _, project := range projects {
		if archived || !project.Archived() {
			out = append(out, projectShape(project, h.projects.Now()))
		}
	}
	return answer.OK(c, out)
}

func (h projectHandlers) get(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	project, err := h.projects.Project(ctx, p, c.Params("id"))
	return h.answer(c, project, err)
}

func (h projectHandlers) add(c *fiber.Ctx, p farm.Principal) error {
	change, err := input.Body(c, decodeNewProject)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	project, err := h.projects.AddProject(ctx, p, *change.Name, change.Budget)
	if err != nil {
		return err
	}
	return answer.Created(c, projectShape(project, h.projects.Now()))
}

func (h projectHandlers) change(c *fiber.Ctx, p farm.Principal) error {
	change, err := input.Body(c, decodeProjectChange)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	project, err := h.projects.ChangeProject(ctx, p, c.Params("id"), change)
	return h.answer(c, project, err)
}

func (h projectHandlers) archive(archived bool) func(c *fiber.Ctx, p farm.Principal) error {
	return func(c *fiber.Ctx, p farm.Principal) error {
		ctx, done := request.Call(c)
		defer done()
		project, err := h.projects.ChangeProject(ctx, p, c.Params("id"), coordinator.ProjectChange{Archived: &archived})
		return h.answer(c, project, err)
	}
}

func (h projectHandlers) answerBudget(c *fiber.Ctx, b coordinator.TeamBudget, err error) error {
	if err != nil {
		return err
	}
	return answer.OK(c, teamBudgetBody{Budget: budgetShape(b.Budget), Use: useShape(b.Budget, b.Use, b.Held, h.projects.Now())})
}

func (h projectHandlers) teamBudget(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	b, err := h.projects.TeamBudget(ctx, p, c.Params("id"))
	return h.answerBudget(c, b, err)
}

func (h projectHandlers) putTeamBudget(c *fiber.Ctx, p farm.Principal) error {
	budget, err := input.Body(c, decodeBudget)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	b, err := h.projects.PutTeamBudget(ctx, p, c.Params("id"), &budget)
	return h.answerBudget(c, b, err)
}

func (h projectHandlers) deleteTeamBudget(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if _, err := h.projects.PutTeamBudget(ctx, p, c.Params("id"), nil); err != nil {
		return err
	}
	return answer.None(c)
}

func decodeBudget(body []byte) (farm.Budget, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return farm.Budget{}, err
	}
	return readBudget(o), wrong.Err()
}

// readBudget reads hours, a period and what happens. Of the last two, a month and a hold are what nobody has to write.
func readBudget(o input.Object) farm.Budget {
	o.Only("hours", "per", "then")
	b := farm.Budget{Per: farm.BudgetMonth, Then: farm.BudgetHold}
	if o.Need("hours") {
		if b.Hours, _ = o.Number("hours"); !(b.Hours >= farm.LeastBudgetHours && b.Hours <= farm.MostBudgetHours) {
			o.Problem("hours", "has to be from 0.001 to 10,000,000")
		}
	}
	if per := o.Choice("per", string(farm.BudgetMonth), string(farm.BudgetTotal)); per != "" {
		b.Per = farm.BudgetPeriod(per)
	}
	if then := o.Choice("then", string(farm.BudgetWarn), string(farm.BudgetHold)); then != "" {
		b.Then = farm.BudgetAction(then)
	}
	return b
}

func decodeNewProject(body []byte) (coordinator.ProjectChange, error) {
	change, err := decodeProject(body, func(o input.Object) { o.Need("name") })
	if err == nil && change.Budget != nil && *change.Budget == (farm.Budget{}) {
		change.Budget = nil
	}
	return change, err
}

func decodeProjectChange(body []byte) (coordinator.ProjectChange, error) {
	return decodeProject(body, func(o input.Object) {
		if !o.Has("name") && len(o.Raw("budget")) == 0 {
			o.Problem("name", "is missing; give name, budget, or both")
		}
	})
}

// decodeProject reads what is said of a project. A budget that is null is none.
func decodeProject(body []byte, needs func(o input.Object)) (coordinator.ProjectChange, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return coordinator.ProjectChange{}, err
	}
	o.Only("name", "budget")
	needs(o)
	var change coordinator.ProjectChange
	if o.Has("name") {
		name := o.NeedText("name", 4*farm.MostProjectName)
		change.Name = &name
	}
	switch raw := o.Raw("budget"); {
	case string(raw) == "null":
		change.Budget = &farm.Budget{}
	case len(raw) > 0:
		if child, is := o.Child("budget"); is {
			budget := readBudget(child)
			change.Budget = &budget
		}
	}
	return change, wrong.Err()
}
