package web

import (
	"context"
	"strconv"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
	"overcrank/web/page"
)

// approvalsStep is how many jobs a page of those has that wait for approval, and how many are approved at once.
const approvalsStep = 48

// approvals shows the jobs whose first frames wait for somebody to look at them.
func (s *server) approvals(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	from := max(0, c.QueryInt("from"))
	v, err := s.readApprovals(ctx, p, from)
	if err != nil {
		return err
	}
	shell := s.shell(c, p, say(c, "Waiting for approval"), "home")
	shell.Live = "approvals:" + strconv.Itoa(v.From)
	return s.render(c, page.ApprovalsPage(shell, v))
}

// readApprovals reads a page of those jobs: the last one when there are fewer than from.
func (s *server) readApprovals(ctx context.Context, p farm.Principal, from int) (page.Approvals, error) {
	jobs, more, err := s.farm.jobs.AwaitingApproval(ctx, p)
	if err != nil {
		return page.Approvals{}, err
	}
	if from >= len(jobs) {
		from = max(0, len(jobs)-1) / approvalsStep * approvalsStep
	}
	v := page.Approvals{From: from, Total: len(jobs), Least: more, Step: approvalsStep}
	for _, j := range jobs[from:min(len(jobs), from+approvalsStep)] {
		named, err := s.nameJob(ctx, p, j)
		if err != nil {
			return page.Approvals{}, err
		}
		v.Jobs = append(v.Jobs, named)
	}
	return v, nil
}

func (s *server) approvalPieces(p farm.Principal, shell page.Shell, from string) []piece {
	return []piece{{id: "approvals", common: true, kinds: []farm.EventKind{farm.EventJob, farm.EventThumbnail}, draw: func(ctx context.Context) (templ.Component, error) {
		n, _ := strconv.Atoi(from) // what is no number is the first page
		v, err := s.readApprovals(ctx, p, max(0, n))
		return page.ApprovalsBody(shell, v), err
	}}}
}

// approve lets jobs go on that wait for approval. Those that somebody else has decided on meanwhile are as they are.
func (s *server) approve(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	var ids []string
	for _, id := range c.Request().PostArgs().PeekMulti("id") {
		ids = append(ids, string(id))
	}
	if len(ids) == 0 || len(ids) > approvalsStep {
		return farm.Invalid("these jobs cannot be approved at once", farm.Field("id", "must name 1 to %d jobs, not %d", approvalsStep, len(ids)))
	}
	some, err := s.selectedByID(ctx, p, ids)
	if err != nil {
		return err
	}
	_, err = changeEach(ctx, some.jobs, func(ctx context.Context, job farm.Job) error {
		_, err := s.farm.jobs.ApproveJob(ctx, p, job.ID)
		return err
	})
	if err != nil {
		return err
	}
	return c.Redirect("/approvals", fiber.StatusSeeOther)
}
