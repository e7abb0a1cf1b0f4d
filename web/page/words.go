package page

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"overcrank/aep"
	"overcrank/farm"
	"overcrank/web/language"
)

// asset is the address of a static file; the version in it lets browsers keep it for ever.
func asset(s Shell, name string) string { return "/static/" + name + "?v=" + s.Version }

func count(n int) string { return strconv.Itoa(n) }

// otherTheme is the theme that the switch leads to: from the system's to dark, to light, and back.
func otherTheme(theme string) string {
	switch theme {
	case "dark":
		return "light"
	case "light":
		return "auto"
	}
	return "dark"
}

func themeWord(ctx context.Context, theme string) string {
	switch theme {
	case "dark":
		return say(ctx, "Dark")
	case "light":
		return say(ctx, "Light")
	}
	return say(ctx, "Auto")
}

func jobPath(j farm.Job) string { return "/jobs/" + j.ID }

func thumbPath(j farm.Job, frame int) string {
	return jobPath(j) + "/thumbnails/" + strconv.Itoa(frame) + ".jpg"
}

const (
	// SmallQuery is what the address of a picture has that is wanted as small as lists show it.
	SmallQuery = "small"
	// SmallWidth is how wide that is, in pixels: twice what the style sheet gives it, for screens that have two for each.
	SmallWidth = 160
)

// small is the address of a picture as lists show it.
func small(picture string) string {
	mark := "?"
	if strings.Contains(picture, "?") {
		mark = "&"
	}
	return picture + mark + SmallQuery + "=1"
}

// posterPath is the address of one picture for the job as a whole; it changes as the job goes on, so that a new one is
// fetched. Jobs that wait have that of their template, which is fetched once for all of them.
func posterPath(j farm.Job) string {
	if j.Status.Waiting() && j.Progress == 0 && j.Template.ID != "" {
		return "/templates/" + j.Template.ID + "/poster?job"
	}
	return jobPath(j) + "/poster?" + string(j.Status) + count(int(j.Progress)/10)
}

// templatePoster is the address of a picture of the template; it changes with its file.
func templatePoster(t farm.Template) string {
	return "/templates/" + t.ID + "/poster?" + strconv.FormatInt(t.UpdatedAt.Unix(), 36)
}

// templateReel is the address of frames of a composition; it changes with the template's file.
func templateReel(t farm.Template, composition uint32) string {
	return "/templates/" + t.ID + "/reels/" + strconv.FormatUint(uint64(composition), 10) + "?" + strconv.FormatInt(int64(t.VersionNow()), 36)
}

func queryText(s string) string { return url.QueryEscape(s) }

// sentence makes a sentence of an error's words.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	s = string(unicode.ToUpper(first)) + s[size:]
	if last, _ := utf8.DecodeLastRuneInString(s); strings.ContainsRune(".!?…", last) {
		return s
	}
	return s + "."
}

// lacksShown is how many missing files a page names.
const lacksShown = 20

// someOf names the first few of a list, and says how many more there are.
func someOf(ctx context.Context, list []string, few int) string {
	if len(list) <= few {
		return commas(list)
	}
	return andMore(ctx, commas(list[:few]), len(list)-few)
}

// andMore says that there are more behind what is named.
func andMore(ctx context.Context, named string, more int) string {
	return many(ctx, more, "%[2]s and %[1]d more", "%[2]s and %[1]d more", named)
}

// orAny is who an invitation is for.
func orAny(ctx context.Context, name string) string { return cmp.Or(name, say(ctx, "any machine")) }

func commas(list []string) string { return strings.Join(list, ", ") }

// logClass marks the lines of a log that a reader looks for; the page's script does the same for new lines.
// LogClass is how a line of a log is marked: "warn", "fail" or "".
func LogClass(line string) string { return logClass(line) }

func logClass(line string) string {
	switch {
	case strings.Contains(line, "WARNING"):
		return "warn"
	case strings.Contains(line, "ERROR"), strings.Contains(strings.ToLower(line), "failed"):
		return "fail"
	}
	return ""
}

// pixels is the size of a picture. Its numbers are not grouped: people know formats by them.
func pixels(width, height int) string { return fmt.Sprintf("%d × %d", width, height) }

func resultWords(ctx context.Context, o farm.OutputRef) string {
	var parts []string
	if o.Width > 0 {
		parts = append(parts, pixels(o.Width, o.Height))
	}
	if o.Frames > 1 {
		parts = append(parts, many(ctx, o.Frames, "%d frame", "%d frames"))
	}
	if o.Duration > 0 {
		parts = append(parts, inWords(ctx).Seconds(o.Duration))
	}
	if o.Audio {
		parts = append(parts, say(ctx, "with sound"))
	}
	return strings.Join(append(parts, inWords(ctx).Size(o.Size)), ", ")
}

// AssetTarget is what an asset changes, as people call it.
func AssetTarget(ctx context.Context, a farm.Asset) string {
	if a.LayerName == "" && a.LayerIndex > 0 {
		return say(ctx, "Layer %s", count(a.LayerIndex))
	}
	return assetColumn(a)
}

// assetColumn is what an asset changes as tables call it, which programs read: it is the same in each language.
func assetColumn(a farm.Asset) string {
	switch {
	case a.LayerName != "":
		return a.LayerName
	case a.LayerIndex > 0:
		return "Layer " + count(a.LayerIndex)
	case a.Name != "":
		return a.Name
	}
	return a.Type
}

// AssetCell is an asset as a cell of a table: the column, and the value as text. ok is false for what is no value, such as a file,
// whose address may hold secrets.
func AssetCell(a farm.Asset) (column, value string, ok bool) {
	if len(a.Value) == 0 {
		return "", "", false
	}
	column = assetColumn(a)
	if a.Property != "" {
		column += "." + a.Property
	}
	if json.Unmarshal(a.Value, &value) != nil {
		value = string(a.Value)
	}
	return column, value, a.MediaValue() == ""
}

// assetWords is what an asset does, in a line; addresses are left out, since they may hold secrets.
func assetWords(ctx context.Context, a farm.Asset) string {
	switch {
	case a.Property != "" && a.Expression != "":
		return say(ctx, "%s by an expression", a.Property)
	case a.Property != "":
		return a.Property + " = " + clip(string(a.Value))
	case len(a.Value) > 0:
		if s, err := strconv.Unquote(string(a.Value)); err == nil {
			return clip(s)
		}
		return clip(string(a.Value))
	}
	return a.Type
}

func clip(s string) string { return clipTo(s, 160) }

func clipTo(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// layerKinds are what kinds of layers and of their media are called.
var layerKinds = map[string]string{
	"text": language.Text("Text"), "av": language.Text("Av"), "shape": language.Text("Shape"), "null": language.Text("Null"), "camera": language.Text("Camera"),
	"light": language.Text("Light"), "image": language.Text("Image"), "video": language.Text("Video"), "audio": language.Text("Audio"), "data": language.Text("Data"),
}

func layerWord(ctx context.Context, l aep.LayerSummary) string {
	kind := cmp.Or(l.Media, l.Type)
	switch {
	case l.Type == "text":
		kind = l.Type
	case l.SourceType == "comp":
		return say(ctx, "Composition")
	case l.SourceType == "solid":
		return say(ctx, "Colour")
	}
	return say(ctx, cmp.Or(layerKinds[kind], kindTitle(kind)))
}

func kindTitle(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func layerHolds(l aep.LayerSummary) string {
	switch {
	case l.Text != "":
		return clip(strings.NewReplacer("\r", " / ", "\x03", " ").Replace(l.Text))
	case l.SourceName != "" && l.SourceName != l.Name:
		return l.SourceName
	}
	return ""
}

// chooseWords are what the button says that chooses a file of a kind.
func chooseWords(ctx context.Context, kind string) string {
	switch kind {
	case "image":
		return say(ctx, "Choose a picture")
	case "video":
		return say(ctx, "Choose a film")
	case "audio":
		return say(ctx, "Choose a sound")
	case "media":
		return say(ctx, "Choose a picture or a film")
	}
	return say(ctx, "Choose a file")
}

func engineWords(ctx context.Context, inv farm.Inventory) string {
	var out []string
	for _, e := range inv.Engines {
		if e.Kind == farm.EngineEmbedded {
			out = append(out, say(ctx, "Overcrank, embedded"))
			continue
		}
		out = append(out, "After Effects "+e.Version)
	}
	if len(out) == 0 {
		return say(ctx, "none")
	}
	return strings.Join(out, ", ")
}

func computerWords(ctx context.Context, inv farm.Inventory) string {
	system := map[string]string{"darwin": "macOS", "windows": "Windows", "linux": "Linux"}[inv.OS]
	if system == "" {
		system = inv.OS
	}
	return say(ctx, "%s, %d processors, %s of memory", system, inv.CPUs, inWords(ctx).Size(inv.Memory))
}

// samplePath is the address of the full-size picture of a frame that was rendered to be looked at first.
func samplePath(j farm.Job, frame int) string {
	return jobPath(j) + "/samples/" + strconv.Itoa(frame) + ".png"
}

func percentWords(ctx context.Context, p float64) string { return unitsKept(say(ctx, "%.0f %%", p)) }

// doneWords say when something is likely to be done.
func doneWords(ctx context.Context, s farm.Span) string {
	if s.Learning && s.High <= 0 {
		return inWords(ctx).Span(s)
	}
	return say(ctx, "done %s", inWords(ctx).In(s))
}

// FirstReel is the address of frames of the first composition that has some, those that jobs render before others; "" when none has.
func (t Template) FirstReel() string {
	if t.Summary == nil {
		return ""
	}
	for _, root := range []bool{true, false} {
		for _, c := range t.Summary.Compositions {
			if reel, drawn := t.Reels[c.ID]; drawn && reel.Why == "" && c.Root == root {
				return templateReel(t.Template, c.ID)
			}
		}
	}
	return ""
}
