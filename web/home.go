package web

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator/search"
	"overcrank/farm"
	"overcrank/web/page"
)

const (
	homeRunning = 6
	homeNext    = 5
	homeFailed  = 3
	homeRecent  = 6
	homeBatches = 4
	homeCounted = 200 // jobs of one person that are counted at most, of each state
	homeLooked  = 50  // waiting jobs of which it is asked whether they are stuck
	homeStuck   = 3   // of these, named for one reason
	// homeSought is among how many of the team's latest batches those of one person are looked for.
	homeSought = 12

	// failedLately is how long a failure asks for attention on the home page.
	failedLately = 24 * time.Hour
	// ofTeam is what the address asks for to see everybody's work.
	ofTeam = "team"
)

func (s *server) home(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	of := c.Query("of")
	h, err := s.readHome(ctx, p, of)
	if err != nil {
		return err
	}
	shell := s.shell(c, p, say(c, "Home"), "home")
	shell.Live = "home"
	if of == ofTeam {
		shell.Live = "home:" + ofTeam
	}
	return s.render(c, page.HomePage(shell, h))
}

// readHome reads what the home page shows: the reader's own work, or the team's where that is asked for or the reader has submitted nothing.
func (s *server) readHome(ctx context.Context, p farm.Principal, of string) (page.Home, error) {
	var h page.Home
	own, err := s.farm.jobs.SelectJobs(ctx, p, search.Filter{By: p.Name}, "", 1)
	if err != nil {
		return h, err
	}
	h.Own, h.Team = len(own.Jobs) > 0, of == ofTeam || len(own.Jobs) == 0
	read := s.readMine
	if h.Team {
		read = s.readTeams
	}
	if err := read(ctx, p, &h); err != nil {
		return h, err
	}
	templates, err := s.farm.templates.List(ctx, p)
	if err != nil {
		return h, err
	}
	status, err := s.farm.status.Pulse(ctx, p)
	h.Templates, h.Machines = len(templates), online(status)
	return h, err
}

// homePieces are the live parts of the overview of a reader, or of the team.
func (s *server) homePieces(p farm.Principal, shell page.Shell, of string) []piece {
	return []piece{{id: "home", kinds: []farm.EventKind{farm.EventJob, farm.EventProgress, farm.EventThumbnail, farm.EventMachine}, draw: func(ctx context.Context) (templ.Component, error) {
		h, err := s.readHome(ctx, p, of)
		return page.HomeBody(shell, h), err
	}}}
}

// readTeams reads how the work of the whole team stands.
func (s *server) readTeams(ctx context.Context, p farm.Principal, h *page.Home) error {
	counts, err := s.farm.jobs.CountJobs(ctx, p)
	if err != nil {
		return err
	}
	h.Active = counts[farm.JobRendering]
	h.Waiting = counts[farm.JobQueued] + counts[farm.JobPending]
	h.Done, h.Broken = counts[farm.JobFinished], counts[farm.JobFailed]
	var rendering, recent []farm.Job
	for _, list := range []struct {
		into  *[]farm.Job
		query farm.JobQuery
	}{
		{&rendering, farm.JobQuery{States: jobFilters["rendering"], Sort: "newest_first", Limit: homeRunning}},
		{&recent, farm.JobQuery{States: jobFilters["finished"], Sort: "newest_first", Limit: homeRecent}},
	} {
		if *list.into, _, err = s.farm.jobs.Jobs(ctx, p, list.query); err != nil {
			return err
		}
	}
	failed, _, err := s.farm.jobs.Jobs(ctx, p, farm.JobQuery{States: jobFilters["failed"], Sort: "newest_first", Limit: homeCounted, Minimal: true})
	if err != nil {
		return err
	}
	whole := len(failed) < homeCounted
	since := time.Now().Add(-failedLately)
	failed = slices.DeleteFunc(failed, func(j farm.Job) bool { return j.ErrorAt.Before(since) })
	h.FailedNow, h.FailedAll = len(failed), whole || len(failed) < homeCounted
	waiting, err := s.firstInLine(ctx, p)
	if err != nil {
		return err
	}
	if h.Stuck, err = s.stuck(ctx, p, waiting, func(farm.Job, bool) bool { return true }); err != nil {
		return err
	}
	if h.Batches, err = s.latestBatches(ctx, p, func(farm.Job) bool { return true }); err != nil {
		return err
	}
	if h.Causes, err = s.readCauses(ctx, p); err != nil {
		return err
	}
	if len(h.Causes) > 0 {
		failed = nil // they stand by their causes
	}
	return s.dressHome(ctx, p, h, rendering, waiting, failed, recent)
}

// readMine reads how the reader's own work stands. Those who approve also see what of the team's waits for them.
func (s *server) readMine(ctx context.Context, p farm.Principal, h *page.Home) error {
	mine := func(states string) ([]farm.Job, bool, error) {
		found, err := s.farm.jobs.SelectJobs(ctx, p, search.Filter{By: p.Name, States: jobFilters[states]}, "", homeCounted)
		return found.Jobs, found.Next == "", err
	}
	lists, more := map[string][]farm.Job{}, map[string]bool{}
	for _, states := range []string{"rendering", "waiting", "finished", "failed"} {
		jobs, whole, err := mine(states)
		if err != nil {
			return err
		}
		lists[states], more[states] = jobs, !whole && len(jobs) > 0
	}
	lately := time.Now().Add(-failedLately)
	failed := slices.DeleteFunc(lists["failed"], func(j farm.Job) bool { return j.ErrorAt.Before(lately) })
	finished := slices.DeleteFunc(lists["finished"], func(j farm.Job) bool { return j.FinishedAt.Before(lately) })
	slices.SortStableFunc(finished, func(a, b farm.Job) int { return b.FinishedAt.Compare(a.FinishedAt) })
	first, err := s.firstInLine(ctx, p)
	if err != nil {
		return err
	}
	waiting := inLine(lists["waiting"], first, p.Name)
	h.Active, h.Waiting, h.Done, h.Broken = len(lists["rendering"]), len(lists["waiting"]), len(finished), len(failed)
	h.More = page.More{
		Active: more["rendering"], Waiting: more["waiting"],
		Done: more["finished"] && len(finished) == len(lists["finished"]), Broken: more["failed"] && len(failed) == len(lists["failed"]),
	}
	h.FailedNow, h.FailedAll = len(failed), !h.More.Broken
	looked := waiting[:min(len(waiting), homeLooked)]
	if p.Can(farm.ActApprove) {
		looked = slices.Concat(looked, slices.DeleteFunc(first, func(j farm.Job) bool { return j.SubmittedBy == p.Name }))
	}
	h.Stuck, err = s.stuck(ctx, p, looked, func(j farm.Job, ask bool) bool { return ask || j.SubmittedBy == p.Name })
	if err != nil {
		return err
	}
	if h.Batches, err = s.latestBatches(ctx, p, func(j farm.Job) bool { return j.SubmittedBy == p.Name }); err != nil {
		return err
	}
	return s.dressHome(ctx, p, h, lists["rendering"], waiting, failed, finished)
}

// dressHome adds to the jobs that the page shows what stands beside them.
func (s *server) dressHome(ctx context.Context, p farm.Principal, h *page.Home, rendering, waiting, failed, recent []farm.Job) error {
	for _, list := range []struct {
		into   *[]page.Job
		jobs   []farm.Job
		most   int
		thumbs bool
	}{
		{&h.Rendering, rendering, homeRunning, true}, {&h.Next, waiting, homeNext, false}, {&h.Failed, failed, homeFailed, false}, {&h.Recent, recent, homeRecent, false},
	} {
		var err error
		if *list.into, err = s.dress(ctx, p, list.jobs[:min(len(list.jobs), list.most)], list.thumbs); err != nil {
			return err
		}
	}
	return s.forecast(ctx, p, h.Rendering)
}

// inLine are waiting jobs of a person in the order in which they begin: those among the first of the team's, then the others, some of which may not
// have been counted.
func inLine(waiting, first []farm.Job, name string) []farm.Job {
	own := slices.DeleteFunc(slices.Clone(first), func(j farm.Job) bool { return j.SubmittedBy != name })
	others := slices.DeleteFunc(slices.Clone(waiting), func(j farm.Job) bool {
		return slices.ContainsFunc(own, func(k farm.Job) bool { return k.ID == j.ID })
	})
	slices.SortFunc(others, func(a, b farm.Job) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return slices.Concat(own, others)
}

// firstInLine reads the team's waiting jobs that begin first.
func (s *server) firstInLine(ctx context.Context, p farm.Principal) ([]farm.Job, error) {
	jobs, _, err := s.farm.jobs.Jobs(ctx, p, farm.JobQuery{States: jobFilters["waiting"], Sort: "priority", Limit: homeLooked, Minimal: true})
	return jobs, err
}

// stuck tells which of some jobs wait for somebody to do something, by what that is; show says which of them the page is about.
func (s *server) stuck(ctx context.Context, p farm.Principal, jobs []farm.Job, show func(j farm.Job, ask bool) bool) ([]page.Stuck, error) {
	ids := make([]string, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	placements, err := s.farm.queue.PlacementEach(ctx, p, ids)
	if err != nil {
		return nil, err
	}
	var stuck []page.Stuck
	for _, j := range jobs {
		placement, known := placements[j.ID]
		if !known {
			continue
		}
		none := placement.Agents > 0 && placement.Fitting == 0
		ask := j.Approve && !j.Hold && j.ApprovedAt.IsZero() && placement.Task == "" && !placement.Why.IsZero()
		if !none && !ask || !show(j, ask) {
			continue
		}
		i := slices.IndexFunc(stuck, func(s page.Stuck) bool { return s.Why.String() == placement.Why.String() })
		if i < 0 {
			i = len(stuck)
			stuck = append(stuck, page.Stuck{Why: placement.Why, Ask: ask})
		}
		if len(stuck[i].Jobs) < homeStuck {
			stuck[i].Jobs = append(stuck[i].Jobs, page.Job{Job: j})
		} else {
			stuck[i].More++
		}
	}
	return stuck, nil
}

// latestBatches reads the latest batches whose first job is one that is asked for.
func (s *server) latestBatches(ctx context.Context, p farm.Principal, pick func(farm.Job) bool) ([]page.Batch, error) {
	list, _, err := s.farm.batches.Batches(ctx, p, "", homeSought)
	if err != nil {
		return nil, err
	}
	var shown []page.Batch
	for _, b := range list {
		if len(shown) == homeBatches || len(b.Jobs) == 0 {
			continue
		}
		first, err := s.farm.jobs.Job(ctx, p, b.Jobs[0].ID)
		if farm.CodeOf(err) == farm.CodeNotFound || err == nil && !pick(first) {
			continue
		}
		if err != nil {
			return nil, err
		}
		dressed, err := s.dress(ctx, p, []farm.Job{first}, false)
		if err != nil {
			return nil, err
		}
		card := page.Batch{Batch: b.Batch, Counts: b.Counts, First: dressed[0]}
		if err := s.forecastBatch(ctx, p, &card); err != nil {
			return nil, err
		}
		shown = append(shown, card)
	}
	return shown, nil
}
