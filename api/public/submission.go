package public

import (
	"slices"
	"strconv"
	"strings"

	"overcrank/api/input"
	"overcrank/farm"
	"overcrank/farm/codec"
)

const (
	assetLimit = 10_000
	// frameLimit is far beyond what After Effects takes (three hours at 999 frames a second are 10,789,200).
	frameLimit = 20_000_000
)

// codecs lists what settings.codec may name, by the kind of result.
var codecs = map[string][]string{"video": codec.Films(), "image": codec.Stills(), "aep": nil}

// ReadJob reads a job as the body of POST /jobs holds it. Its error names every field that is wrong; its warnings name those that
// nobody knows.
func ReadJob(body []byte) (farm.Job, error) { return readSubmission(body, &input.Problems{}) }

// readSubmission reads a job that is submitted.
func readSubmission(body []byte, wrong *input.Problems) (farm.Job, error) {
	o, err := input.Read(body, wrong)
	if err != nil {
		return farm.Job{}, err
	}
	job := readJob(o)
	checkFamily(job, wrong)
	warnOfNearlySecrets(body, wrong)
	job.Warnings = wrong.Warnings
	return job, wrong.Err()
}

// jobKeys are the fields of a job.
var jobKeys = slices.Concat(orderKeys, stepKeys, renderKeys, deliveryKeys)

// readJob reads a job from an object; unknown keys are tolerated at this level, as the public interface has it.
func readJob(o input.Object) farm.Job {
	o.PassOver(jobKeys)
	job := readOrder(o)
	readSteps(o, &job)
	readRender(o, &job)
	readDelivery(o, &job)
	return job
}

// orderKeys are the fields that readOrder reads.
var orderKeys = []string{
	"name", "tags", "level", "notBefore", "requireTags", "anyTags", "noTags", "minMemory", "os", "limits", "hold", "sequential", "priority",
	"maxMachines", "maxAttempts", "project",
}

// readOrder reads a job's place in the queue, and what people call it by: the farm's own additions at the root.
func readOrder(o input.Object) farm.Job {
	job := farm.Job{
		Name:        o.Text("name", input.NameLimit),
		Tags:        input.Tags(o, "tags"),
		Level:       farm.Level(o.Choice("level", input.LevelNames()...)),
		NotBefore:   input.Time(o, "notBefore"),
		RequireTags: o.FewTexts("requireTags", input.NameLimit, input.TagLimit),
		AnyTags:     o.FewTexts("anyTags", input.NameLimit, input.TagLimit),
		NoTags:      o.FewTexts("noTags", input.NameLimit, input.TagLimit),
		MinMemory:   readMemory(o, "minMemory"),
		OS:          readOS(o),
		Limits:      o.FewTexts("limits", input.NameLimit, farm.MaxPolicyLimits),
		Hold:        o.Flag("hold"),
		Sequential:  o.Flag("sequential"),
		ProjectID:   strings.TrimSpace(o.Text("project", input.NameLimit)), // or its name, until the farm has looked it up
	}
	job.Priority, _ = o.Whole("priority", input.LowestPriority, input.HighestPriority)
	job.MaxMachines, _ = o.Whole("maxMachines", 0, input.MostCount)
	job.MaxAttempts, _ = o.Whole("maxAttempts", 0, farm.MostAttempts)
	return job
}

// stepKeys are the fields that readSteps reads.
var stepKeys = []string{"previewFirst", "approve"}

// readSteps reads whether some frames come before the rest, and whether somebody has to approve of them.
func readSteps(o input.Object, job *farm.Job) {
	first := o.Boolean("previewFirst")
	job.Approve = o.Flag("approve")
	job.PreviewFirst = job.Approve || first != nil && *first
	if job.Approve && first != nil && !*first {
		o.Problem("previewFirst", "cannot be false together with approve: there would be nothing to approve of")
	}
}

// readOS reads which operating system a machine has to have, as Go names it.
func readOS(o input.Object) string {
	system := o.Choice("os", "windows", "macos", "darwin", "linux")
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
func readMemory(o input.Object, key string) int64 {
	var bytes float64
	var given bool
	if o.Has(key) && input.KindOf(o.Raw(key)) == input.KindString {
		text := strings.ToUpper(strings.TrimSpace(o.Text(key, 64)))
		number := strings.TrimRight(text, "KMGTIB ")
		unit, known := sizeUnits[strings.TrimSpace(text[len(number):])]
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !known {
			o.Problem(key, "has to be a number of bytes, or a size such as 16GB")
			return 0
		}
		bytes, given = n*unit, true
	} else {
		bytes, given = o.Number(key)
	}
	if given && !(bytes >= 0 && bytes <= mostMemory) {
		o.Problem(key, "has to be between 0 and %d bytes", int64(mostMemory))
		return 0
	}
	return int64(bytes)
}

// renderKeys are the fields that readRender reads.
var renderKeys = []string{"preview", "fonts", "template", "assets", "settings"}

// readRender reads what a job renders: project, assets, settings.
func readRender(o input.Object, job *farm.Job) {
	job.Preview = o.Flag("preview")
	job.Fonts = readFonts(o)
	job.Template = readJobTemplate(o)
	job.Assets = ReadAssets(o)
	settings, given := o.Filled("settings")
	if job.Preview && given {
		o.Problem("settings", "cannot be given together with preview: a preview has settings of its own")
	}
	if given {
		job.Settings = readSettings(settings)
		needFrames(settings, job.Settings)
	}
}

// deliveryKeys are the fields that readDelivery reads.
var deliveryKeys = []string{"upload", "webhook"}

// readDelivery reads where a result goes, and who is told.
func readDelivery(o input.Object, job *farm.Job) {
	job.Upload = readUpload(o)
	job.Webhook = readWebhook(o)
}

func readJobTemplate(o input.Object) farm.JobTemplate {
	if !o.Need("template") {
		return farm.JobTemplate{}
	}
	t, isObject := o.Child("template")
	if !isObject {
		return farm.JobTemplate{}
	}
	out := farm.JobTemplate{
		ID:          strings.TrimSpace(t.Text("id", input.NameLimit)),
		Src:         readAddress(t, "src"),
		Composition: t.Text("composition", input.AddressLimit),
	}
	out.Version, _ = t.Whole("version", 1, farm.MostVersionNumber)
	if out.Version > 0 && !t.Has("id") {
		t.Problem("version", "is that of a template: name one by id")
	}
	if !t.Has("id") && !t.Has("src") {
		t.Problem("id", "is missing; name a template by id, or a project by src")
	} else if out.ID == "" && out.Src == "" && input.KindOf(t.Raw("id")) == input.KindString {
		t.Problem("id", "is empty")
	}
	return out
}

// readFonts reads file names of fonts. They name fonts of the team's library, never paths.
func readFonts(o input.Object) []string {
	fonts := o.Texts("fonts", input.NameLimit)
	for i, name := range fonts {
		if !input.PlainFileName(name) {
			o.Wrong.Add(input.ElementPath(o.Field("fonts"), i), "has to be the file name of a font, not a path")
		}
	}
	return fonts
}

func readSettings(s input.Object) farm.Settings {
	s.Only("type", "frames", "quality", "codec", "engine", "missingFootage", "reuseFrames")
	out := farm.Settings{
		Type:    s.Choice("type", "video", "image", "aep"),
		Frames:  readFrames(s),
		Quality: s.Choice("quality", "draft", "full"),
		Engine:  s.Choice("engine", "ae2025", "ae2026"),
	}
	if s.Choice("missingFootage", "fail", farm.FootageBars) == farm.FootageBars {
		out.MissingFootage = farm.FootageBars
	}
	if reuse := s.Boolean("reuseFrames"); reuse != nil {
		out.DrawAll = !*reuse
	}
	kind := out.Type
	if kind == "" {
		kind = "video"
	}
	if allowed := codecs[kind]; len(allowed) > 0 {
		out.Codec = s.Choice("codec", allowed...)
	} else if s.Has("codec") {
		s.Problem("codec", "has no meaning for the type %s", kind)
	}
	if kind == "aep" && s.Has("frames") {
		s.Problem("frames", "has no meaning for the type aep: the result is the project, not frames of it")
	}
	return out
}

// needFrames notes when the settings of pictures do not say of which frames.
func needFrames(s input.Object, read farm.Settings) {
	if read.Type == "image" && !s.Has("frames") {
		s.Problem("frames", "is missing; an image needs the number of its frame, or [first, last] for several")
	}
}

// readFrames reads one frame, or the first and the last of several. Frames count from 0.
func readFrames(s input.Object) *farm.Frames {
	const key = "frames"
	if !s.Has(key) {
		return nil
	}
	if input.KindOf(s.Raw(key)) != input.KindList {
		if input.KindOf(s.Raw(key)) != input.KindNumber {
			s.Mistyped(key, "a frame number or [first, last]")
			return nil
		}
		n, valid := s.Whole(key, 0, frameLimit)
		if !valid {
			return nil
		}
		return &farm.Frames{Start: n, End: n, Single: true}
	}
	pair := s.List(key)
	if len(pair) != 2 {
		s.Problem(key, "has to hold two frame numbers, the first and the last, not %d values", len(pair))
		return nil
	}
	var ends [2]int
	for i, e := range pair {
		n, problem := input.WholeOf(e.Raw(), 0, frameLimit)
		if !problem.IsZero() {
			e.Problem(s.Wrong, "%s", problem)
			return nil
		}
		ends[i] = n
	}
	if ends[1] <= ends[0] {
		s.Problem(key, "has to end after it starts: [%d, %d] does not; for one frame give its number alone", ends[0], ends[1])
		return nil
	}
	return &farm.Frames{Start: ends[0], End: ends[1]}
}
