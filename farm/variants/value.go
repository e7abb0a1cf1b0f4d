package variants

import (
	"encoding/json"
	"errors"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"overcrank/farm"
)

// optionNames are the properties of the job that a column may set, with "@" before them.
var optionNames = []string{"name", "tags", "priority", "level", "composition", "preview", "codec", "type", "frames", "notBefore", "hold", "project", "output"}

// setOption sets a property of the job.
func (v *Variant) setOption(name, cell string) error {
	switch name {
	case "output":
		v.Output = cell
	case "name", "notBefore", "project":
		v.Job[name] = cell
	case "tags":
		v.Job[name] = append(stringsOf(v.Job[name]), splitTags(cell)...)
	case "priority":
		n, err := strconv.Atoi(cell)
		if err != nil || n < -1000 || n > 1000 {
			return farm.Errorf(farm.CodeInvalid, "'%s' is not a whole number from -1000 to 1000", brief(cell))
		}
		v.Job[name] = n
	case "level":
		levels := []string{"rush", "normal", "overnight"}
		if !slices.Contains(levels, strings.ToLower(cell)) {
			return farm.Errorf(farm.CodeInvalid, "'%s' is none of %s", brief(cell), strings.Join(levels, ", "))
		}
		v.Job[name] = strings.ToLower(cell)
	case "preview", "hold":
		yes, err := yesOrNo(cell)
		if err != nil {
			return err
		}
		v.Job[name] = yes
	case "composition":
		v.within("template")["composition"] = cell
	case "frames":
		frames, err := Frames(cell)
		if err != nil {
			return err
		}
		v.within("settings")["frames"] = frames
	default: // codec, type
		v.within("settings")[name] = cell
	}
	return nil
}

// within is an object of the job; it is created if missing.
func (v *Variant) within(key string) map[string]any {
	m, _ := v.Job[key].(map[string]any)
	if m == nil {
		m = map[string]any{}
		v.Job[key] = m
	}
	return m
}

// Frames reads "N" or "FIRST-LAST" into the form of settings.frames.
func Frames(text string) (any, error) {
	first, last, isRange := strings.Cut(text, "-")
	a, err := strconv.Atoi(strings.TrimSpace(first))
	if err == nil && !isRange {
		return a, nil
	}
	b, err2 := strconv.Atoi(strings.TrimSpace(last))
	if err != nil || err2 != nil {
		return nil, farm.Errorf(farm.CodeInvalid, "'%s': write it as N or FIRST-LAST", brief(text))
	}
	return []int{a, b}, nil
}

func stringsOf(v any) []string {
	switch list := v.(type) {
	case []string:
		return slices.Clone(list)
	case []any:
		var out []string
		for _, e := range list {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
		return out
	case string:
		return splitTags(list)
	}
	return nil
}

func splitTags(text string) []string {
	var out []string
	for _, tag := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' }) {
		if tag = strings.TrimSpace(tag); tag != "" {
			out = append(out, tag)
		}
	}
	return out
}

func yesOrNo(cell string) (bool, error) {
	switch strings.ToLower(cell) {
	case "true", "yes", "y", "1", "x":
		return true, nil
	case "false", "no", "n", "0":
		return false, nil
	}
	return false, farm.Errorf(farm.CodeInvalid, "'%s' is neither yes nor no", brief(cell))
}

// mediaEndings lists the file extensions of each kind of asset.
var mediaEndings = []struct{ kind, endings string }{
	{"image", "png jpg jpeg jfif tif tiff psd ai eps pdf svg webp gif bmp tga exr dpx hdr heic avif"},
	{"video", "mp4 mov m4v avi mkv webm mxf mpg mpeg wmv flv ogv mts m2ts 3gp"},
	{"audio", "wav mp3 aac m4a aif aiff flac ogg oga opus wma"},
}

// mediaOf is the kind of asset that a file is: by its extension, by the type of a data: address, or else by what the
// layer shows now.
func mediaOf(src, now string) (string, error) {
	if rest, ok := strings.CutPrefix(src, "data:"); ok {
		kind, _, _ := strings.Cut(rest, "/")
		if kind == "image" || kind == "video" || kind == "audio" {
			return kind, nil
		}
	}
	address, _, _ := strings.Cut(src, "?")
	address, _, _ = strings.Cut(address, "#")
	ending := strings.ToLower(strings.TrimPrefix(path.Ext(strings.ReplaceAll(address, `\`, "/")), "."))
	for _, m := range mediaEndings {
		if ending != "" && slices.Contains(strings.Fields(m.endings), ending) {
			return m.kind, nil
		}
	}
	if now == "image" || now == "video" || now == "audio" {
		return now, nil
	}
	return "", farm.Errorf(farm.CodeInvalid, "neither its extension nor the layer says whether '%s' is a picture, a film or a sound", brief(src))
}

var (
	hexColour = regexp.MustCompile(`^#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$`)
	commaed   = regexp.MustCompile(`^-?[0-9]+,[0-9]+$`)
)

// dataValue is a cell as the value of a property: text for the source text, a colour for a colour property, otherwise a
// number, other JSON, or text.
func dataValue(property, cell string, delimiter rune) any {
	if folded := strings.ToLower(property); folded == "source text" || folded == "adbe text document" {
		return cell
	}
	return value(property, cell, delimiter)
}

// fieldValue is a cell as the value of a panel's field.
func fieldValue(typ, cell string, delimiter rune) any {
	switch typ {
	case "text", "media":
		return cell
	case "checkbox":
		if yes, err := yesOrNo(strings.TrimSpace(cell)); err == nil {
			return yes
		}
	}
	return value(typ, cell, delimiter)
}

func value(property, cell string, delimiter rune) any {
	trimmed := strings.TrimSpace(cell)
	if hexColour.MatchString(trimmed) && isColour(property) {
		return colour(trimmed[1:])
	}
	// When semicolons separate the cells, the comma is the decimal point.
	if delimiter == ';' && commaed.MatchString(trimmed) {
		trimmed = strings.Replace(trimmed, ",", ".", 1)
	}
	if v, err := JSON(trimmed); err == nil {
		return v
	}
	return cell
}

func isColour(property string) bool {
	folded := strings.ToLower(property)
	return strings.Contains(folded, "color") || strings.Contains(folded, "colour")
}

// colour converts hexadecimal digits into red, green and blue from 0 to 1.
func colour(digits string) []float64 {
	if len(digits) == 3 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	out := make([]float64, 3)
	for i := range out {
		n, _ := strconv.ParseUint(digits[2*i:2*i+2], 16, 8)
		out[i] = float64(int(float64(n)/255*10000+0.5)) / 10000
	}
	return out
}

// JSON reads one JSON value; numbers keep their digits.
func JSON(text string) (any, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, farm.Errorf(farm.CodeInvalid, "there is more after the value")
	}
	return v, nil
}
