package api

import (
	"strconv"
	"strings"
	"time"

	"overcrank/farm"
	"overcrank/farm/codec"
	"overcrank/farm/names"
)

const (
	nameLimit    = 255
	addressLimit = 8 << 10
	tagLimit     = 100 // tags of one job
	// The bounds of a job's priority.
	lowestPriority, highestPriority = -1000, 1000
	assetLimit                      = 10_000
	// frameLimit is far beyond what After Effects takes (three hours at 999 frames a second are 10,789,200).
	frameLimit = 20_000_000
)

// codecs lists what settings.codec may name, by the kind of result.
var codecs = map[string][]string{"video": codec.Films(), "image": codec.Stills(), "aep": nil}

// ReadJob reads a job as the body of POST /jobs holds it. Its error names every field that is wrong; its warnings name those that
// nobody knows.
func ReadJob(body []byte) (farm.Job, error) { return readSubmission(body, &problems{}) }

// readSubmission reads a job that is submitted.
func readSubmission(body []byte, wrong *problems) (farm.Job, error) {
	o, err := readObject(body, wrong)
	if err != nil {
		return farm.Job{}, err
	}
	job := readJob(o)
	checkFamily(job, wrong)
	warnOfNearlySecrets(body, wrong)
	job.Warnings = wrong.warnings
	return job, wrong.err()
}

// readJob reads a job from an object; unknown keys are tolerated at this level, as the public interface has it.
func readJob(o object) farm.Job {
	o.passOver(jobKeys)
	job := readOrder(o)
	readSteps(o, &job)
	readRender(o, &job)
	readDelivery(o, &job)
	return job
}

// readOrder reads a job's place in the queue, and what people call it by: the farm's own additions at the root.
func readOrder(o object) farm.Job {
	job := farm.Job{
		Name:        o.text("name", nameLimit),
		Tags:        readTags(o, "tags"),
		Level:       farm.Level(o.choice("level", levelNames()...)),
		NotBefore:   readTime(o, "notBefore"),
		RequireTags: o.fewTexts("requireTags", nameLimit, tagLimit),
		AnyTags:     o.fewTexts("anyTags", nameLimit, tagLimit),
		NoTags:      o.fewTexts("noTags", nameLimit, tagLimit),
		MinMemory:   readMemory(o, "minMemory"),
		OS:          readOS(o),
		Limits:      o.fewTexts("limits", nameLimit, farm.MaxPolicyLimits),
		Hold:        o.flag("hold"),
		Sequential:  o.flag("sequential"),
	}
	job.Priority, _ = o.whole("priority", lowestPriority, highestPriority)
	job.MaxMachines, _ = o.whole("maxMachines", 0, mostCount)
	job.MaxAttempts, _ = o.whole("maxAttempts", 0, farm.MostAttempts)
	return job
}

// readSteps reads whether some frames come before the rest, and whether somebody has to approve of them.
func readSteps(o object, job *farm.Job) {
	first := o.boolean("previewFirst")
	job.Approve = o.flag("approve")
	job.PreviewFirst = job.Approve || first != nil && *first
	if job.Approve && first != nil && !*first {
		o.problem("previewFirst", "cannot be false together with approve: there would be nothing to approve of")
	}
}

// readOS reads which operating system a machine has to have, as Go names it.
func readOS(o object) string {
	system := o.choice("os", "windows", "macos", "darwin", "linux")
	if system == "macos" {
		return "darwin"
	}
	return system
}

// sizeUnits are what may stand behind a number of bytes.
var sizeUnits = map[string]float64{
	"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40,
}

// mostMemory is beyond all machines, in bytes.
const mostMemory = 1 << 50

// readMemory reads a size as a number of bytes, or in words such as "16GB". A gigabyte is 10⁹ bytes there, which every machine that
// is sold with so many has, though some of them is not for programs.
func readMemory(o object, key string) int64 {
	var bytes float64
	var given bool
	if o.has(key) && kindOf(o.raw(key)) == kindString {
		text := strings.ToUpper(strings.TrimSpace(o.text(key, 64)))
		number := strings.TrimRight(text, "KMGTIB ")
		unit, known := sizeUnits[strings.TrimSpace(text[len(number):])]
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !known {
			o.problem(key, "has to be a number of bytes, or a size such as 16GB")
			return 0
		}
		bytes, given = n*unit, true
	} else {
		bytes, given = o.number(key)
	}
	if given && !(bytes >= 0 && bytes <= mostMemory) {
		o.problem(key, "has to be between 0 and %d bytes", int64(mostMemory))
		return 0
	}
	return int64(bytes)
}

// readRender reads what a job renders: project, assets, settings.
func readRender(o object, job *farm.Job) {
	job.Preview = o.flag("preview")
	job.Fonts = readFonts(o)
	job.Template = readJobTemplate(o)
	job.Assets = readAssets(o)
	settings, given := o.filled("settings")
	if job.Preview && given {
		o.problem("settings", "cannot be given together with preview: a preview has settings of its own")
	}
	if given {
		job.Settings = readSettings(settings)
	}
}

// readDelivery reads where a result goes, and who is told.
func readDelivery(o object, job *farm.Job) {
	job.Upload = readUpload(o)
	job.Webhook = readWebhook(o)
}

func readJobTemplate(o object) farm.JobTemplate {
	if !o.need("template") {
		return farm.JobTemplate{}
	}
	t, isObject := o.child("template")
	if !isObject {
		return farm.JobTemplate{}
	}
	out := farm.JobTemplate{
		ID:          strings.TrimSpace(t.text("id", nameLimit)),
		Src:         readAddress(t, "src"),
		Composition: t.text("composition", addressLimit),
	}
	if !t.has("id") && !t.has("src") {
		t.problem("id", "is missing; name a template by id, or a project by src")
	} else if out.ID == "" && out.Src == "" && kindOf(t.raw("id")) == kindString {
		t.problem("id", "is empty")
	}
	return out
}

// readTags reads tags given as a list or as one comma list.
func readTags(o object, key string) []string {
	var tags []string
	if o.has(key) && kindOf(o.raw(key)) == kindString {
		tags = splitList(o.text(key, addressLimit))
	} else {
		tags = o.texts(key, nameLimit)
	}
	if len(tags) > tagLimit {
		o.problem(key, "holds %d tags; %d are allowed", len(tags), tagLimit)
		return nil
	}
	for i, tag := range tags {
		tags[i] = strings.TrimSpace(tag)
		if strings.Contains(tag, ",") {
			o.wrong.add(elementPath(o.field(key), i), "holds a comma, which separates tags where jobs are listed")
		}
	}
	return tags
}

// splitList splits a comma list and leaves out what is blank.
func splitList(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

func readTime(o object, key string) time.Time {
	s := o.text(key, 64)
	if s == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, s)
	t = t.UTC()
	if err != nil || t.Year() < 0 || t.Year() > 9999 { // as written; in UTC it may be another
		o.problem(key, "has to be a time such as 2026-11-21T18:30:00Z, not %q", s)
		return time.Time{}
	}
	return t
}

// readFonts reads file names of fonts. They name fonts of the team's library, never paths.
func readFonts(o object) []string {
	fonts := o.texts("fonts", nameLimit)
	for i, name := range fonts {
		if !plainFileName(name) {
			o.wrong.add(elementPath(o.field("fonts"), i), "has to be the file name of a font, not a path")
		}
	}
	return fonts
}

// plainFileName tells whether a name is one part of a path on every platform.
func plainFileName(name string) bool { return len(name) <= nameLimit && names.IsElement(name) }

func readSettings(s object) farm.Settings {
	s.only("type", "frames", "quality", "codec", "engine")
	out := farm.Settings{
		Type:    s.choice("type", "video", "image", "aep"),
		Frames:  readFrames(s),
		Quality: s.choice("quality", "draft", "full"),
		Engine:  s.choice("engine", "ae2025", "ae2026"),
	}
	kind := out.Type
	if kind == "" {
		kind = "video"
	}
	if allowed := codecs[kind]; len(allowed) > 0 {
		out.Codec = s.choice("codec", allowed...)
	} else if s.has("codec") {
		s.problem("codec", "has no meaning for the type %s", kind)
	}
	if kind == "aep" && s.has("frames") {
		s.problem("frames", "has no meaning for the type aep: the result is the project, not frames of it")
	}
	if kind == "image" && !s.has("frames") {
		s.problem("frames", "is missing; an image needs the number of its frame, or [first, last] for several")
	}
	return out
}

// readFrames reads one frame, or the first and the last of several. Frames count from 0.
func readFrames(s object) *farm.Frames {
	const key = "frames"
	if !s.has(key) {
		return nil
	}
	if kindOf(s.raw(key)) != kindList {
		if kindOf(s.raw(key)) != kindNumber {
			s.mistyped(key, "a frame number or [first, last]")
			return nil
		}
		n, valid := s.whole(key, 0, frameLimit)
		if !valid {
			return nil
		}
		return &farm.Frames{Start: n, End: n, Single: true}
	}
	pair := s.list(key)
	if len(pair) != 2 {
		s.problem(key, "has to hold two frame numbers, the first and the last, not %d values", len(pair))
		return nil
	}
	var ends [2]int
	for i, raw := range pair {
		n, problem := wholeOf(raw, 0, frameLimit)
		if problem != "" {
			s.wrong.add(elementPath(s.field(key), i), "%s", problem)
			return nil
		}
		ends[i] = n
	}
	if ends[1] <= ends[0] {
		s.problem(key, "has to end after it starts: [%d, %d] does not; for one frame give its number alone", ends[0], ends[1])
		return nil
	}
	return &farm.Frames{Start: ends[0], End: ends[1]}
}
