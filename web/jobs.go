package web

import (
	"context"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/coordinator"
	"overcrank/coordinator/files"
	"overcrank/coordinator/search"
	"overcrank/farm"
	"overcrank/web/page"
)

// jobs is what pages ask of the farm about jobs.
type jobs interface {
	Jobs(ctx context.Context, p farm.Principal, q farm.JobQuery) (jobs []farm.Job, next string, err error)
	Job(ctx context.Context, p farm.Principal, id string) (farm.Job, error)
	SelectJobs(ctx context.Context, p farm.Principal, f search.Filter, before string, limit int) (search.Jobs, error)
	NewerJobs(ctx context.Context, p farm.Principal, f search.Filter, id string, limit int) (search.Jobs, error)
	CountJobs(ctx context.Context, p farm.Principal) (counts map[farm.JobStatus]int, err error)
	AwaitingApproval(ctx context.Context, p farm.Principal) (jobs []farm.Job, more bool, err error)
	JobLog(ctx context.Context, p farm.Principal, id string) (*files.File, error)
	OutputAddress(job farm.Job) string
	ChangeJob(ctx context.Context, p farm.Principal, id string, change coordinator.JobChange) (farm.Job, error)
	CancelJobs(ctx context.Context, p farm.Principal, ids []string, force bool) ([]farm.Job, error)
	ReleaseJobs(ctx context.Context, p farm.Principal, ids []string) ([]farm.Job, error)
	HoldJobs(ctx context.Context, p farm.Principal, ids []string) ([]farm.Job, error)
	ApproveJob(ctx context.Context, p farm.Principal, id string) (farm.Job, error)
	RenderAgain(ctx context.Context, p farm.Principal, id string, frames []farm.Frames, whole bool) (coordinator.Again, error)
	RejectJob(ctx context.Context, p farm.Principal, id, reason string) (farm.Job, error)
}

// jobFilters are the states behind each word of the list's filter.
var jobFilters = map[string][]farm.JobStatus{
	"":          nil,
	"rendering": {farm.JobRendering},
	"waiting":   {farm.JobQueued, farm.JobPending},
	"finished":  {farm.JobFinished},
	"failed":    {farm.JobFailed},
	"cancelled": {farm.JobCancelled},
}

func (s *server) job(c *fiber.Ctx, p farm.Principal) error {
	return s.showJob(c, p, func(*page.JobView) {})
}

// showJob shows a job’s page; refused puts into it what was typed there and refused.
func (s *server) showJob(c *fiber.Ctx, p farm.Principal, refused func(*page.JobView)) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	id := c.Params("id")
	v, err := s.readJobView(ctx, p, id)
	if err != nil {
		return err
	}
	refused(&v)
	if v.Tasks, err = s.readTasks(ctx, p, id); err != nil {
		return err
	}
	if v.Timeline, err = s.readTimeline(ctx, p, id); err != nil {
		return err
	}
	if v.Reviews, err = s.readReviews(ctx, p, id); err != nil {
		return err
	}
	log, _, err := s.readJobLog(ctx, p, id)
	if err != nil {
		return err
	}
	shell := s.shell(c, p, v.Title(reading(c)), "jobs")
	shell.Live = "job:" + id
	return s.render(c, page.JobPage(shell, v, log))
}

// readJob reads a job with all that its page shows of it.
func (s *server) readJob(ctx context.Context, p farm.Principal, id string) (page.Job, error) {
	job, err := s.farm.jobs.Job(ctx, p, id)
	if err != nil {
		return page.Job{}, err
	}
	dressed, err := s.dress(ctx, p, []farm.Job{job}, true)
	if err != nil {
		return page.Job{}, err
	}
	if dressed[0].Proxy, err = s.hasProxy(ctx, job); err != nil {
		return page.Job{}, err
	}
	if dressed[0].Watchable() {
		takes, err := s.farm.reviews.Takes(ctx, p, id)
		if err != nil {
			return page.Job{}, err
		}
		if dressed[0].Takes, err = s.teamsTakes(ctx, p, takes); err != nil {
			return page.Job{}, err
		}
	}
	if job.Webhook != nil {
		d, err := s.farm.webhooks.Delivery(p, id)
		if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
			return page.Job{}, err
		}
		if err == nil {
			dressed[0].Delivery = &d
		}
	}
	if err := s.addTitles(ctx, p, &dressed[0]); err != nil {
		return page.Job{}, err
	}
	dressed[0].Family, err = s.family(ctx, p, job)
	return dressed[0], err
}

// addTitles adds what the batch and the job are called that a job belongs to.
func (s *server) addTitles(ctx context.Context, p farm.Principal, j *page.Job) error {
	if j.Batch != "" {
		var err error
		if j.BatchTitle, err = s.batchTitle(ctx, p, j.Batch); err != nil {
			return err
		}
	}
	if j.Parent == "" {
		return nil
	}
	parent, err := s.farm.jobs.Job(ctx, p, j.Parent)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	j.ParentTitle, err = s.titleOf(ctx, p, parent)
	return err
}

// callAgain calls the webhook of a job once more.
func (s *server) callAgain(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if _, err := s.farm.webhooks.Redeliver(ctx, p, c.Params("id")); err != nil {
		return err
	}
	return c.Redirect("/jobs/"+c.Params("id"), fiber.StatusSeeOther)
}

// familyShown is how many nested jobs a page lists.
const familyShown = 50

// family reads the nested jobs of a job.
func (s *server) family(ctx context.Context, p farm.Principal, job farm.Job) ([]page.Job, error) {
	var children []farm.Job
	for _, id := range job.Children[:min(len(job.Children), familyShown)] {
		child, err := s.farm.jobs.Job(ctx, p, id)
		if farm.CodeOf(err) == farm.CodeNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		children = append(children, child)
	}
	return s.dress(ctx, p, children, false)
}

// dress adds to jobs what pages show beside them; thumbs with the list of their thumbnails.
func (s *server) dress(ctx context.Context, p farm.Principal, jobs []farm.Job, thumbs bool) ([]page.Job, error) {
	out := make([]page.Job, len(jobs))
	names := map[string]string{}
	var waiting []string
	for _, j := range jobs {
		if j.Status == farm.JobQueued || j.Status == farm.JobPending {
			waiting = append(waiting, j.ID)
		}
	}
	why, err := s.farm.queue.WhyWaitingEach(ctx, p, waiting)
	if err != nil {
		return nil, err
	}
	for i, j := range jobs {
		d := page.Job{Job: j, Why: why[j.ID], Output: "/outputs/" + j.OutputName, Link: s.farm.jobs.OutputAddress(j)}
		if id := j.Template.ID; id != "" {
			if _, known := names[id]; !known {
				t, err := s.farm.templates.Get(ctx, p, id)
				if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
					return nil, err
				}
				names[id] = t.DisplayName
			}
			d.Template = names[id]
		}
		if id := j.ProjectID; id != "" {
			if _, known := names[id]; !known {
				if names[id], err = s.nameProject(ctx, p, id); err != nil {
					return nil, err
				}
			}
			d.ProjectName = names[id]
		}
		if j.Status == farm.JobRendering {
			d.Working = s.farm.tasks.RunningOf(ctx, p, j.ID)
		}
		if len(d.Working) > 0 {
			d.Phase, d.Frame = d.Working[0].Phase, d.Working[0].Frame
		}
		if thumbs {
			list, err := s.farm.results.Thumbnails(ctx, p, j.ID)
			if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
				return nil, err
			}
			for _, t := range list {
				d.Thumbs = append(d.Thumbs, t.Frame)
			}
		}
		out[i] = d
	}
	return out, nil
}

func (s *server) jobLog(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	f, err := s.farm.jobs.JobLog(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.File(c, f, answer.FileOptions{})
}

// thumbnail answers with the small picture of a frame.
func (s *server) thumbnail(c *fiber.Ctx, p farm.Principal) error {
	return s.frame(c, p, ".jpg", s.farm.results.OpenThumbnail)
}

// frame answers with a picture of the frame that the address names.
func (s *server) frame(c *fiber.Ctx, p farm.Principal, ext string, open func(context.Context, farm.Principal, string, int) (*files.File, error)) error {
	frame, err := strconv.Atoi(strings.TrimSuffix(c.Params("name"), ext))
	if err != nil {
		return fiber.ErrNotFound
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	f, err := open(ctx, p, c.Params("id"), frame)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "private, max-age=60")
	return s.small.answer(ctx, c, f)
}

// sample answers with the full-size picture of a frame that was rendered to be looked at first.
func (s *server) sample(c *fiber.Ctx, p farm.Principal) error {
	return s.frame(c, p, ".png", s.farm.results.OpenSample)
}

// jobPoster answers with one picture for a job as a whole: of the frame in its middle, or of its template while no frame is there.
func (s *server) jobPoster(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	id := c.Params("id")
	list, err := s.farm.results.Thumbnails(ctx, p, id)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		job, err := s.farm.jobs.Job(ctx, p, id)
		if err != nil {
			return err
		}
		return s.pictureOfTemplate(ctx, c, p, job.Template.ID)
	}
	f, err := s.farm.results.OpenThumbnail(ctx, p, id, list[len(list)/2].Frame)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "private, max-age=10")
	return s.small.answer(ctx, c, f)
}

// unexposed answers with the picture of a frame that nothing has been rendered to.
func (s *server) unexposed(c *fiber.Ctx) error {
	body, err := staticFiles.ReadFile("static/unexposed.svg")
	if err != nil {
		return err
	}
	c.Type("svg") // not to be kept: a picture may be there the next moment
	return c.Send(body)
}

func (s *server) cancelJob(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if _, err := s.farm.jobs.CancelJobs(ctx, p, []string{c.Params("id")}, true); err != nil {
		return err
	}
	return c.Redirect("/jobs/"+c.Params("id"), fiber.StatusSeeOther)
}
