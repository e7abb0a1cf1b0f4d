package page

import (
	"context"
	"strconv"
	"strings"

	"overcrank/coordinator/updates"
	"overcrank/farm"
	"overcrank/farm/wording"
)

// Updates is the page of what machines run, and of which release they get.
type Updates struct {
	Overview updates.Overview
	Releases []farm.Release
	Saved    bool
	Error    string
	Problems []farm.FieldError

	// The fields as the form holds them.
	Release, Canary, Hours, Pace, AtOnce, Soak string
}

// Fill puts what is in force into the fields.
func (v *Updates) Fill() {
	u := v.Overview.Updates
	v.Release, v.AtOnce, v.Soak = u.Release, strconv.Itoa(u.MostAtOnce()), strconv.Itoa(int(u.Soak().Minutes()))
	canary := append([]string(nil), u.CanaryTags...)
	for _, id := range u.CanaryMachines {
		name := id
		for _, m := range v.Overview.Machines {
			if m.ID == id && m.Name != "" {
				name = m.Name
			}
		}
		canary = append(canary, name)
	}
	v.Canary = strings.Join(canary, ", ")
	var hours []string
	for _, h := range u.Hours {
		hours = append(hours, h.String())
	}
	v.Hours = strings.Join(hours, "\n")
	if u.BytesPerSecond > 0 {
		v.Pace = strconv.FormatInt(u.BytesPerSecond>>10, 10)
	}
}

// problem is what is wrong with a field, "" for nothing.
func (v Updates) problem(ctx context.Context, field string) string {
	for _, p := range v.Problems {
		if p.Field == field {
			return told(ctx, p.Text())
		}
	}
	return ""
}

// ringWord is a ring as people read it.
func ringWord(ctx context.Context, r farm.UpdateRing) string {
	switch r {
	case farm.RingCanary:
		return say(ctx, "canary")
	case farm.RingTenth:
		return say(ctx, "a tenth")
	case farm.RingAll:
		return say(ctx, "all")
	}
	return string(r)
}

// ended is text with a full stop. Its first letter stays as it is: it may be that of a machine's name.
func ended(text string) string { return strings.TrimSuffix(text, ".") + "." }

// updateWords say where a machine is with a release.
func updateWords(ctx context.Context, m updates.Machine) string {
	switch {
	case m.Update.Mode == "":
		return say(ctx, "unknown: its agent has not reported yet")
	case m.Update.Mode == farm.UpdatedByOthers:
		return say(ctx, "updated by others")
	case m.Update.Mode == farm.UpdatedByHand:
		return say(ctx, "updated by hand")
	case m.Update.Mode != farm.UpdatedByFarm:
		return say(ctx, "updated %s", string(m.Update.Mode))
	}
	words := say(ctx, wording.Update(m.Update.State))
	if m.Update.Release != "" && m.Update.Release != m.Update.Version {
		words += " " + m.Update.Release
	}
	if m.Update.Reason != "" {
		words += ": " + heard(ctx, m.Update.Reason)
	}
	return words
}
