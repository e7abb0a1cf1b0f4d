package public

import (
	"regexp"

	"overcrank/api/input"
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
