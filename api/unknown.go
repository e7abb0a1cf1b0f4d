package api

import (
	"regexp"
	"slices"

	"overcrank/farm/names"
)

// The fields of a job, by what reads them.
var (
	orderKeys = []string{
		"name", "tags", "level", "notBefore", "requireTags", "anyTags", "noTags", "minMemory", "os", "limits", "hold", "sequential", "priority",
		"maxMachines", "maxAttempts",
	}
	stepKeys     = []string{"previewFirst", "approve"}
	renderKeys   = []string{"preview", "fonts", "template", "assets", "settings"}
	deliveryKeys = []string{"upload", "webhook"}

	jobKeys    = slices.Concat(orderKeys, stepKeys, renderKeys, deliveryKeys)
	joinKeys   = slices.Concat(orderKeys, []string{"assets", "settings"}, deliveryKeys)
	nestedKeys = slices.Concat([]string{"type", "layerName", "layerIndex", "composition", "name", "webhook"}, renderKeys)
	clipKeys   = []string{"type", "src", "name"}
)

// warningLimit is how many warnings one request gets.
const warningLimit = 20

// warn keeps something that is taken though it is hardly meant, for the job to keep.
func (p *problems) warn(text string) {
	if len(p.warnings) < warningLimit && !slices.Contains(p.warnings, text) {
		p.warnings = append(p.warnings, text)
	}
}

// passOver tells of fields that nobody reads: clients of other farms may send more than this one knows, and a misspelt one would be
// left out in silence. A strict request has none of them.
func (o object) passOver(known []string) {
	for _, field := range o.fields {
		if slices.ContainsFunc(known, func(k string) bool { return k == string(field.key) }) {
			continue
		}
		key := string(field.key)
		hint := ""
		if near := names.Near(key, known); len(near) > 0 {
			hint = "; " + names.DidYouMean(key, known)
		}
		if o.wrong.strict {
			o.problem(key, "is not known here%s", hint)
			continue
		}
		o.wrong.warn("The field '" + clipped(o.field(key)) + "' is not known here and was left out" + hint)
	}
}

// clipped is as much of a name as a sentence has room for.
func clipped(name string) string {
	const most = 100
	if letters := []rune(name); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return name
}

// nearlySecret is what looks like a reference to a secret and is none.
var nearlySecret = regexp.MustCompile(`\$\{(?i:secret\.|secrets?:|SECRETS\.)([A-Za-z0-9_.-]{1,100})\}`)

// warnOfNearlySecrets tells of texts in a job that look like references to secrets: they are taken as they stand.
func warnOfNearlySecrets(body []byte, wrong *problems) {
	for _, found := range nearlySecret.FindAllSubmatch(body, warningLimit) {
		if text, name := string(found[0]), string(found[1]); text != "${secrets."+name+"}" {
			wrong.warn(text + " is taken as it stands; a secret is referred to as ${secrets." + name + "}")
		}
	}
}
