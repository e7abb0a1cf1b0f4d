package page

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// The kinds of fields beside text, image, video, audio and media, which is a picture or a film of a template's panel.
const (
	FieldSwitch  = "switch"
	FieldNumber  = "number"
	FieldAngle   = "angle"
	FieldColour  = "colour"
	FieldPoint   = "point" // and other values of several numbers, such as a scale
	FieldChoice  = "choice"
	FieldComment = "comment" // words of the template's author for whoever fills it in
)

// Field is something of a template that the form can fill in.
type Field struct {
	Key         string // of the form's value
	Layer       string // or the name of the panel's field
	Label       string // what people call it; "" for Layer
	Kind        string // text, image, video, audio, media, or one of the kinds above
	Value       string // what the template holds: of a colour as #rrggbb, of a choice its number from 1, of a point numbers with spaces between
	Panel       bool   // it is a field of the panel of Composition
	Composition string // of Panel
	Property    string // of the layer's that it fills in, "" for its words or its file
	Group       string // of fields that belong together, "" for none
	Least, Most *float64
	Options     []string // of a choice
	Lacks       bool     // its file did not come with the template: the job has to bring it
	Lines       int
	Note        string
	Src         string // address of the file it was given before
	Wrong       string // what is wrong with what was typed
}

// TakesFile tells whether a field is for a file.
func (f Field) TakesFile() bool {
	return f.Kind == "image" || f.Kind == "video" || f.Kind == "audio" || f.Kind == "media"
}

// Title is what people call the field.
func (f Field) Title() string {
	if f.Label != "" {
		return f.Label
	}
	return f.Layer
}

// Parts are the numbers of a point.
func (f Field) Parts() []string { return strings.Fields(f.Value) }

// Step is by how much the slider of a number moves: a hundredth of its range or less, in round figures.
func (f Field) Step() string {
	if !f.Ranged() {
		return "any"
	}
	step := math.Pow(10, math.Floor(math.Log10((*f.Most-*f.Least)/100)))
	return Number(step)
}

// Ranged tells whether a number has a least and a most.
func (f Field) Ranged() bool { return f.Least != nil && f.Most != nil && *f.Least < *f.Most }

// Number is a number for a form.
func Number(n float64) string { return strconv.FormatFloat(math.Round(n*1e6)/1e6, 'f', -1, 64) }

// bound is an end of a field's range for a form.
func bound(n *float64) string {
	if n == nil {
		return ""
	}
	return Number(*n)
}

// accepts is which files a field takes, for the browser.
func (f Field) accepts() string {
	if f.Kind == "media" {
		return "image/*,video/*"
	}
	return f.Kind + "/*"
}

// axis names the numbers of a point.
func axis(i int) string {
	if i < 3 {
		return []string{"X", "Y", "Z"}[i]
	}
	return strconv.Itoa(i + 1)
}

// fieldGroup is fields that stand together in a form.
type fieldGroup struct {
	Name   string // "" for those that belong to none
	Fields []Field
}

// grouped are the fields of a form in their order; a group stands where its first field does.
func (n NewJob) grouped() (groups []fieldGroup) {
	place := map[string]int{}
	for _, f := range n.Fields {
		i, known := place[f.Group]
		if !known || f.Group == "" && i != len(groups)-1 {
			i = len(groups)
			place[f.Group] = i
			groups = append(groups, fieldGroup{Name: f.Group})
		}
		groups[i].Fields = append(groups[i].Fields, f)
	}
	return groups
}

// told are the attributes of an input that holds something wrong: it is where the reader goes on.
func (f Field) told() templ.Attributes {
	if f.Wrong == "" {
		return nil
	}
	return templ.Attributes{"aria-invalid": "true", "aria-describedby": f.Key + "-wrong", "autofocus": true}
}

// anyWrong tells whether a field of the form holds something wrong.
func (n NewJob) anyWrong() bool {
	for _, field := range []string{"level", "priority", "notBefore", framesField} {
		if n.Wrong[field] != "" {
			return true
		}
	}
	return slices.ContainsFunc(n.Fields, func(f Field) bool { return f.Wrong != "" })
}

// framesField is what the interface calls the frames that a job asks for.
const framesField = "settings.frames"
