package notices

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // Windows has no database of time zones

	"golang.org/x/time/rate"

	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// MostAddress bounds the address of a chat, in bytes. Those of Teams have some 400.
const MostAddress = 2000

// Settings are what somebody wants to be told of, and how that goes.
type Settings struct {
	farm.NoticeSettings
	// Language is the one that they have chosen, "" for none; Reads is the one that they are told in.
	Language, Reads farm.Language
	Address         string // e-mail address, "" for none
	Mails           bool   // the farm sends e-mails
	Ways            map[farm.NoticeWay]farm.NoticeQueue
}

// Settings are those of the caller.
func (n *Notices) Settings(_ context.Context, p farm.Principal) (s Settings, err error) {
	if err := p.May(farm.ActView); err != nil {
		return Settings{}, err
	}
	s.Mails, s.Ways = n.cfg.Mail != nil, map[farm.NoticeWay]farm.NoticeQueue{}
	err = n.state.View(func(tx *raftstore.Tx) error {
		who, err := n.addressee(tx, p.TokenID)
		if err != nil {
			return err
		}
		personal, err := tx.Personal(p.TokenID)
		if err != nil {
			return err
		}
		s.NoticeSettings, s.Language, s.Reads, s.Address = who.settings, personal.Language, who.reads, who.Email
		for _, way := range farm.NoticeWays() {
			queue, err := tx.Notices(who.ID, way)
			if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
				return err
			}
			s.Ways[way] = queue
		}
		return nil
	})
	return s, err
}

// Change is what somebody wants to be told of from then on.
type Change struct {
	About []farm.Happening
	Mail  bool
	Chat  *Chat // nil for none
	Quiet *Quiet
	// Language is the one that they choose, "" for that of their browsers; nil for what it is already.
	Language *farm.Language
}

// Chat is a chat as somebody names it.
type Chat struct {
	Kind    farm.ChatKind // "" for that of the address, where its host tells
	Address farm.Confidential
	Keep    bool // the address that is known already
}

// Quiet are quiet hours as people write them: "22:00-07:00", "sat,sun 00:00-24:00".
type Quiet struct{ Hours, Zone string }

// Put changes what the caller is told of.
func (n *Notices) Put(ctx context.Context, p farm.Principal, in Change) (Settings, error) {
	was, err := n.Settings(ctx, p)
	if err != nil {
		return Settings{}, err
	}
	s := farm.NoticeSettings{Token: p.TokenID, Team: p.Team, Mail: in.Mail}
	for _, what := range farm.Happenings() {
		if slices.Contains(in.About, what) {
			s.About = append(s.About, what)
		}
	}
	if in.Mail && !was.Mail {
		if err := n.canMail(was.Address); err != nil {
			return Settings{}, err
		}
	}
	if s.Quiet, err = quietHours(in.Quiet, n.state.Now()); err != nil {
		return Settings{}, err
	}
	if s.Chat, err = n.chatOf(in.Chat, was); err != nil {
		return Settings{}, err
	}
	if in.Language != nil {
		if err := n.ChooseLanguage(ctx, p, *in.Language); err != nil {
			return Settings{}, err
		}
	}
	if _, err = n.state.Apply(ctx, command.PutNoticeSettings{Settings: s, At: n.state.Now()}); err != nil {
		return Settings{}, beforeItsLevel(err)
	}
	return n.Settings(ctx, p)
}

// canMail is an error that says why nobody can be told by e-mail at an address.
func (n *Notices) canMail(address string) error {
	switch {
	case n.cfg.Mail == nil:
		return errNoMail
	case address == "":
		return farm.Errorf(farm.CodeConflict, "you have no e-mail address here; an administrator can give you one")
	}
	return nil
}

// quietHours reads quiet hours, nil for none.
func quietHours(in *Quiet, now time.Time) (*farm.QuietHours, error) {
	if in == nil {
		return nil, nil
	}
	wrong := func(field farm.FieldError) (*farm.QuietHours, error) {
		return nil, farm.Invalid("these settings cannot be kept", field)
	}
	hours, err := farm.ParseHours(in.Hours)
	if err != nil {
		return wrong(farm.Field("quietHours.hours", "%v", err))
	}
	zone, err := time.LoadLocation(in.Zone)
	if err != nil || in.Zone == "" || in.Zone == "Local" || len(in.Zone) > 100 {
		return wrong(farm.Field("quietHours.timeZone", "%q is not a time zone; write it as Europe/Berlin", in.Zone[:min(len(in.Zone), 100)]))
	}
	if farm.NextChange([]farm.Hours{hours}, now.In(zone)).IsZero() {
		return wrong(farm.Field("quietHours.hours", "never end, so you would never be told"))
	}
	return &farm.QuietHours{Hours: hours, Zone: in.Zone}, nil
}

// quietUntil is when quiet hours end that a moment lies in, zero outside of them.
func quietUntil(quiet *farm.QuietHours, now time.Time) time.Time {
	if quiet == nil {
		return time.Time{}
	}
	zone, err := time.LoadLocation(quiet.Zone)
	hours := []farm.Hours{quiet.Hours}
	if err != nil || !farm.Within(hours, now.In(zone)) {
		return time.Time{}
	}
	return farm.NextChange(hours, now.In(zone))
}

// chatOf is the chat that somebody names, with its address sealed.
func (n *Notices) chatOf(in *Chat, was Settings) (*farm.NoticeChat, error) {
	if in == nil {
		return nil, nil
	}
	wrong := func(field farm.FieldError) (*farm.NoticeChat, error) {
		return nil, farm.Invalid("these settings cannot be kept", field)
	}
	address := in.Address.Reveal()
	if in.Keep {
		if was.Chat == nil {
			return wrong(farm.Field("chat.url", "is missing"))
		}
		var err error
		if address, err = n.addressOf(was.NoticeSettings); err != nil {
			return nil, err
		}
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || len(address) > MostAddress {
		return wrong(farm.Field("chat.url", "has to be the address that the chat gives for incoming messages, beginning with https://"))
	}
	kind := in.Kind
	if kind == "" {
		if kind = KindOf(u.Hostname()); kind == "" {
			return wrong(farm.Field("chat.kind", "cannot be told from this address; say slack, teams or discord (Mattermost and Rocket.Chat take what Slack does)"))
		}
	}
	if !slices.Contains(farm.ChatKinds(), kind) {
		return wrong(farm.Field("chat.kind", "has to be slack, teams or discord"))
	}
	return &farm.NoticeChat{Kind: kind, Host: strings.ToLower(u.Host), Sealed: n.box.Seal(was.Token, []byte(address))}, nil
}

// addressOf is the address of somebody's chat.
func (n *Notices) addressOf(s farm.NoticeSettings) (string, error) {
	address, err := n.box.Open(s.Token, s.Chat.Sealed)
	if err != nil {
		return "", farm.Errorf(farm.CodeConflict, "the address of the chat can no longer be read; enter it again")
	}
	return string(address), nil
}

// Test sends the caller a message by one of the ways of their settings. problem is why it was not sent, "" when it was. CodeConflict for a way
// that they do not use, CodeRateLimited for too many tests.
func (n *Notices) Test(ctx context.Context, p farm.Principal, way farm.NoticeWay) (problem string, err error) {
	s, err := n.Settings(ctx, p)
	if err != nil {
		return "", err
	}
	if !s.Uses(way) {
		return "", notUsed(way)
	}
	if err := n.mayTest(p.TokenID); err != nil {
		return "", err
	}
	var who addressee
	err = n.state.View(func(tx *raftstore.Tx) (err error) {
		who, err = n.addressee(tx, p.TokenID)
		return err
	})
	if err != nil {
		return "", err
	}
	m := message{title: farm.Say("A test from Overcrank"), lines: []line{{text: farm.Say("This is how you will be told of your jobs."), link: n.cfg.PublicAddress() + "/account"}}}
	m.key = n.keyOf(who.ID, way, "test "+n.state.Now().String())
	if err := n.send(ctx, who, way, m); err != nil {
		return err.Error(), nil
	}
	return "", nil
}

func notUsed(way farm.NoticeWay) error {
	if way == farm.ByMail {
		return farm.Errorf(farm.CodeConflict, "your settings do not use e-mail; save them with it first")
	}
	return farm.Errorf(farm.CodeConflict, "your settings do not use a chat; save them with it first")
}

// mayTest counts a test, and is an error when there were too many.
func (n *Notices) mayTest(token string) error {
	limiter := rate.NewLimiter(rate.Every(testPause), testsAtOnce)
	if known, ok, _ := n.tests.PeekOrAdd(token, limiter); ok {
		limiter = known
	}
	if limiter.AllowN(n.state.Now(), 1) {
		return nil
	}
	return farm.Errorf(farm.CodeRateLimited, "too many test messages; try again in %s", wording.Wait(testPause))
}
