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
		return "Remove your own access? You will be signed out at once."
	case v.People:
		return "Remove " + t.Name + "? Their browsers are signed out at once."
	}
	return "Revoke “" + t.Name + "”? Programs that use it are refused at once."
}

// roleName is a role as people, commands and refusals call it.
func roleName(r farm.Role) string { return kindTitle(string(r)) }

// roleWords is a role with what it lets its bearer do.
func roleWords(r farm.Role) string {
	may := map[farm.Role]string{
		farm.RoleViewer: "sees everything, changes nothing", farm.RoleArtist: "submits jobs and adds templates", farm.RoleProducer: "also approves, and manages all jobs",
		farm.RoleOperator: "also runs machines and the queue", farm.RoleAdmin: "also manages people, secrets and the farm",
	}
	if words := may[r]; words != "" {
		return roleName(r) + ": " + words
	}
	return roleName(r)
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
