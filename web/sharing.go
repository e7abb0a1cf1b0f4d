package web

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/farm"
	"overcrank/web/page"
)

// policies is what pages ask of the farm about how it shares its machines.
type policies interface {
	Policy(ctx context.Context, p farm.Principal) (farm.Policy, error)
	PutPolicy(ctx context.Context, p farm.Principal, policy farm.Policy) (farm.Policy, error)
	ChangeLevels(ctx context.Context, p farm.Principal, changes map[farm.Level]func(farm.LevelPolicy) farm.LevelPolicy) (farm.Policy, error)
	SharingNow(ctx context.Context, p farm.Principal) (farm.SharingNow, error)
	PauseFarm(ctx context.Context, p farm.Principal, paused bool) (farm.Policy, error)
}

func (s *server) sharing(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	policy, teams, err := s.readSharing(ctx, p)
	if err != nil {
		return err
	}
	v := page.SharingOf(policy, teams)
	v.Saved = c.Query("saved") != ""
	switch now, err := s.farm.policy.SharingNow(ctx, p); {
	case err == nil:
		v.Now = page.ShareNow(now, policy, teams)
		v.Now.Own = !p.Can(farm.ActChangePolicy)
	case farm.CodeOf(err) != farm.CodeUnavailable: // the form is there without a leader too
		return err
	}
	return s.showSharing(c, p, v)
}

func (s *server) readSharing(ctx context.Context, p farm.Principal) (farm.Policy, []farm.Team, error) {
	policy, err := s.farm.policy.Policy(ctx, p)
	if err != nil {
		return policy, nil, err
	}
	teams, _, err := s.farm.people.Teams(ctx, p)
	return policy, teams, err
}

func (s *server) showSharing(c *fiber.Ctx, p farm.Principal, v page.Sharing) error {
	shell := s.shell(c, p, say(c, "Sharing"), "settings")
	shell.Setting = "sharing"
	v.At = time.Now()
	return s.render(c, page.SharingPage(shell, v))
}

// share saves the farm's policy as the form holds it.
func (s *server) share(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	now, teams, err := s.readSharing(ctx, p)
	if err != nil {
		return err
	}
	form := sharingForm{c: c}
	policy := form.policy(now, teams)
	form.v.InForce = now
	if len(form.v.Problems) == 0 {
		_, err = s.farm.policy.PutPolicy(ctx, p, policy)
	} else {
		err = farm.Invalid("Some fields are not valid")
	}
	var refused *farm.Error
	switch code := farm.CodeOf(err); {
	case err == nil:
		return c.Redirect("/settings/sharing?saved=1", fiber.StatusSeeOther)
	case code == farm.CodeConflict:
		form.v.Conflict, form.v.Revision = true, strconv.Itoa(now.Revision)
	case code == farm.CodeInvalid && errors.As(err, &refused):
		form.refuse(refused.Fields)
		form.v.Error = page.SharingProblems(reading(c), form.v.Problems, teams)
	default:
		return err
	}
	c.Status(answer.StatusOf(err))
	return s.showSharing(c, p, form.v)
}

// sharesThen draws what shares would be by a form that is not saved, beside what they are.
func (s *server) sharesThen(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	inForce, teams, err := s.readSharing(ctx, p)
	if err != nil {
		return err
	}
	now, err := s.farm.policy.SharingNow(ctx, p)
	if err != nil {
		return err
	}
	form := sharingForm{c: c}
	then := form.policy(inForce, teams)
	v := page.SharesThen(now, inForce, then, teams)
	form.refuse(then.Problems())
	if len(form.v.Problems) > 0 {
		v = page.ShareNow(now, inForce, teams)
		v.Problem = page.SharingProblems(reading(c), form.v.Problems, teams)
	}
	return s.render(c, page.SharingNowPart(v))
}

// sharingForm reads the form of the farm's policy. What cannot be read is a problem of its field.
type sharingForm struct {
	c *fiber.Ctx
	v page.Sharing
}

func (f *sharingForm) text(name string) string { return strings.TrimSpace(f.c.FormValue(name)) }

func (f *sharingForm) wrong(field, message string, args ...any) {
	f.v.Problems = append(f.v.Problems, farm.Field(field, message, args...))
}

// refuse adds what is wrong with the policy that the form comes to. A field that cannot be read is told of once.
func (f *sharingForm) refuse(wrong []farm.FieldError) {
	for _, w := range wrong {
		if !slices.ContainsFunc(f.v.Problems, func(p farm.FieldError) bool { return p.Field == w.Field }) {
			f.v.Problems = append(f.v.Problems, w)
		}
	}
}

// whole is a whole number as a field holds it, 0 for an empty one.
func (f *sharingForm) whole(text, field string) int {
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		f.wrong(field, "has to be a whole number")
	}
	return n
}

// number is a number as a field holds it, 0 for an empty one.
func (f *sharingForm) number(text, field string) float64 {
	if text == "" {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		f.wrong(field, "has to be a number")
		return 0
	}
	return n
}

// policy is what the form asks for; what it has no fields for stays as it is.
func (f *sharingForm) policy(now farm.Policy, teams []farm.Team) farm.Policy {
	policy := now.Clone()
	f.v.Revision = f.text("revision")
	policy.Revision = f.whole(f.v.Revision, "revision")
	policy.Levels = map[farm.Level]farm.LevelPolicy{}
	for _, level := range farm.Levels() {
		policy.Levels[level] = f.level(level, now.Levels[level])
	}
	policy.Teams = map[string]farm.TeamPolicy{}
	for _, t := range teams {
		fields := page.TeamFields{ID: t.ID, Name: t.Name, Weight: f.text("teams." + t.ID + ".weight"), Most: f.text("teams." + t.ID + ".maxMachines")}
		f.v.Teams = append(f.v.Teams, fields)
		share := farm.TeamPolicy{
			Weight: f.number(fields.Weight, "teams."+t.ID+".weight"), MaxMachines: f.whole(fields.Most, "teams."+t.ID+".maxMachines"),
		}
		if share != (farm.TeamPolicy{}) {
			policy.Teams[t.ID] = share
		}
	}
	f.limits(&policy)
	f.v.SplitOff = f.text("split.off") != ""
	f.v.MinSeconds, f.v.MaxRanges, f.v.MaxMachines = f.text("split.minSeconds"), f.text("split.maxRanges"), f.text("maxMachinesPerJob")
	policy.Split = farm.SplitPolicy{
		Off: f.v.SplitOff, MinSeconds: f.number(f.v.MinSeconds, "split.minSeconds"), MaxRanges: f.whole(f.v.MaxRanges, "split.maxRanges"),
	}
	f.v.MaxSlots = f.text("maxSlotsPerMachine")
	policy.MaxSlotsPerMachine = f.whole(f.v.MaxSlots, "maxSlotsPerMachine")
	policy.MaxMachinesPerJob = f.whole(f.v.MaxMachines, "maxMachinesPerJob")
	f.v.MaxAttempts, f.v.MaxFailures, f.v.SetAsideFrom = f.text("retry.maxAttempts"), f.text("retry.maxJobFailures"), f.text("retry.setAsideAfter")
	policy.Retry = farm.RetryPolicy{
		MaxAttempts: f.whole(f.v.MaxAttempts, "retry.maxAttempts"), MaxJobFailures: f.whole(f.v.MaxFailures, "retry.maxJobFailures"),
		SetAsideAfter: f.whole(f.v.SetAsideFrom, "retry.setAsideAfter"),
	}
	if role := f.text("scripts.role"); role != "" {
		policy.Scripts.Role = farm.Role(role)
	}
	return policy
}

func (f *sharingForm) level(level farm.Level, now farm.LevelPolicy) farm.LevelPolicy {
	at := "levels." + string(level)
	fields := page.LevelFields{Level: level, Role: farm.Role(f.text(at + ".role")), Share: f.text(at + ".maxShare")}
	policy := farm.LevelPolicy{Paused: now.Paused, Role: fields.Role, MaxShare: f.number(fields.Share, at+".maxShare") / 100}
	if policy.Role == (farm.Policy{}).LeastFor(level) {
		policy.Role = "" // the farm's own measure
	}
	if policy.MaxShare < 0 || policy.MaxShare > 1 {
		f.wrong(at+".maxShare", "has to be from 1 to 100")
	}
	policy.Hours = f.hours(at+".hours", &fields)
	f.v.Levels = append(f.v.Levels, fields)
	return policy
}

// hours are those that a level has by its drawing, where that alone was changed, or else by its text.
func (f *sharingForm) hours(field string, fields *page.LevelFields) []farm.Hours {
	lines := func(name string) string { return strings.ReplaceAll(f.text(name), "\r\n", "\n") }
	fields.Hours = lines(field)
	hours, wrong := hoursIn(fields.Hours)
	fields.Drawn = hours
	if form := f.c.Context().PostArgs(); form.Has(field+".was") && fields.Hours == lines(field+".was") {
		var marked []string
		for _, mark := range form.PeekMulti(field + ".open") {
			marked = append(marked, string(mark))
		}
		slices.Sort(marked)
		if !slices.Equal(marked, page.MarksOf(hours)) {
			return f.drawn(field, fields, marked)
		}
	}
	for _, err := range wrong {
		f.wrong(field, "%v", err)
	}
	return hours
}

// drawn are the hours that were marked.
func (f *sharingForm) drawn(field string, fields *page.LevelFields, marked []string) []farm.Hours {
	hours, any := page.HoursOf(marked)
	if !any {
		f.wrong(field, "mark at least one hour")
		return hours
	}
	fields.Hours, fields.Drawn = page.HoursText(hours, "\n"), hours
	return hours
}

// hoursIn are the windows that lines of a text say, and what is wrong with the others.
func hoursIn(text string) (hours []farm.Hours, wrong []error) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		h, err := farm.ParseHours(line)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		hours = append(hours, h)
	}
	return hours, wrong
}

// limits reads the limits, of which the last one in the form may be empty: it is there to add one.
func (f *sharingForm) limits(policy *farm.Policy) {
	policy.Limits = map[string]farm.LimitPolicy{}
	for _, raw := range f.c.Context().PostArgs().PeekMulti("limit") {
		at := "limit." + string(raw)
		l := page.LimitFields{
			Was: f.text(at + ".was"), Name: f.text(at + ".name"), Total: f.text(at + ".total"), PerMachine: f.text(at + ".perMachine"),
			Effects: f.text(at + ".effects"), ByMachine: f.text(at+".byMachine") != "", Remove: f.text(at+".remove") != "",
		}
		if l.Was == "" && l.Name == "" && l.Total == "" && l.Effects == "" {
			continue
		}
		f.v.Limits = append(f.v.Limits, l)
		if l.Remove {
			continue
		}
		field := "limits." + l.Name
		if _, twice := policy.Limits[l.Name]; twice {
			f.wrong(field, "is the name of another limit")
		}
		if l.Total == "" {
			f.wrong(field+".total", "has to say how many there are")
		}
		policy.Limits[l.Name] = farm.LimitPolicy{
			Total: f.whole(l.Total, field+".total"), PerMachine: f.whole(l.PerMachine, field+".perMachine"), ByMachine: l.ByMachine, Effects: words(l.Effects),
		}
	}
	f.v.Limits = append(f.v.Limits, page.LimitFields{})
}
