package web

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/coordinator/files"
	"overcrank/coordinator/reviews"
	"overcrank/farm"
	"overcrank/inbound"
	"overcrank/web/page"
)

// mountReviews adds what those are shown who come by a link; members of the team have pages of their own.
func (s *server) mountReviews(app *fiber.App) {
	const root = reviews.Path + ":code"
	app.Get(root, s.guest(s.guestPage))
	app.Post(root+"/enter", s.guest(s.enterReview))
	app.Get(root+"/logo", s.guest(s.guestLogo))
	app.Get(root+"/remarks", s.guest(s.guestRemarks))
	app.Get(root+"/live", s.guest(s.guestLive))
	app.Get("/jobs/:id/review/live", s.teamReviewLive)
	app.Post(root+"/remarks", s.guest(s.guestSay))
	app.Get(root+"/film/:take", s.guest(s.guestFilm))
	app.Get(root+"/download/:take", s.guest(s.guestDownload))
	app.Get(root+"/thumbnails/:take/:name", s.guest(s.guestFrame))
	app.Get(root+"/samples/:take/:name", s.guest(s.guestFrame))
}

// guest makes a handler for those who come by a link. Its address is a key: it is told to no other site and stands in no log.
func (s *server) guest(h func(c *fiber.Ctx) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderContentSecurityPolicy, s.policy())
		c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
		c.Set(fiber.HeaderCacheControl, "no-store")
		c.Set("X-Robots-Tag", "noindex, nofollow")
		err := h(c)
		if err == nil {
			return nil
		}
		message := sayError(c, err)
		if c.Status(answer.StatusOf(err)); answer.StatusOf(err) == fiber.StatusInternalServerError {
			s.logger.Error("a page of a review link could not be shown", "error", err)
			message = say(c, "The farm could not do this. Try again in a moment.")
		}
		if c.Method() != fiber.MethodGet || wantsJSON(c) {
			return c.JSON(fiber.Map{"error": message})
		}
		return s.render(c, page.ReviewGone(s.guestShell(c, say(c, "Review")), message))
	}
}

func (s *server) guestShell(c *fiber.Ctx, title string) page.Shell {
	return s.bareShell(c, title)
}

// reviewCookie shows that a browser knew the password of a link.
const reviewCookie = "overcrank_review"

// visit looks up what the link of a request leads to.
func (s *server) visit(ctx context.Context, c *fiber.Ctx) (reviews.Visit, error) {
	return s.farm.reviews.Visit(ctx, c.Params("code"), c.Cookies(reviewCookie))
}

// visitTake is the visit of somebody who came by a link, and the take that the address names.
func (s *server) visitTake(ctx context.Context, c *fiber.Ctx) (reviews.Visit, reviews.Take, error) {
	v, err := s.visit(ctx, c)
	if err != nil {
		return v, reviews.Take{}, err
	}
	take, err := v.Take(c.Params("take"))
	return v, take, err
}

func (s *server) guestPage(c *fiber.Ctx) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	v, err := s.visit(ctx, c)
	if errors.Is(err, reviews.ErrPassword) {
		c.Status(fiber.StatusUnauthorized)
		return s.askPassword(c, v, "")
	}
	if err != nil {
		return err
	}
	base := reviews.Path + c.Params("code")
	sheet := page.Review{Base: base, Team: v.Team.Name, Logo: v.Logo, Guest: true, May: true, Decide: true, Job: v.Link.Job}
	for _, take := range v.Takes {
		shown, err := s.reviewTake(ctx, v.Reader(), take, base+"/thumbnails/"+take.ID+"/", base+"/samples/"+take.ID+"/")
		if err != nil {
			return err
		}
		shown.Src = base + "/film/" + take.ID
		if v.Link.Download && take.Kept() {
			shown.Download = base + "/download/" + take.ID
		}
		sheet.Takes = append(sheet.Takes, shown)
	}
	return s.render(c, page.ReviewPage(s.guestShell(c, sheet.Title(ctx)), sheet))
}

func (s *server) askPassword(c *fiber.Ctx, v reviews.Visit, problem string) error {
	return s.render(c, page.ReviewPassword(s.guestShell(c, say(c, "Review")), page.ReviewDoor{Action: reviews.Path + c.Params("code") + "/enter", Team: v.Team.Name, Problem: problem}))
}

// enterReview takes the password of a link.
func (s *server) enterReview(c *fiber.Ctx) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	proof, until, err := s.farm.reviews.Enter(ctx, c.Params("code"), inbound.Caller(request.Origin(c)), c.FormValue("password"))
	switch farm.CodeOf(err) {
	case farm.CodeUnauthorized, farm.CodeRateLimited:
		v, _ := s.visit(ctx, c)
		c.Status(answer.StatusOf(err))
		return s.askPassword(c, v, sayError(c, err))
	}
	if err != nil {
		return err
	}
	at := reviews.Path + c.Params("code")
	c.Cookie(&fiber.Cookie{Name: reviewCookie, Value: proof, Path: at, Expires: until, HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode, Secure: c.Secure()})
	return c.Redirect(at, fiber.StatusSeeOther)
}

func (s *server) guestLogo(c *fiber.Ctx) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	picture, err := s.farm.reviews.GuestLogo(ctx, c.Params("code"))
	if err != nil {
		return err
	}
	c.Type("png")
	return c.Send(picture)
}

// guestFilm gives the result of a take to be looked at.
func (s *server) guestFilm(c *fiber.Ctx) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	v, take, err := s.visitTake(ctx, c)
	if err != nil {
		return err
	}
	opt := answer.FileOptions{CacheControl: "private, max-age=3600"}
	if !playable(take.OutputName) {
		return answer.OpenFile(c, opt, func(ctx context.Context) (*files.File, error) {
			return s.farm.results.OpenProxy(ctx, v.Reader(), take.ID)
		})
	}
	return answer.OpenFile(c, opt, func(ctx context.Context) (*files.File, error) { return s.farm.results.Open(ctx, take.OutputName) })
}

// playable says whether browsers show a result.
func playable(name string) bool {
	switch path.Ext(name) {
	case ".mp4", ".png", ".jpg":
		return true
	}
	return false
}

// guestFrame gives a picture of a frame of a take.
func (s *server) guestFrame(c *fiber.Ctx) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	v, take, err := s.visitTake(ctx, c)
	if err != nil {
		return err
	}
	name := c.Params("name")
	frame, err := strconv.Atoi(strings.TrimSuffix(name, path.Ext(name)))
	if err != nil {
		return farm.Errorf(farm.CodeNotFound, "there is no such frame")
	}
	open := s.farm.results.OpenThumbnail
	if strings.Contains(c.Route().Path, "/samples/") {
		open = s.farm.results.OpenSample
	}
	return answer.OpenFile(c, answer.FileOptions{CacheControl: "private, max-age=60"}, func(ctx context.Context) (*files.File, error) {
		return open(ctx, v.Reader(), take.ID, frame)
	})
}

// reviewTake is a take with what its player needs. thumbs and samples begin the addresses of pictures.
func (s *server) reviewTake(ctx context.Context, p farm.Principal, take reviews.Take, thumbs, samples string) (page.ReviewTake, error) {
	v := page.ReviewTake{ID: take.ID, Number: take.Number, Name: take.Name, Waits: take.Waits(), Thumbs: thumbs, Ext: ".jpg"}
	if out := take.Output; out != nil {
		v.Rate, v.Total, v.Width, v.Height = out.FrameRate, out.Frames, out.Width, out.Height
	}
	list, err := s.farm.results.Thumbnails(ctx, p, take.ID)
	if take.Waits() {
		v.Thumbs, v.Ext = samples, ".png"
		list, err = s.farm.results.Samples(ctx, p, take.ID)
	}
	if err != nil {
		return v, err
	}
	for _, t := range list {
		v.Frames = append(v.Frames, t.Frame)
	}
	v.First, _ = page.Job{Job: take.Job, Thumbs: v.Frames}.Frames()
	v.Kind = "frames"
	if v.Proxy, err = s.hasProxy(ctx, take.Job); err != nil {
		return v, err
	}
	if v.Total == 0 && take.Settings.Frames != nil { // of a sequence its agent counts none
		v.Total = take.Settings.Frames.Count()
	}
	switch ext := path.Ext(take.OutputName); {
	case take.Kept() && (ext == ".mp4" || v.Proxy):
		v.Kind = "film"
	case take.Kept() && playable(take.OutputName):
		v.Kind = "picture"
	}
	return v, nil
}

func (s *server) guestRemarks(c *fiber.Ctx) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	v, err := s.visit(ctx, c)
	if err != nil {
		return err
	}
	remarks, err := s.farm.reviews.GuestRemarks(ctx, v)
	if err != nil {
		return err
	}
	return c.JSON(page.RemarkShapes(remarks))
}

func (s *server) guestSay(c *fiber.Ctx) error {
	said, err := readSaid(c)
	if err != nil {
		return err
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	v, err := s.visit(ctx, c)
	if err != nil {
		return err
	}
	remark, err := s.farm.reviews.GuestSay(ctx, v, said)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(page.RemarkShapes([]farm.Remark{remark})[0])
}

// mostSaid bounds what the page's script sends, in bytes.
const mostSaid = 64 << 10

// readSaid reads what the page's script sends.
func readSaid(c *fiber.Ctx) (said reviews.Said, err error) {
	var body struct {
		Take, Name, Text string
		Frame            *int
		Drawing          []farm.Stroke
		Verdict          farm.Verdict
		Inside           bool
	}
	if len(c.Body()) > mostSaid || json.Unmarshal(c.Body(), &body) != nil {
		return said, farm.Errorf(farm.CodeInvalid, "this comment cannot be read")
	}
	return reviews.Said(body), nil
}

// review shows the player of a job to members of the team.
func (s *server) review(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	id := c.Params("id")
	takes, err := s.farm.reviews.Takes(ctx, p, id)
	if err != nil {
		return err
	}
	shown, err := s.teamsTakes(ctx, p, takes)
	if err != nil {
		return err
	}
	sheet := page.Review{Base: "/jobs/" + id + "/review", Back: "/jobs/" + id, May: p.Can(farm.ActComment), Decide: p.Can(farm.ActApprove), Job: id, Takes: shown}
	shell := s.guestShell(c, sheet.Title(ctx))
	shell.Reader, shell.Personal = p, greeted(c)
	return s.render(c, page.ReviewPage(shell, sheet))
}

// teamsTakes are takes as the player shows them to members of the team.
func (s *server) teamsTakes(ctx context.Context, p farm.Principal, takes []reviews.Take) (list []page.ReviewTake, err error) {
	for _, take := range takes {
		at := "/jobs/" + take.ID
		shown, err := s.reviewTake(ctx, p, take, at+"/thumbnails/", at+"/samples/")
		if err != nil {
			return nil, err
		}
		shown.Src = "/outputs/" + take.OutputName
		if shown.Proxy {
			shown.Src = at + "/proxy"
		}
		if take.Kept() {
			shown.Download = at + "/download"
		}
		list = append(list, shown)
	}
	return list, nil
}

func (s *server) reviewRemarks(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	takes, err := s.farm.reviews.Takes(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	var all []farm.Remark
	for _, take := range takes {
		remarks, err := s.farm.reviews.Remarks(ctx, p, take.ID)
		if err != nil {
			return err
		}
		all = append(all, remarks...)
	}
	return c.JSON(page.RemarkShapes(all))
}

func (s *server) reviewSay(c *fiber.Ctx, p farm.Principal) error {
	said, err := readSaid(c)
	if err != nil {
		return err
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	remark, err := s.farm.reviews.Say(ctx, p, said)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(page.RemarkShapes([]farm.Remark{remark})[0])
}

// readReviews reads what the page of a job shows of its reviews.
func (s *server) readReviews(ctx context.Context, p farm.Principal, id string) (v page.JobReviews, err error) {
	v.Job, v.Now = id, time.Now()
	if v.Links, err = s.farm.reviews.Links(ctx, p, id); err != nil {
		return v, err
	}
	if v.Remarks, err = s.farm.reviews.Remarks(ctx, p, id); err != nil {
		return v, err
	}
	takes, err := s.farm.reviews.Takes(ctx, p, id)
	if i := slices.IndexFunc(takes, func(t reviews.Take) bool { return t.ID == id }); i >= 0 {
		v.First, _ = page.Job{Job: takes[i].Job}.Frames()
	}
	v.Viewable = slices.ContainsFunc(takes, reviews.Take.Viewable)
	return v, err
}

// lifeOfDay is how long a link is good for each day that its form names.
const lifeOfDay = 24 * time.Hour

// makeReview makes a review link, and shows its address this once.
func (s *server) makeReview(c *fiber.Ctx, p farm.Principal) error {
	asked := page.NewReview{
		For: c.FormValue("for"), Days: strings.TrimSpace(c.FormValue("days")), Password: c.FormValue("password"),
		Download: c.FormValue("download") != "", Takes: c.FormValue("takes") != "",
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	link, address, err := s.reviewAsked(ctx, p, c.Params("id"), asked)
	if farm.CodeOf(err) == farm.CodeInvalid {
		asked.Wrong = wrongOf(reading(c), err)
		c.Status(answer.StatusOf(err))
		return s.showJob(c, p, func(v *page.JobView) { v.Refused = &asked })
	}
	if err != nil {
		return err
	}
	return s.render(c, page.ReviewMade(s.shell(c, p, say(c, "Review link"), "jobs"), link, address))
}

// reviewAsked makes the review link that a form asks for.
func (s *server) reviewAsked(ctx context.Context, p farm.Principal, job string, asked page.NewReview) (farm.ReviewLink, string, error) {
	days, err := strconv.Atoi(asked.Days)
	if err != nil {
		return farm.ReviewLink{}, "", farm.Invalid("this review link cannot be made", farm.Field("expiresAt", "is not a whole number of days"))
	}
	return s.farm.reviews.Create(ctx, p, reviews.NewLink{
		Job: job, For: asked.For, Password: asked.Password, Download: asked.Download, Takes: asked.Takes, Until: time.Now().Add(time.Duration(min(max(days, 0), 100_000)) * lifeOfDay),
	})
}

func (s *server) revokeReview(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if err := s.farm.reviews.Revoke(ctx, p, c.Params("id"), c.Params("review")); err != nil {
		return err
	}
	return c.Redirect("/jobs/"+c.Params("id"), fiber.StatusSeeOther)
}
