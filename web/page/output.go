package page

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"overcrank/farm"
	"overcrank/farm/codec"
	"overcrank/web/language"
)

// Output is what a form says of the kind of result and of where it goes, as its fields hold it.
type Output struct {
	Codec, Quality                     string
	Missing, Reuse                     string // where footage is missing: bars, or fail; whether equal frames of other jobs are used: no, or yes
	First, Last                        string // frames; "" for the whole composition
	Provider, Bucket, Region, Endpoint string
	Prefix, KeyID, KeySecret, Webhook  string // KeyID and KeySecret are names of secrets
	Notify                             bool
	Preset                             string // that it began with
}

// Codecs are the kinds of result that the form offers, the usual one first.
var Codecs = []Codec{
	{codec.DefaultFilm, language.Text("MP4, for the web and review")},
	{codec.FineFilm, language.Text("MP4, high quality")},
	{codec.ProRes422, language.Text("ProRes 422")},
	{codec.ProRes4444, language.Text("ProRes 4444, with alpha")},
	{codec.DefaultStill, language.Text("PNG, a picture for each frame")},
	{codec.JPEG, language.Text("JPEG, a picture for each frame")},
}

// Codec is a kind of result that the form offers.
type Codec struct{ Name, Words string }

// Films are those of Codecs that make one film.
func Films() (films []Codec) {
	for _, k := range Codecs {
		if c, known := codec.Find(k.Name); known && !c.Still {
			films = append(films, k)
		}
	}
	return films
}

// codecWords is a kind of result in words.
func codecWords(ctx context.Context, name string) string {
	for _, k := range Codecs {
		if k.Name == name {
			return say(ctx, k.Words)
		}
	}
	return name
}

// Summary is what a form says of the result, in a line.
func (o Output) Summary(ctx context.Context) string {
	codec := o.Codec
	if codec == "" {
		codec = Codecs[0].Name
	}
	said := []string{codecWords(ctx, codec)}
	switch {
	case o.First != "" && o.First == o.Last:
		said = append(said, say(ctx, "frame %s", o.First))
	case o.First != "" && o.Last == "":
		said = append(said, say(ctx, "frames %s to the last", o.First))
	case o.Last != "":
		said = append(said, say(ctx, "frames %s to %s", orWord(o.First, "0"), o.Last))
	}
	if o.Quality == "draft" {
		said = append(said, say(ctx, "draft quality"))
	}
	if o.Missing == farm.FootageBars {
		said = append(said, say(ctx, "colour bars for missing footage"))
	}
	if o.Reuse == "no" {
		said = append(said, say(ctx, "every frame drawn anew"))
	}
	if o.Bucket != "" {
		said = append(said, say(ctx, "to %s", o.Bucket))
	}
	if host := hostOf(o.Webhook); host != "" {
		said = append(said, say(ctx, "webhook to %s", host))
	} else if o.Webhook != "" {
		said = append(said, say(ctx, "webhook"))
	}
	if o.Notify {
		said = append(said, say(ctx, "you are told when it is done"))
	}
	return strings.Join(said, " · ")
}

func orWord(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// hostOf is the host of an address, which is all of it that a line shows.
func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Hostname()
	}
	return ""
}

// OutputOf is a preset as a form's fields hold it.
func OutputOf(p farm.Preset) Output {
	o := Output{Codec: p.Settings.Codec, Quality: p.Settings.Quality, Missing: p.Settings.MissingFootage, Preset: p.Name}
	if p.Settings.DrawAll {
		o.Reuse = "no"
	}
	if p.Upload != nil {
		o.Provider, o.Prefix = p.Upload.Provider, p.Upload.Prefix
		o.Bucket, o.Region, o.Endpoint = p.Upload.Params["bucket"], p.Upload.Params["region"], p.Upload.Params["endpoint"]
		o.KeyID, o.KeySecret = secretNamed(p.Upload.Params["accessKeyId"]), secretNamed(p.Upload.Params["accessKeySecret"])
	}
	if p.Webhook != nil {
		o.Webhook = p.Webhook.URL
	}
	return o
}

func secretNamed(reference string) string {
	if refs := farm.SecretRefs(reference); len(refs) == 1 {
		return refs[0]
	}
	return ""
}

// fieldsOf are the values of a preset by the names of the form's fields, for the page's script.
func fieldsOf(p farm.Preset) string {
	o := OutputOf(p)
	codec := o.Codec
	if codec == "" {
		codec = Codecs[0].Name
	}
	fields := map[string]string{
		"codec": codec, "quality": o.Quality, "missing": o.Missing, "reuse": o.Reuse, "provider": orWord(o.Provider, "s3"), "bucket": o.Bucket, "region": o.Region, "endpoint": o.Endpoint,
		"prefix": o.Prefix, "keyId": o.KeyID, "keySecret": o.KeySecret, "webhook": o.Webhook,
	}
	if p.ProjectID != "" { // a preset without one leaves the form's
		fields["project"] = p.ProjectID
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return "{}"
	}
	return string(text)
}
