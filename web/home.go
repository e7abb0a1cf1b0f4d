package web

import (
	"cmp"
	"context"
	"slices"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator"
	"overcrank/coordinator/search"
	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/web/page"
)

const (
	homeRunning = 6
	homeNext    = 5
	homeRecent  = 6
	homeBatches = 4
	homeCounted = 200  // jobs of one person that are counted at most, of each state
	homeWaiting = 1000 // waiting ones, of which a large batch brings hundreds
	homeLooked  = 50   // waiting jobs of which it is asked whether they are stuck
	homeStuck   = 3    // of these, and of those that wait for approval, named for one reason
	// homeSought is among how many of the team's latest batches those are looked for that the page shows; homeWalked is how many stretches of
	// homeStretch of one person's jobs are read for theirs.
	homeSought, homeWalked, homeStretch = 12, 8, 25

	// ofTeam is what the address asks for to see everybody's work.
	ofTeam = "team"
)

func (s *server) home(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	of := c.Query("of")
	h, err := s.readHome(withZone(ctx, readerZone(c)), p, of)
	if err != nil {
		return err
	}
	shell := s.shell(c, p, say(c, "Overview"), "home")
	shell.Live = "home"
	if of == ofTeam {
		shell.Live = "home:" + ofTeam
	}
	return s.render(c, page.HomePage(shell, h))
}

// readHome reads what the home page shows: the reader's own work, or the team's where that is asked for or the reader has submitted nothing.
func (s *server) readHome(ctx context.Context, p farm.Principal, of string) (page.Home, error) {
	var h page.Home
	own, err := s.farm.jobs.SelectJobs(ctx, p, search.Filter{By: p.Name, Minimal: true}, "", 1)
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
	h.Active, h.Waiting, h.Empty = counts[farm.JobRendering], counts[farm.JobQueued]+counts[farm.JobPending], len(counts) == 0
	began, utc := today(ctx, s.farm.reports.Now())
	done, _, err := s.farm.reports.DoneToday(ctx, p, began)
	if err != nil {
		return err
	}
	h.Done, h.UTC = done.Jobs, utc
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
	waiting, err := s.firstInLine(ctx, p)
	if err != nil {
		return err
	}
	if h.Stuck, err = s.waitForPeople(ctx, p, true, waiting); err != nil {
		return err
	}
	if h.Batches, err = s.latestBatches(ctx, p); err != nil {
		return err
	}
	if h.Causes, h.Failed, err = s.readCauses(ctx, p); err != nil {
		return err
	}
	return s.dressHome(ctx, p, h, rendering, waiting, recent)
}

// readMine reads how the reader's own work stands. Those who approve also see what of the team's waits for them.
func (s *server) readMine(ctx context.Context, p farm.Principal, h *page.Home) error {
	mine := func(states string, most int) ([]farm.Job, bool, error) {
		found, err := s.farm.jobs.SelectJobs(ctx, p, search.Filter{By: p.Name, States: jobFilters[states], Minimal: states == "waiting"}, "", most)
		return found.Jobs, found.Next != "" && len(found.Jobs) > 0, err
	}
	rendering, more, err := mine("rendering", homeCounted)
	if err != nil {
		return err
	}
	h.Active, h.More.Active = len(rendering), more
	waiting, more, err := mine("waiting", homeWaiting)
	if err != nil {
		return err
	}
	h.Waiting, h.More.Waiting = len(waiting), more
	finished, _, err := mine("finished", homeCounted)
	if err != nil {
		return err
	}
	slices.SortStableFunc(finished, func(a, b farm.Job) int { return b.FinishedAt.Compare(a.FinishedAt) })
	began, utc := today(ctx, s.farm.reports.Now())
	if _, h.Done, err = s.farm.reports.DoneToday(ctx, p, began); err != nil {
		return err
	}
	h.UTC = utc
	first, err := s.firstInLine(ctx, p)
	if err != nil {
		return err
	}
	waiting = inLine(waiting, first, p.Name)
	if h.Stuck, err = s.waitForPeople(ctx, p, p.Can(farm.ActApprove), waiting); err != nil {
		return err
	}
	if h.Batches, err = s.ownBatches(ctx, p); err != nil {
		return err
	}
	if h.Causes, h.Failed, h.More.Failed, err = s.readOwnCauses(ctx, p); err != nil {
		return err
	}
	return s.dressHome(ctx, p, h, rendering, waiting, finished)
}

// dressHome adds to the jobs that the page shows what stands beside them.
func (s *server) dressHome(ctx context.Context, p farm.Principal, h *page.Home, rendering, waiting, recent []farm.Job) error {
	for _, list := range []struct {
		into   *[]page.Job
		jobs   []farm.Job
		most   int
		thumbs bool
	}{
		{&h.Rendering, rendering, homeRunning, true}, {&h.Next, waiting, homeNext, false}, {&h.Recent, recent, homeRecent, false},
	} {
		var err error
		if *list.into, err = s.dress(ctx, p, list.jobs[:min(len(list.jobs), list.most)], list.thumbs); err != nil {
			return err
		}
	}
	if err := s.forecast(ctx, p, h.Rendering); err != nil {
		return err
	}
	return s.forecast(ctx, p, h.Next)
}

// inLine are waiting jobs of a person in the order in which they begin: those among the first of the team's, then the others, some of which may not
// have been counted.
func inLine(waiting, first []farm.Job, name string) []farm.Job {
	own := slices.DeleteFunc(slices.Clone(first), func(j farm.Job) bool { return j.SubmittedBy != name })
	named := make(map[string]bool, len(own))
	for i := range own {
		named[own[i].ID] = true
	}
	others := slices.DeleteFunc(slices.Clone(waiting), func(j farm.Job) bool { return named[j.ID] })
	slices.SortFunc(others, func(a, b farm.Job) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return slices.Concat(own, others)
}

// firstInLine reads the team's waiting jobs that begin first.
func (s *server) firstInLine(ctx context.Context, p farm.Principal) ([]farm.Job, error) {
	jobs, _, err := s.farm.jobs.Jobs(ctx, p, farm.JobQuery{States: jobFilters["waiting"], Sort: "priority", Limit: homeLooked + 1, Minimal: true})
	return jobs, err
}

// waitForPeople is what waits for somebody to do something: jobs for approval, of everybody's or of the reader alone, and those of some waiting ones
// that no machine can render.
func (s *server) waitForPeople(ctx context.Context, p farm.Principal, everybodys bool, waiting []farm.Job) ([]page.Stuck, error) {
	jobs, more, err := s.farm.jobs.AwaitingApproval(ctx, p)
	if err != nil {
		return nil, err
	}
	if !everybodys {
		jobs = slices.DeleteFunc(jobs, func(j farm.Job) bool { return j.SubmittedBy != p.Name })
	}
	stuck, err := s.stuck(ctx, p, waiting)
	if err != nil || len(jobs) == 0 {
		return stuck, err
	}
	ask := page.Stuck{Why: wording.Approval(), Ask: true, Least: more}
	for _, j := range jobs {
		if err := s.addStuck(ctx, p, &ask, j); err != nil {
			return nil, err
		}
	}
	return slices.Insert(stuck, 0, ask), nil
}

// addStuck adds a job to those that wait for the same.
func (s *server) addStuck(ctx context.Context, p farm.Principal, to *page.Stuck, j farm.Job) error {
	if len(to.Jobs) == homeStuck {
		to.More++
		return nil
	}
	named, err := s.nameJob(ctx, p, j)
	to.Jobs = append(to.Jobs, named)
	return err
}

// stuck tells which of some jobs wait that no machine can render, by the reason. Not all of them are looked at where they are many.
func (s *server) stuck(ctx context.Context, p farm.Principal, jobs []farm.Job) ([]page.Stuck, error) {
	ids := make([]string, min(len(jobs), homeLooked))
	for i := range ids {
		ids[i] = jobs[i].ID
	}
	placements, err := s.farm.queue.PlacementEach(ctx, p, ids)
	if err != nil {
		return nil, err
	}
	var stuck []page.Stuck
	for _, j := range jobs[:len(ids)] {
		placement, known := placements[j.ID]
		if !known || placement.Agents == 0 || placement.Fitting > 0 {
			continue
		}
		i := slices.IndexFunc(stuck, func(s page.Stuck) bool { return s.Why.String() == placement.Why.String() })
		if i < 0 {
			i = len(stuck)
			stuck = append(stuck, page.Stuck{Why: placement.Why, Placement: placement, Least: len(jobs) > len(ids)})
		}
		if err := s.addStuck(ctx, p, &stuck[i], j); err != nil {
			return nil, err
		}
	}
	return stuck, nil
}

// latestBatches reads the team's latest batches.
func (s *server) latestBatches(ctx context.Context, p farm.Principal) ([]page.Batch, error) {
	var shown []page.Batch
	for sought, cursor := 0, ""; sought < homeSought; sought += homeBatches {
		list, next, err := s.farm.batches.Batches(ctx, p, cursor, homeBatches)
		if err != nil {
			return nil, err
		}
		for _, b := range list {
			if shown, err = s.addCard(ctx, p, shown, b); err != nil {
				return nil, err
			}
		}
		if cursor = next; cursor == "" || len(shown) >= homeBatches {
			break
		}
	}
	return shown[:min(len(shown), homeBatches)], nil
}

// ownBatches reads those of the reader's batches that the latest of their own jobs stand in. Of each batch one job is looked at, and then those that came before
// all of them: there may be very many.
func (s *server) ownBatches(ctx context.Context, p farm.Principal) (shown []page.Batch, err error) {
	seen, before := map[string]bool{}, ""
	for range homeWalked {
		found, err := s.farm.jobs.SelectJobs(ctx, p, search.Filter{By: p.Name, Minimal: true}, before, homeStretch)
		if err != nil {
			return nil, err
		}
		before = found.Next
		for _, j := range found.Jobs {
			if j.Batch == "" || seen[j.Batch] {
				continue
			}
			seen[j.Batch] = true
			b, _, err := s.farm.batches.BatchPart(ctx, p, j.Batch, nil, 0, 0)
			if farm.CodeOf(err) == farm.CodeNotFound {
				continue
			}
			if err != nil {
				return nil, err
			}
			others := len(shown)
			if shown, err = s.addCard(ctx, p, shown, b); err != nil {
				return nil, err
			}
			if len(shown) > others && shown[others].Owner() != p.Name {
				shown = shown[:others] // in which the reader only submitted rows again
			}
			before = firstOf(b.Batch, j.ID)
			break
		}
		if before == "" || len(shown) == homeBatches {
			break
		}
	}
	slices.SortStableFunc(shown, func(a, b page.Batch) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return shown, nil
}

// firstOf is the id of the job of a batch that was submitted first, among them the one with the given id.
func firstOf(b farm.Batch, id string) string {
	for _, j := range b.Jobs {
		id = min(id, j.ID)
	}
	return id
}

// addCard adds the card of a batch, unless the farm no longer knows the job that its picture is of.
func (s *server) addCard(ctx context.Context, p farm.Principal, cards []page.Batch, b coordinator.CountedBatch) ([]page.Batch, error) {
	if len(b.Jobs) == 0 {
		return cards, nil
	}
	first, err := s.farm.jobs.Job(ctx, p, b.Jobs[0].ID)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return cards, nil
	}
	if err != nil {
		return nil, err
	}
	dressed, err := s.dress(ctx, p, []farm.Job{first}, false)
	if err != nil {
		return nil, err
	}
	card := page.Batch{Batch: b.Batch, Counts: b.Counts, First: dressed[0]}
	err = s.forecastBatch(ctx, p, &card)
	return append(cards, card), err
}
