package web

import (
	"context"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
	"overcrank/web/page"
)

const (
	batchesOnPage = 50
	batchOnPage   = 60 // jobs of a batch
)

func (s *server) batches(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.call()
	defer cancel()
	v, err := s.readBatches(ctx, p, c.Query("cursor"))
	if err != nil {
		return err
	}
	shell := s.shell(c, p, "Batches", "batches")
	if !v.Paging {
		shell.Live = "batches"
	}
	return s.render(c, page.BatchesPage(shell, v))
}

func (s *server) readBatches(ctx context.Context, p farm.Principal, cursor string) (page.Batches, error) {
	v := page.Batches{Paging: cursor != ""}
	list, next, err := s.farm.Batches(ctx, p, cursor, batchesOnPage)
	if err != nil {
		return v, err
	}
	v.Next = next
	for _, b := range list {
		v.Batches = append(v.Batches, page.Batch{Batch: b.Batch, Counts: b.Counts})
	}
	return v, nil
}

func (s *server) batch(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.call()
	defer cancel()
	id, from := c.Params("id"), max(0, c.QueryInt("from"))
	b, err := s.readBatch(ctx, p, id, from)
	if err != nil {
		return err
	}
	shell := s.shell(c, p, b.Title(), "batches")
	shell.Live = "batch:" + id + "," + strconv.Itoa(from)
	return s.render(c, page.BatchPage(shell, b))
}

// readBatch reads a batch with a page of its jobs, from a place in it.
func (s *server) readBatch(ctx context.Context, p farm.Principal, id string, from int) (page.Batch, error) {
	batch, jobs, err := s.farm.BatchPart(ctx, p, id, from, batchOnPage)
	if err != nil {
		return page.Batch{}, err
	}
	machines, err := s.farm.Machines(ctx, p)
	if err != nil {
		return page.Batch{}, err
	}
	dressed, err := s.dress(ctx, p, jobs, runningNow(machines), false)
	return page.Batch{Batch: batch.Batch, Counts: batch.Counts, From: from, Step: batchOnPage, Jobs: dressed}, err
}

func (s *server) cancelBatch(c *fiber.Ctx, p farm.Principal) error {
	if err := needs(p, farm.RoleArtist); err != nil {
		return err
	}
	ctx, cancel := s.call()
	defer cancel()
	if _, _, _, err := s.farm.CancelBatch(ctx, p, c.Params("id"), false); err != nil {
		return err
	}
	return c.Redirect("/batches/"+c.Params("id"), fiber.StatusSeeOther)
}

func (s *server) releaseJob(c *fiber.Ctx, p farm.Principal) error {
	if err := needs(p, farm.RoleArtist); err != nil {
		return err
	}
	ctx, cancel := s.call()
	defer cancel()
	if _, err := s.farm.ReleaseJobs(ctx, p, []string{c.Params("id")}); err != nil {
		return err
	}
	return c.Redirect("/jobs/"+c.Params("id"), fiber.StatusSeeOther)
}
