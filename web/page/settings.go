package page

import (
	"cmp"
	"context"
	"strings"

	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/web/language"
)

func tokensHeading(ctx context.Context, people bool) string {
	if people {
		return say(ctx, "People")
	}
	return say(ctx, "API tokens")
}

// heading says whose people, or tokens, the page has.
func (v Tokens) heading(ctx context.Context) string {
	if v.Team.ID != "" {
		return say(ctx, "People of %s", v.Team.Name)
	}
	return tokensHeading(ctx, v.People)
}

func tokensPath(people bool) string {
	if people {
		return "/settings/people"
	}
	return "/settings/api-tokens"
}

func lifeLabel(ctx context.Context, people bool) string {
	if people {
		return say(ctx, "Access ends")
	}
	return say(ctx, "Expires after")
}

func livesOf(people bool) []Life {
	if people {
		return Stays
	}
	return Lives
}

func revokeQuestion(ctx context.Context, v Tokens, t farm.Token) string {
	switch {
	case t.ID == v.Own:
		return say(ctx, "Remove your own access? You will be signed out at once.")
	case v.People:
		return say(ctx, "Remove %s? Their browsers are signed out at once.", t.Name)
	}
	return say(ctx, "Revoke “%s”? Programs that use it are refused at once.", t.Name)
}

// roleNames are what roles are called.
var roleNames = map[farm.Role]string{
	farm.RoleViewer: language.Text("viewer"), farm.RoleArtist: language.Text("artist"), farm.RoleProducer: language.Text("producer"),
	farm.RoleOperator: language.Text("operator"), farm.RoleAdmin: language.Text("admin"),
}

// roleWord is a role as people call it within a sentence. One of a later release is said as it comes.
func roleWord(ctx context.Context, r farm.Role) string {
	return say(ctx, cmp.Or(roleNames[r], string(r)))
}

// roleName is a role as people call it.
func roleName(ctx context.Context, r farm.Role) string { return wording.Title(roleWord(ctx, r)) }

// roleWords is a role with what it lets its bearer do.
func roleWords(ctx context.Context, r farm.Role) string {
	switch r {
	case farm.RoleViewer:
		return say(ctx, "Viewer: sees everything, changes nothing")
	case farm.RoleArtist:
		return say(ctx, "Artist: submits jobs and adds templates")
	case farm.RoleProducer:
		return say(ctx, "Producer: also approves, and manages all jobs")
	case farm.RoleOperator:
		return say(ctx, "Operator: also runs machines and the queue")
	case farm.RoleAdmin:
		return say(ctx, "Admin: also manages people, secrets and the farm")
	}
	return roleName(ctx, r)
}

// fontWords is a font's family with its style, or its families when the file holds several.
func fontWords(f farm.Font) string {
	var words []string
	seen := map[string]bool{}
	for _, face := range f.Faces {
		name := strings.TrimSpace(face.Family + " " + face.Style)
		if !seen[name] {
			seen[name] = true
			words = append(words, name)
		}
	}
	return strings.Join(words, ", ")
}
