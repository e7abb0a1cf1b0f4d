package web

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/coordinator/files"
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
	if isSequence(job) {
		z, err := s.sequence(c, job, name)
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
func (s *server) sequence(c *fiber.Ctx, job farm.Job, name string) (*resultsZip, error) {
	ctx, cancel := s.callOf(c)
	defer cancel()
	opened, err := s.farm.results.Open(ctx, job.OutputName)
	if err != nil {
		return nil, err
	}
	z := newResultsZip(s.base, func(context.Context, string) (*files.File, error) { return opened, nil })
	if err := z.begin(packed{job, name}); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return z, nil
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
