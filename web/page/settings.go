package page

import (
	"strings"

	"overcrank/farm"
)

func tokensHeading(v Tokens) string {
	if v.People {
		return "People"
	}
	return "API tokens"
}

func tokensPath(v Tokens) string {
	if v.People {
		return "/settings/people"
	}
	return "/settings/api-tokens"
}

func revokeQuestion(v Tokens, t farm.Token) string {
	switch {
	case t.ID == v.Own:
		return "This is your own access. End it? You will be signed out at once."
	case v.People:
		return "Remove " + t.Name + "? Their browsers are signed out at once."
	}
	return "Revoke “" + t.Name + "”? Programs that use it are refused at once."
}

// roleWords is what a role lets its bearer do.
func roleWords(r farm.Role) string {
	switch r {
	case farm.RoleViewer:
		return "Watch"
	case farm.RoleArtist:
		return "Order renders"
	case farm.RoleProducer:
		return "Order and manage"
	case farm.RoleOperator:
		return "Run the machines"
	case farm.RoleAdmin:
		return "Administer"
	}
	return string(r)
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

func postScriptNames(f farm.Font) []string {
	names := make([]string, len(f.Faces))
	for i, face := range f.Faces {
		names[i] = face.PostScript
	}
	return names
}
