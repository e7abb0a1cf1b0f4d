package public

import (
	"regexp"
	"slices"

	"overcrank/api/input"
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

// nearlySecret is what looks like a reference to a secret and is none.
var nearlySecret = regexp.MustCompile(`\$\{(?i:secret\.|secrets?:|SECRETS\.)([A-Za-z0-9_.-]{1,100})\}`)

// warnOfNearlySecrets tells of texts in a job that look like references to secrets: they are taken as they stand.
func warnOfNearlySecrets(body []byte, wrong *input.Problems) {
	for _, found := range nearlySecret.FindAllSubmatch(body, input.WarningLimit) {
		if text, name := string(found[0]), string(found[1]); text != "${secrets."+name+"}" {
			wrong.Warn(text + " is taken as it stands; a secret is referred to as ${secrets." + name + "}")
		}
	}
}
