package farmv1

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"overcrank/aep"
	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/library"
	"overcrank/farm"
)

// Limits of one preflight.
const (
	mostFilesAsked = 10_000
	mostNamesAsked = 1_000 // fonts, and effects
	mostBytesAsked = 1 << 50
)

// preflightBody is what the farm has of the files, fonts and effects of a project.
type preflightBody struct {
	Machines       int          `json:"machines"`
	EngineMachines int          `json:"engineMachines"`
	Files          []askedFile  `json:"files"`
	Fonts          []askedFont  `json:"fonts"`
	Effects        []askedThing `json:"effects"`
}

// askedFile is a file that was asked for. Src is its address on the farm, null when the farm does not have it.
type askedFile struct {
	SHA256 string  `json:"sha256"`
	Src    *string `json:"src"`
}

// askedFont is a font, and whether the team's library has it.
type askedFont struct {
	Name     string `json:"name"`
	Library  bool   `json:"library"`
	Machines int    `json:"machines"`
}

// askedThing is an effect, and whether it is part of After Effects.
type askedThing struct {
	Name     string `json:"name"`
	Own      bool   `json:"own"`
	Machines int    `json:"machines"`
}

// preflightHandlers serves preflights: what a submission would find on the farm.
type preflightHandlers struct {
	machines Machines
	stored   *library.StoredFiles
	fonts    *library.Fonts
}

func (h preflightHandlers) routes() []route.Route {
	return []route.Route{
		route.Post(root+"/preflight", farm.ActSubmit, h.preflight),
	}
}

// asked is what a preflight asks for.
type asked struct {
	files          []farm.FileRef
	fonts, effects []string
	engine         string
}

// preflight says what the farm has. It changes nothing.
func (h preflightHandlers) preflight(c *fiber.Ctx, p farm.Principal) error {
	in, err := input.Body(c, decodePreflight)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	known, err := h.stored.Known(ctx, p, in.files)
	if err != nil {
		return err
	}
	missing, err := h.fonts.Lacking(ctx, p, in.fonts)
	if err != nil {
		return err
	}
	has, err := h.machines.Equipment(ctx, p, in.fonts, in.effects, in.engine)
	if err != nil {
		return err
	}
	body := preflightBody{
		Machines: has.Machines, EngineMachines: has.Engine,
		Files: make([]askedFile, len(in.files)), Fonts: make([]askedFont, len(in.fonts)), Effects: make([]askedThing, len(in.effects)),
	}
	for i, ref := range in.files {
		body.Files[i].SHA256 = ref.SHA256
		if known[i].SHA256 != "" {
			src := known[i].Src()
			body.Files[i].Src = &src
		}
	}
	for i, name := range in.fonts {
		body.Fonts[i] = askedFont{Name: name, Library: !slices.Contains(missing, name), Machines: has.Fonts[name]}
	}
	for i, name := range in.effects {
		body.Effects[i] = askedThing{Name: name, Own: aep.OwnEffect(name), Machines: has.Effects[name]}
	}
	return answer.OK(c, body)
}

// decodePreflight reads what is asked for; everything may be left out.
func decodePreflight(body []byte) (asked, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return asked{}, err
	}
	o.Only("files", "fonts", "effects", "engine")
	in := asked{
		fonts: o.FewTexts("fonts", input.NameLimit, mostNamesAsked), effects: o.FewTexts("effects", input.NameLimit, mostNamesAsked),
		engine: o.Choice("engine", "ae2025", "ae2026"),
	}
	list := o.List("files")
	if len(list) > mostFilesAsked {
		o.Problem("files", "holds %d files; %d are allowed", len(list), mostFilesAsked)
		return in, wrong.Err()
	}
	o.Objects(list, "an object", func(each input.Object) {
		each.Only("sha256", "size")
		ref := farm.FileRef{SHA256: each.NeedText("sha256", input.NameLimit)}
		if ref.SHA256 != "" && !farm.IsSHA256(ref.SHA256) {
			each.Problem("sha256", "has to be 64 hexadecimal digits in lower case")
		}
		if each.Need("size") {
			size, _ := each.Whole("size", 0, mostBytesAsked)
			ref.Size = int64(size)
		}
		in.files = append(in.files, ref)
	})
	return in, wrong.Err()
}
