package web

import (
	"context"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/coordinator/notices"
	"overcrank/farm"
	"overcrank/web/language"
	"overcrank/web/page"
)

// noticesOf is what the reader is told of, for the page of the account.
func (s *server) noticesOf(c *fiber.Ctx, p farm.Principal, v *page.Account) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	settings, err := s.farm.notices.Settings(ctx, p)
	v.Notices.Settings = settings
	v.Notices.Saved = c.Query("notifications") == "saved"
	return err
}

// changeNotices keeps what the reader wants to be told of.
func (s *server) changeNotices(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	_, err := s.farm.notices.Put(ctx, p, noticesSent(c))
	switch farm.CodeOf(err) {
	case farm.CodeInvalid, farm.CodeConflict, farm.CodeUnavailable:
		c.Status(answer.StatusOf(err))
		return s.showAccount(c, p, page.Account{Notices: page.Notices{Problem: sayError(c, err), Sent: noticesTyped(c)}})
	}
	if err != nil {
		return err
	}
	s.noteLanguage(c, p, browserLanguage(c))
	return c.Redirect("/account?notifications=saved#notifications", fiber.StatusSeeOther)
}

// noticesSent is what the form of the account asks for.
func noticesSent(c *fiber.Ctx) (change notices.Change) {
	for _, what := range c.Request().PostArgs().PeekMulti("about") {
		change.About = append(change.About, farm.Happening(what))
	}
	change.Mail = c.FormValue("email") != ""
	if c.FormValue("chat") != "" {
		address := c.FormValue("chatUrl")
		change.Chat = &notices.Chat{Kind: farm.ChatKind(c.FormValue("chatKind")), Address: farm.NewConfidential(address), Keep: address == ""}
	}
	if c.FormValue("quiet") != "" {
		change.Quiet = &notices.Quiet{Hours: c.FormValue("quietHours"), Zone: c.FormValue("quietZone")}
	}
	return change
}

// noticesTyped is what the form of the account held when it was sent.
func noticesTyped(c *fiber.Ctx) *page.NoticesForm {
	return &page.NoticesForm{
		About: noticesSent(c).About, Mail: c.FormValue("email") != "", Chat: c.FormValue("chat") != "", Quiet: c.FormValue("quiet") != "",
		Kind: farm.ChatKind(c.FormValue("chatKind")), Forgotten: c.FormValue("chatUrl") != "", Hours: c.FormValue("quietHours"), Zone: c.FormValue("quietZone"),
	}
}

// testNotices sends the reader a test message, and says how that went.
func (s *server) testNotices(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	way := farm.NoticeWay(c.FormValue("way"))
	problem, err := s.farm.notices.Test(ctx, p, way)
	switch farm.CodeOf(err) {
	case farm.CodeConflict, farm.CodeRateLimited:
		c.Status(answer.StatusOf(err))
		return s.showAccount(c, p, page.Account{Notices: page.Notices{Problem: sayError(c, err)}})
	}
	if err != nil {
		return err
	}
	return s.showAccount(c, p, page.Account{Notices: page.Notices{Tested: way, NotSent: problem}})
}

// watchJob has the reader told when a job is done, or no longer.
func (s *server) watchJob(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if err := s.farm.notices.Watch(ctx, p, c.Params("id"), c.FormValue("on") != ""); err != nil {
		return err
	}
	return c.Redirect("/jobs/"+c.Params("id"), fiber.StatusSeeOther)
}

// mostTold is how many notices a page is told at once; of more the others are on the dashboard.
const mostTold = 5

// noteNotice notes what the reader of a page is to be told.
func (l *liveSession) noteNotice(e farm.Event) {
	if e.Kind == farm.EventNotice && strings.HasPrefix(e.ID, l.reader.TokenID+" ") && len(l.told) < mostTold {
		l.told = append(l.told, e.ID)
	}
}

// browserNotice is a notice as the script of a page hands it to the browser.
type browserNotice struct {
	Text string `json:"text"`
	Path string `json:"path"`
	Tag  string `json:"tag"`
}

// sendNotices tells a page what its browser may show.
func (l *liveSession) sendNotices(ctx context.Context) error {
	for _, id := range l.told {
		shown, ok, err := l.farm.notices.Show(ctx, l.reader, id)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		told := browserNotice{Text: language.Told(ctx, shown.Text), Path: shown.Path, Tag: shown.Tag}
		if err := l.write(part{Notice: &told}); err != nil {
			return err
		}
	}
	l.told = l.told[:0]
	return nil
}
