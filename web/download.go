package web

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/coordinator/files"
	"overcrank/coordinator/reviews"
	"overcrank/farm"
	"overcrank/farm/names"
	"overcrank/web/page"
)

// download hands the result of a job to somebody to keep, under a name that people gave.
func (s *server) download(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	job, err := s.farm.jobs.Job(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	if c.Query("mended") != "" {
		return s.mended(c, p, job)
	}
	address, err := s.farm.results.Elsewhere(ctx, job.OutputName, c.Method())
	if err != nil {
		return err
	}
	if address != "" {
		return c.Redirect(address, fiber.StatusTemporaryRedirect)
	}
	name, err := s.downloadName(ctx, p, job)
	if err != nil {
		return err
	}
	return s.handOut(c, job, name)
}

// downloadName is what the result of a job is called once somebody has downloaded it, without its extension.
func (s *server) downloadName(ctx context.Context, p farm.Principal, job farm.Job) (string, error) {
	title, err := s.titleOf(ctx, p, job)
	if err != nil || job.TakeOf == "" {
		return title, err
	}
	takes, err := s.farm.reviews.Takes(ctx, p, job.ID)
	if err != nil {
		return "", err
	}
	for _, take := range takes {
		if take.ID == job.ID {
			return takeName(title, take.Number), nil
		}
	}
	return title, nil
}

// takeName is a title with the number of the take, unless it is the first.
func takeName(title string, number int) string {
	if number < 2 {
		return title
	}
	return fmt.Sprintf("%s take %d", title, number)
}

// nameJob adds to a job what it is called after where it has no name.
func (s *server) nameJob(ctx context.Context, p farm.Principal, job farm.Job) (page.Job, error) {
	shown := page.Job{Job: job}
	if id := job.Template.ID; job.Name == "" && id != "" {
		t, err := s.farm.templates.Get(ctx, p, id)
		if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
			return shown, err
		}
		shown.Template = t.DisplayName
	}
	return shown, nil
}

// titleOf is what people call a job.
func (s *server) titleOf(ctx context.Context, p farm.Principal, job farm.Job) (string, error) {
	shown, err := s.nameJob(ctx, p, job)
	return shown.Title(ctx), err
}

// titleOfJob is what people call the job of an id, "" for one that was removed.
func (s *server) titleOfJob(ctx context.Context, p farm.Principal, id string) (string, error) {
	job, err := s.farm.jobs.Job(ctx, p, id)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return s.titleOf(ctx, p, job)
}

// handOut answers with the result of a job under a name, to be kept. A sequence becomes an archive with a folder of that name.
func (s *server) handOut(c *fiber.Ctx, job farm.Job, name string) error {
	var safe names.Files
	ext := path.Ext(job.OutputName)
	file := safe.Name(name, job.ID, ext)
	if job.Sequence() {
		z, err := s.sequence(c, packed{job: job, name: name})
		if err != nil {
			return err
		}
		return answer.Download(c, z, "application/zip", file)
	}
	opt := answer.FileOptions{Download: true, Name: file, CacheControl: "private, max-age=0, must-revalidate"}
	return answer.OpenFile(c, opt, func(ctx context.Context) (*files.File, error) { return s.farm.results.Open(ctx, job.OutputName) })
}

// hasProxy says whether a result that browsers do not play has a small film that they do.
func (s *server) hasProxy(ctx context.Context, job farm.Job) (bool, error) {
	if !(page.Job{Job: job}).Kept() || playable(job.OutputName) {
		return false, nil
	}
	return s.farm.results.HasProxy(ctx, job)
}

// proxy gives the small film of a result to be looked at.
func (s *server) proxy(c *fiber.Ctx, p farm.Principal) error {
	opt := answer.FileOptions{CacheControl: "private, max-age=0, must-revalidate"}
	return answer.OpenFile(c, opt, func(ctx context.Context) (*files.File, error) {
		return s.farm.results.OpenProxy(ctx, p, c.Params("id"))
	})
}

// sequence is the result of a job that is one, as an archive with a folder.
func (s *server) sequence(c *fiber.Ctx, asked packed) (*resultsZip, error) {
	ctx, cancel := s.callOf(c)
	defer cancel()
	opened, err := s.farm.results.Open(ctx, asked.job.OutputName)
	if err != nil {
		return nil, err
	}
	z := newResultsZip(s.base, func(ctx context.Context, outputName string) (*files.File, error) {
		if outputName == asked.job.OutputName {
			return opened, nil
		}
		return s.farm.results.Open(ctx, outputName)
	})
	if err := z.begin(asked); err != nil {
		return nil, errors.Join(err, z.Close())
	}
	return z, nil
}

// mended hands out a sequence with the frames in their places that were rendered again.
func (s *server) mended(c *fiber.Ctx, p farm.Principal, job farm.Job) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	takes, err := s.farm.reviews.Takes(ctx, p, job.ID)
	if err != nil {
		return err
	}
	whole, again := mendedOf(takes)
	if len(again) == 0 {
		return farm.Errorf(farm.CodeNotFound, "no frames of this sequence were rendered again")
	}
	title, err := s.titleOf(ctx, p, whole)
	if err != nil {
		return err
	}
	z, err := s.sequence(c, packed{job: whole, name: title, later: again})
	if err != nil {
		return err
	}
	var safe names.Files
	return answer.Download(c, z, "application/zip", safe.Name(title, whole.ID, path.Ext(whole.OutputName)))
}

// mendedOf are, of takes, the latest sequence that is whole, and those after it that rendered some of its frames again.
func mendedOf(takes []reviews.Take) (whole farm.Job, again []farm.Job) {
	for _, take := range takes {
		switch {
		case !take.Kept() || !take.Sequence():
		case whole.ID != "" && mends(take.Job, whole):
			again = append(again, take.Job)
		default:
			whole, again = take.Job, nil
		}
	}
	return whole, again
}

// mends says whether a job renders some frames of a sequence again.
func mends(job, of farm.Job) bool {
	if job.Settings.Frames == nil || !job.Settings.DrawAll {
		return false
	}
	first, total := of.FrameRange()
	at, n := job.FrameRange()
	return at >= first && (total == 0 || at+n <= first+total && n < total)
}

// guestDownload hands the result of a take to somebody who came by a link.
func (s *server) guestDownload(c *fiber.Ctx) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	v, take, err := s.visitTake(ctx, c)
	if err != nil {
		return err
	}
	if !v.Link.Download {
		return farm.Errorf(farm.CodeForbidden, "this link does not let the result be downloaded")
	}
	title, err := s.titleOf(ctx, v.Reader(), take.Job)
	if err != nil {
		return err
	}
	return s.handOut(c, take.Job, takeName(title, take.Number))
}
