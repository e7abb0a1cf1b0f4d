package farm

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// Redacted replaces an address, a path or a value.
const Redacted = "[redacted]"

// redactedValue is Redacted as a JSON value.
var redactedValue = json.RawMessage(`"` + Redacted + `"`)

// Unkept says whether the job renders a project that the farm must not keep: one that is named by an address outside,
// and not registered as a template.
func (j Job) Unkept() bool {
	return j.Template.ID == "" && j.Template.Src != "" && !strings.HasPrefix(j.Template.Src, KeptScheme)
}

// Erase removes the project's address, and the content of the assets, from a job. What it renders and which layers it
// fills stays, as do the names of the farm's own files, which are hashes.
func (j *Job) Erase() {
	if j.Template.Src != "" && !strings.HasPrefix(j.Template.Src, KeptScheme) {
		j.Template.Src = Redacted
	}
	assets := make([]Asset, len(j.Assets))
	for i, a := range j.Assets {
		assets[i] = a.redacted()
		if strings.HasPrefix(a.Src, KeptScheme) {
			assets[i].Src = a.Src
		}
		if strings.HasPrefix(a.MediaValue(), KeptScheme) {
			assets[i].Value = a.Value
		}
	}
	if j.Assets != nil {
		j.Assets = assets
	}
}

// Redact removes all addresses, paths and values from a job that has ended. Upload stays: without it a result in other
// storage could not be found any more.
func (j *Job) Redact(at time.Time) {
	j.RedactedAt = at
	if j.Template.Src != "" {
		j.Template.Src = Redacted
	}
	assets := make([]Asset, len(j.Assets))
	for i, a := range j.Assets {
		assets[i] = a.redacted()
	}
	if j.Assets != nil {
		j.Assets = assets
	}
	if j.Webhook != nil {
		hook := Webhook{URL: Redacted, Method: j.Webhook.Method, Custom: j.Webhook.Custom}
		if j.Webhook.Data != nil {
			hook.Data = redactedValue
		}
		for _, name := range slices.Sorted(maps.Keys(j.Webhook.Headers)) {
			if hook.Headers == nil {
				hook.Headers = map[string]string{}
			}
			hook.Headers[name] = Redacted
		}
		j.Webhook = &hook
	}
}

// redacted is the asset without its content and where that goes.
func (a Asset) redacted() Asset {
	conceal := func(text *string) {
		if *text != "" {
			*text = Redacted
		}
	}
	conceal(&a.Src)
	conceal(&a.Expression)
	if a.Type != "function" { // a function's name is what it does
		conceal(&a.Name)
	}
	if a.Value != nil {
		a.Value = redactedValue
	}
	a.Params = redactedMembers(a.Params)
	var parameters []AssetParameter
	for _, p := range a.Parameters {
		parameters = append(parameters, AssetParameter{Key: p.Key, Value: redactedValue})
	}
	a.Parameters, a.Nested = parameters, nil
	return a
}

// redactedMembers is an object with the same names and redacted values; nil stays nil.
func redactedMembers(object json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if object == nil || json.Unmarshal(object, &members) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		members[name] = redactedValue
	}
	concealed, err := json.Marshal(members)
	if err != nil {
		return nil
	}
	return concealed
}

// Particulars are the texts, addresses and names in a job that also have to be removed from its log when the job is
// redacted.
func (j Job) Particulars() []string {
	var found []string
	text := func(texts ...string) {
		for _, s := range texts {
			if s != "" {
				found = append(found, s)
			}
		}
	}
	value := func(raw json.RawMessage) {
		if raw == nil {
			return
		}
		var v any
		if json.Unmarshal(raw, &v) == nil {
			eachText(v, func(s string) { text(s) })
		}
	}
	text(j.Template.Src)
	for _, a := range j.Assets {
		text(a.Src, a.Expression)
		if a.Type != "function" {
			text(a.Name)
		}
		value(a.Value)
		value(a.Params)
		for _, p := range a.Parameters {
			value(p.Value)
		}
	}
	if j.Webhook != nil {
		text(j.Webhook.URL)
		value(j.Webhook.Data)
		for _, header := range j.Webhook.Headers {
			text(header)
		}
	}
	return found
}

// eachText visits the strings within a decoded JSON value, without the names of fields.
func eachText(value any, visit func(string)) {
	switch v := value.(type) {
	case string:
		visit(v)
	case []any:
		for _, element := range v {
			eachText(element, visit)
		}
	case map[string]any:
		for _, element := range v {
			eachText(element, visit)
		}
	}
}
