package farmv1

import (
	"encoding/json"
	"io"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/reviews"
	"overcrank/farm"
)

// reviewHandlers answers for review links, and for what was said about results.
type reviewHandlers struct {
	reviews *reviews.Reviews
	now     func() time.Time
}

func (h reviewHandlers) routes() []route.Route {
	const ofJob = root + "/jobs/:id"
	return []route.Route{
		route.Get(root+"/reviews", farm.ActView, h.listTeamReviews),
		route.Get(ofJob+"/reviews", farm.ActView, h.listReviews),
		route.Post(ofJob+"/reviews", farm.ActShareReviews, h.createReview),
		route.Delete(ofJob+"/reviews/:review", farm.ActShareReviews, h.revokeReview),
		route.Get(ofJob+"/comments", farm.ActView, h.listComments),
		route.Post(ofJob+"/comments", farm.ActComment, h.addComment),
		route.Delete(ofJob+"/comments/:comment", farm.ActComment, h.deleteComment),
		route.Get(root+"/logo", farm.ActView, h.getLogo),
		route.Put(root+"/logo", farm.ActRenameTeam, h.putLogo),
		route.Delete(root+"/logo", farm.ActRenameTeam, h.deleteLogo),
	}
}

// reviewBody is a review link. URL is told only to who makes it.
type reviewBody struct {
	ID        string      `json:"id"`
	Job       string      `json:"job"`
	URL       *string     `json:"url"`
	For       *string     `json:"for"`
	Password  bool        `json:"password"`
	Download  bool        `json:"download"`
	Takes     bool        `json:"takes"`
	Open      bool        `json:"open"`
	By        string      `json:"by"`
	CreatedAt answer.Time `json:"createdAt"`
	ExpiresAt answer.Time `json:"expiresAt"`
	RevokedAt answer.Time `json:"revokedAt"`
}

func reviewShape(l farm.ReviewLink, url string, now time.Time) reviewBody {
	return reviewBody{
		ID: l.ID, Job: l.Job, URL: answer.OrNull(url), For: answer.OrNull(l.For), Password: l.Password != "", Download: l.Download, Takes: l.Takes,
		Open: l.Open(now), By: l.By, CreatedAt: answer.Time(l.At), ExpiresAt: answer.Time(l.Until), RevokedAt: answer.Time(l.RevokedAt),
	}
}

func (h reviewHandlers) reviewShapes(links []farm.ReviewLink) []reviewBody {
	out := make([]reviewBody, len(links))
	for i, l := range links {
		out[i] = reviewShape(l, "", h.now())
	}
	return out
}

func (h reviewHandlers) listTeamReviews(c *fiber.Ctx, p farm.Principal) error {
	cursor, limit, err := queryPage(c)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	links, next, err := h.reviews.TeamLinks(ctx, p, cursor, limit)
	if err != nil {
		return err
	}
	answer.LinkNext(c, next)
	return answer.OK(c, h.reviewShapes(links))
}

func (h reviewHandlers) listReviews(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	links, err := h.reviews.Links(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, h.reviewShapes(links))
}

func (h reviewHandlers) createReview(c *fiber.Ctx, p farm.Principal) error {
	in, err := input.Body(c, decodeReview)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	in.Job = c.Params("id")
	link, url, err := h.reviews.Create(ctx, p, in)
	if err != nil {
		return err
	}
	return answer.Created(c, reviewShape(link, url, h.now()))
}

// decodeReview reads a review link that somebody wants.
func decodeReview(body []byte) (in reviews.NewLink, err error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return in, err
	}
	o.Only("for", "password", "download", "takes", "expiresAt")
	in.For = o.Text("for", reviews.MostFor)
	in.Password = o.Text("password", input.NameLimit)
	in.Download, in.Takes = o.Flag("download"), o.Flag("takes")
	if text := o.Text("expiresAt", input.NameLimit); text != "" {
		if in.Until, err = time.Parse(time.RFC3339, text); err != nil {
			o.Problem("expiresAt", "has to be a time such as 2027-01-31T12:00:00Z")
		}
	}
	return in, wrong.Err()
}

func (h reviewHandlers) revokeReview(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := h.reviews.Revoke(ctx, p, c.Params("id"), c.Params("review")); err != nil {
		return err
	}
	return answer.None(c)
}

// commentBody is what somebody said about a job's result.
type commentBody struct {
	ID      string       `json:"id"`
	Job     string       `json:"job"`
	Review  *string      `json:"review"`
	Name    string       `json:"name"`
	Text    string       `json:"text"`
	Frame   *int         `json:"frame"`
	Drawing []strokeBody `json:"drawing"`
	Verdict *string      `json:"verdict"`
	Inside  bool         `json:"inside"`
	At      answer.Time  `json:"at"`
}

// strokeBody is a line of a drawing: x and y in turn, from 0 to 10,000 across the picture.
type strokeBody struct {
	Colour string `json:"colour"`
	Points []int  `json:"points"`
}

func commentShape(r farm.Remark) commentBody {
	body := commentBody{
		ID: r.ID, Job: r.Job, Review: answer.OrNull(r.Link), Name: r.Name, Text: r.Text, Frame: r.Frame, Drawing: []strokeBody{},
		Verdict: answer.OrNull(string(r.Verdict)), Inside: r.Inside, At: answer.Time(r.At),
	}
	for _, s := range r.Drawing {
		body.Drawing = append(body.Drawing, strokeBody(s))
	}
	return body
}

func (h reviewHandlers) listComments(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	remarks, err := h.reviews.Remarks(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	out := make([]commentBody, len(remarks))
	for i, r := range remarks {
		out[i] = commentShape(r)
	}
	return answer.OK(c, out)
}

func (h reviewHandlers) addComment(c *fiber.Ctx, p farm.Principal) error {
	said, err := input.Body(c, decodeComment)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	said.Take = c.Params("id")
	remark, err := h.reviews.Say(ctx, p, said)
	if err != nil {
		return err
	}
	return answer.Created(c, commentShape(remark))
}

// maxFrameNumber is more than any film has.
const maxFrameNumber = 10_000_000

// decodeComment reads what somebody says.
func decodeComment(body []byte) (said reviews.Said, err error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return said, err
	}
	o.Only("text", "frame", "drawing", "verdict", "inside")
	said.Text = o.Text("text", farm.MostRemark)
	if frame, ok := o.Whole("frame", 0, maxFrameNumber); ok {
		said.Frame = &frame
	}
	said.Verdict = farm.Verdict(o.Choice("verdict", string(farm.VerdictApproved), string(farm.VerdictRejected)))
	said.Inside = o.Flag("inside")
	o.Objects(o.List("drawing"), "a line of a drawing", func(line input.Object) {
		line.Only("colour", "points")
		line.Need("points")
		stroke := farm.Stroke{Colour: line.Choice("colour", farm.StrokeColours()...)}
		if raw := line.Raw("points"); len(raw) > 0 && json.Unmarshal(raw, &stroke.Points) != nil {
			line.Mistyped("points", "a list of whole numbers")
		}
		said.Drawing = append(said.Drawing, stroke)
	})
	return said, wrong.Err()
}

func (h reviewHandlers) deleteComment(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := h.reviews.Unsay(ctx, p, c.Params("id"), c.Params("comment")); err != nil {
		return err
	}
	return answer.None(c)
}

func (h reviewHandlers) getLogo(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	picture, err := h.reviews.Logo(ctx, p)
	if err != nil {
		return err
	}
	c.Type("png")
	return c.Send(picture)
}

// putLogo takes a picture as the logo of the caller's team.
func (h reviewHandlers) putLogo(c *fiber.Ctx, p farm.Principal) error {
	body, _, err := request.Body(c, reviews.MostLogoSent)
	if err != nil {
		return err
	}
	if body, err = input.NotEmpty(body); err != nil {
		return err
	}
	picture, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	if err := h.reviews.SetLogo(ctx, p, picture); err != nil {
		return err
	}
	return answer.None(c)
}

func (h reviewHandlers) deleteLogo(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := h.reviews.SetLogo(ctx, p, nil); err != nil {
		return err
	}
	return answer.None(c)
}
