package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator/audit"
	"overcrank/farm"
	"overcrank/web/page"
)

const (
	// auditPage is how many records the page shows at once.
	auditPage = 100
	// auditExported is how many records a file has at most, so that an export is made in a moment. Narrower days give the rest.
	auditExported = 50_000
)

func (s *server) audit(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	v := page.Audit{By: c.Query("by"), Thing: c.Query("thing"), Action: farm.AuditAction(c.Query("action")), Refused: c.Query("refused") != "", From: c.Query("from"), To: c.Query("to"), Before: c.Query("before")}
	q := auditQuery(v)
	q.Limit = auditPage
	var err error
	if v.Records, v.Next, err = s.farm.audit.Read(ctx, p, q); err != nil {
		return err
	}
	for _, people := range []bool{true, false} {
		all, err := s.farm.people.Tokens(ctx, p, "", people)
		if err != nil {
			return err
		}
		v.People = append(v.People, all...)
	}
	shell := s.shell(c, p, say(c, "Audit"), "settings")
	shell.Setting = "audit"
	return s.render(c, page.AuditPage(shell, v))
}

// auditQuery is what a page's filters ask for. Days that cannot be read filter nothing.
func auditQuery(v page.Audit) farm.AuditQuery {
	q := farm.AuditQuery{Token: v.By, Thing: v.Thing, Action: v.Action, Refused: v.Refused, Before: v.Before}
	q.From, _ = time.ParseInLocation(time.DateOnly, v.From, time.Local)
	if to, err := time.ParseInLocation(time.DateOnly, v.To, time.Local); err == nil {
		q.To = to.AddDate(0, 0, 1)
	}
	return q
}

// auditFile answers with all that the filters fit, as a file.
func (s *server) auditFile(kind string) func(c *fiber.Ctx, p farm.Principal) error {
	return func(c *fiber.Ctx, p farm.Principal) error {
		ctx, cancel := s.callOf(c)
		defer cancel()
		asked, err := url.ParseQuery(string(c.Request().URI().QueryString()))
		if err != nil {
			return farm.Errorf(farm.CodeInvalid, "the address of this export is damaged")
		}
		q := auditQuery(page.Audit{
			By: asked.Get("by"), Thing: asked.Get("thing"), Action: farm.AuditAction(asked.Get("action")), Refused: asked.Get("refused") != "", From: asked.Get("from"), To: asked.Get("to"),
		})
		var file bytes.Buffer
		out := bufio.NewWriter(&file)
		write := writeAuditJSON
		if kind == "csv" {
			write = writeAuditCSV
		}
		if err := write(out, func(each func(farm.AuditRecord) error) error { return s.eachAudit(ctx, p, q, each) }); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
		c.Type(kind, "utf-8")
		c.Attachment("audit." + kind)
		return c.Send(file.Bytes())
	}
}

// eachAudit hands on the records of a query, the newest first.
func (s *server) eachAudit(ctx context.Context, p farm.Principal, q farm.AuditQuery, each func(farm.AuditRecord) error) error {
	q.Limit = audit.MostPage
	for n := 0; n < auditExported && ctx.Err() == nil; {
		records, next, err := s.farm.audit.Read(ctx, p, q)
		if err != nil {
			return err
		}
		for _, r := range records {
			if err := each(r); err != nil {
				return err
			}
		}
		if n += len(records); next == "" {
			return nil
		}
		q.Before = next
	}
	return ctx.Err()
}

func writeAuditCSV(out *bufio.Writer, all func(func(farm.AuditRecord) error) error) error {
	w := csv.NewWriter(out)
	err := w.Write(farm.AuditColumns())
	if err == nil {
		err = all(func(r farm.AuditRecord) error { return w.Write(r.Row().Cells()) })
	}
	if w.Flush(); err == nil {
		err = w.Error()
	}
	return err
}

// writeAuditJSON writes one object in a line for each record, as programs that collect logs read them.
func writeAuditJSON(out *bufio.Writer, all func(func(farm.AuditRecord) error) error) error {
	w := json.NewEncoder(out)
	return all(func(r farm.AuditRecord) error { return w.Encode(r) })
}
