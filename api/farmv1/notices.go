package farmv1

import (
	"cmp"
	"slices"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/notices"
	"overcrank/farm"
)

// noticeHandlers answers for what callers are told of.
type noticeHandlers struct{ notices *notices.Notices }

func (h noticeHandlers) routes() []route.Route {
	own := root + "/me/notifications"
	return []route.Route{
		route.Get(own, farm.ActView, h.getNotices),
		route.Put(own, farm.ActView, h.putNotices),
		route.Post(own+"/test", farm.ActView, h.testNotices),
		route.Put(root+"/me/watched-jobs/:id", farm.ActView, h.watchJob(true)),
		route.Delete(root+"/me/watched-jobs/:id", farm.ActView, h.watchJob(false)),
	}
}

// noticeSettingsBody is what somebody is told of, and how that goes.
type noticeSettingsBody struct {
	About          []string        `json:"about"`
	Email          bool            `json:"email"`
	EmailAddress   *string         `json:"emailAddress"`
	EmailAvailable bool            `json:"emailAvailable"`
	Chat           *chatBody       `json:"chat"`
	QuietHours     *quietBody      `json:"quietHours"`
	Language       *string         `json:"language"`
	ToldIn         string          `json:"toldIn"`
	Ways           []noticeWayBody `json:"ways"`
}

type chatBody struct {
	Kind string `json:"kind"`
	Host string `json:"host"`
}

type quietBody struct {
	Hours    string `json:"hours"`
	TimeZone string `json:"timeZone"`
}

// noticeWayBody tells how telling by one way goes.
type noticeWayBody struct {
	Way     string      `json:"way"`
	Waiting int         `json:"waiting"`
	EndedAt answer.Time `json:"endedAt"`
	Error   *string     `json:"error"`
}

func noticeSettingsShape(s notices.Settings) noticeSettingsBody {
	body := noticeSettingsBody{About: []string{}, Email: s.Mail, EmailAddress: answer.OrNull(s.Address), EmailAvailable: s.Mails, Ways: []noticeWayBody{},
		Language: answer.OrNull(string(s.Language)), ToldIn: string(cmp.Or(s.Reads, farm.English))}
	for _, what := range s.About {
		body.About = append(body.About, string(what))
	}
	if s.Chat != nil {
		body.Chat = &chatBody{Kind: string(s.Chat.Kind), Host: s.Chat.Host}
	}
	if s.Quiet != nil {
		body.QuietHours = &quietBody{Hours: s.Quiet.Hours.String(), TimeZone: s.Quiet.Zone}
	}
	for _, way := range farm.NoticeWays() {
		queue := s.Ways[way]
		body.Ways = append(body.Ways, noticeWayBody{
			Way: string(way), Waiting: len(queue.Waiting) + queue.More, EndedAt: answer.Time(queue.EndedAt), Error: answer.OrNull(queue.Error),
		})
	}
	return body
}

func (h noticeHandlers) getNotices(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	settings, err := h.notices.Settings(ctx, p)
	if err != nil {
		return err
	}
	return answer.OK(c, noticeSettingsShape(settings))
}

func (h noticeHandlers) putNotices(c *fiber.Ctx, p farm.Principal) error {
	change, err := input.Body(c, decodeNotices)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	settings, err := h.notices.Put(ctx, p, change)
	if err != nil {
		return err
	}
	return answer.OK(c, noticeSettingsShape(settings))
}

// mostHappenings is more than there are kinds of them.
const mostHappenings = 20

// decodeNotices reads what somebody wants to be told of.
func decodeNotices(body []byte) (change notices.Change, err error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return notices.Change{}, err
	}
	o.Only("about", "email", "chat", "quietHours", "language")
	o.Need("about")
	for i, text := range o.FewTexts("about", input.NameLimit, mostHappenings) {
		what := farm.Happening(text)
		if !slices.Contains(farm.Happenings(), what) {
			wrong.Add(input.ElementPath("about", i), "has to be one of %v, not %q", farm.Happenings(), text)
		}
		change.About = append(change.About, what)
	}
	change.Mail = o.Flag("email")
	if chat, ok := o.Child("chat"); ok {
		chat.Only("kind", "url")
		change.Chat = &notices.Chat{
			Kind:    farm.ChatKind(chat.Choice("kind", string(farm.ChatSlack), string(farm.ChatTeams), string(farm.ChatDiscord))),
			Address: farm.NewConfidential(chat.Text("url", notices.MostAddress)),
		}
		change.Chat.Keep = !chat.Has("url")
	}
	if quiet, ok := o.Child("quietHours"); ok {
		quiet.Only("hours", "timeZone")
		change.Quiet = &notices.Quiet{Hours: quiet.NeedText("hours", input.NameLimit), Zone: quiet.NeedText("timeZone", input.NameLimit)}
	}
	if o.Raw("language") != nil {
		chosen := farm.Language(o.Choice("language", tags(farm.Languages())...))
		change.Language = &chosen
	}
	return change, wrong.Err()
}

func tags(languages []farm.Language) []string {
	list := make([]string, len(languages))
	for i, l := range languages {
		list[i] = string(l)
	}
	return list
}

// noticeTestBody says how a test went.
type noticeTestBody struct {
	Way     string  `json:"way"`
	Sent    bool    `json:"sent"`
	Problem *string `json:"problem"`
}

func (h noticeHandlers) testNotices(c *fiber.Ctx, p farm.Principal) error {
	way, err := input.Body(c, decodeNoticeTest)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	problem, err := h.notices.Test(ctx, p, way)
	if err != nil {
		return err
	}
	return answer.OK(c, noticeTestBody{Way: string(way), Sent: problem == "", Problem: answer.OrNull(problem)})
}

func decodeNoticeTest(body []byte) (farm.NoticeWay, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return "", err
	}
	o.Only("way")
	o.Need("way")
	return farm.NoticeWay(o.Choice("way", string(farm.ByMail), string(farm.ByChat))), wrong.Err()
}

// watchJob has the caller told when a job has ended, or no longer.
func (h noticeHandlers) watchJob(on bool) route.Handler {
	return func(c *fiber.Ctx, p farm.Principal) error {
		ctx, done := request.Call(c)
		defer done()
		if err := h.notices.Watch(ctx, p, c.Params("id"), on); err != nil {
			return err
		}
		return answer.None(c)
	}
}
