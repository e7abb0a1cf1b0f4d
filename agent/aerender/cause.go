package aerender

import (
	"cmp"
	"strings"

	"overcrank/farm"
)

// causeOf is a cause whose subject may be anything that an engine said.
func causeOf(kind farm.CauseKind, subject string) farm.Cause {
	return farm.Cause{Kind: kind, Subject: subject}.Tidy()
}

var (
	// inQuotes is what stands between two quotation marks of the same kind. An apostrophe within a word is none.
	inQuotes = pattern(`(?:^|[^\pL\pN])'([^']+)'(?:[^\pL\pN]|$)|"([^"]+)"|“([^”]+)”`)
	// aFile is a name with an extension, as it stands in a sentence.
	aFile = pattern(`[^\s/\\:'"“”]+\.[A-Za-z][A-Za-z0-9]{1,4}\b`)
)

// quoted is the first thing that a message has in quotation marks, "" for none.
func quoted(text string) string {
	found := inQuotes().FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	return cmp.Or(found[1:]...)
}

// named is what a message names as the subject of a cause of a kind, "" where it names nothing that would tell causes apart.
func named(kind farm.CauseKind, text string) string {
	switch kind {
	case farm.CauseFootage:
		name := quoted(text)
		if name == "" {
			name = aFile().FindString(text)
		}
		return name[strings.LastIndexAny(name, `/\`)+1:]
	case farm.CauseEffect:
		return quoted(text)
	case farm.CauseExpression, farm.CauseEngine:
		return farm.CauseOfMessage(text).Subject
	}
	return ""
}

// notFound is how the agent's own script names what a project lacks.
var notFound = pattern(`^(?:Composition|Layer) '(.+)' not found`)

// lacked is the name of what a project lacks.
func lacked(words string) string {
	if found := notFound().FindStringSubmatch(words); found != nil {
		return found[1]
	}
	return quoted(words)
}

// ofAsset ends what the agent's own script says about an asset.
var ofAsset = pattern(`\s*\(asset \d+\)\.?$`)

// CauseTold is the cause of a failure that the agent's own script tells of, or an expression.
func CauseTold(text string) farm.Cause {
	words := ofAsset().ReplaceAllString(text, "")
	switch {
	case strings.HasPrefix(words, "Composition '"):
		return causeOf(farm.CauseComposition, lacked(words))
	case strings.HasPrefix(words, "Layer '") && notFound().MatchString(words): // of one that is there the script says what it lacks
		return causeOf(farm.CauseLayer, lacked(words))
	case strings.HasPrefix(words, "After Effects expression error"):
		return causeOf(farm.CauseExpression, farm.CauseOfMessage(strings.TrimPrefix(words, "After Effects ")).Subject)
	}
	return causeOf(farm.CauseAsset, farm.CauseOfMessage(words).Subject)
}
