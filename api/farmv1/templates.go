package farmv1

import (
	"context"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/library"
	"overcrank/coordinator/templates"
	"overcrank/farm"
)

// farmTemplateBody is what the farm has been told of a template beyond the public interface.
type farmTemplateBody struct {
	ID          string `json:"id"`
	DisplayName string `json:"displayName"`
	Sequential  bool   `json:"sequential"`
	Version     int    `json:"version"` // of its file, from 1
	// RetiredAt is since when it takes no new jobs, null for a template in use.
	RetiredAt answer.Time `json:"retiredAt"`
}

func farmTemplateShape(t farm.Template) farmTemplateBody {
	return farmTemplateBody{ID: t.ID, DisplayName: t.DisplayName, Sequential: t.Sequential, Version: t.VersionNow(), RetiredAt: answer.Time(t.RetiredAt)}
}

// templateHandlers answers for what the farm knows of a template beyond the public interface.
type templateHandlers struct {
	templates  *templates.Catalog
	stored     *library.StoredFiles
	preflights Preflights
	previews   Previews
}

func (h templateHandlers) routes() []route.Route {
	return []route.Route{
		route.Get(root+"/templates", farm.ActView, h.listFarmTemplates),
		route.Post(root+"/templates", farm.ActChangeTemplates, h.assembleTemplate),
		route.Get(root+"/templates/:id", farm.ActView, h.getFarmTemplate),
		route.Patch(root+"/templates/:id", farm.ActChangeTemplates, h.markTemplate),
		route.Get(root+"/templates/:id/versions", farm.ActView, h.listVersions),
		route.Put(root+"/templates/:id/file", farm.ActChangeTemplates, h.giveFile),
		route.Post(root+"/templates/:id/footage", farm.ActChangeTemplates, h.completeTemplate),
		route.Get(root+"/templates/:id/preflight", farm.ActView, h.getTemplatePreflight),
		route.Post(root+"/templates/:id/preview", farm.ActSubmit, h.previewTemplate),
	}
}

// listFarmTemplates answers with the templates in use, or with those that are retired too.
func (h templateHandlers) listFarmTemplates(c *fiber.Ctx, p farm.Principal) error {
	wrong := &input.Problems{}
	retired := input.QueryFlag(c, "retired", wrong)
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	list, err := h.templates.List(ctx, p)
	if err != nil {
		return err
	}
	out := []farmTemplateBody{}
	for _, t := range list {
		if retired || t.RetiredAt.IsZero() {
			out = append(out, farmTemplateShape(t))
		}
	}
	return answer.OK(c, out)
}

func (h templateHandlers) getFarmTemplate(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	t, err := h.templates.Get(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, farmTemplateShape(t))
}

func (h templateHandlers) markTemplate(c *fiber.Ctx, p farm.Principal) error {
	marks, err := input.Body(c, decodeTemplateMarks)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	var t farm.Template
	if marks.sequential != nil {
		if t, err = h.templates.MarkSequential(ctx, p, c.Params("id"), *marks.sequential); err != nil {
			return err
		}
	}
	if marks.retired != nil {
		if t, err = h.templates.Retire(ctx, p, c.Params("id"), *marks.retired); err != nil {
			return err
		}
	}
	if marks.version != 0 {
		if t, err = h.templates.TakeVersion(ctx, p, c.Params("id"), marks.version); err != nil {
			return err
		}
	}
	return answer.OK(c, farmTemplateShape(t))
}

// giveFile gives a template another file, which the farm keeps already.
func (h templateHandlers) giveFile(c *fiber.Ctx, p farm.Principal) error {
	ref, err := input.Body(c, decodeGivenFile)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	if _, err := h.templates.Get(ctx, p, c.Params("id")); err != nil {
		return err
	}
	kept, err := h.stored.Kept(ctx, p, []farm.FileRef{ref})
	if err != nil {
		return err
	}
	file, there := kept[ref.SHA256]
	if !there {
		return farm.Invalid("the template cannot take the file", farm.Field("src", "is not, or no longer, a file that your team keeps; hand it over again"))
	}
	t, err := h.templates.Give(ctx, p, c.Params("id"), file)
	if err != nil {
		return err
	}
	return answer.OK(c, farmTemplateShape(t))
}

func decodeGivenFile(body []byte) (farm.FileRef, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return farm.FileRef{}, err
	}
	o.Only("src")
	return farm.FileRef{SHA256: readKept(o)}, wrong.Err()
}

// templateMarks are what a caller says of a template; nil stays as it is.
type templateMarks struct {
	sequential, retired *bool
	version             int // that becomes the present one, 0 for none
}

func decodeTemplateMarks(body []byte) (templateMarks, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return templateMarks{}, err
	}
	o.Only("sequential", "retired", "version")
	marks := templateMarks{sequential: o.Boolean("sequential"), retired: o.Boolean("retired")}
	marks.version, _ = o.Whole("version", 1, farm.MostVersionNumber)
	if !o.Has("sequential") && !o.Has("retired") && !o.Has("version") {
		o.Problem("sequential", "is missing; give sequential, retired, version, or several of them")
	}
	return marks, wrong.Err()
}

// assembly is a template that is put together of files that the farm keeps.
type assembly struct {
	displayName string
	names       []string
	files       []farm.FileRef
}

// assembleTemplate puts a template together. Large files take a while to copy, so the request lasts as long as an upload may.
func (h templateHandlers) assembleTemplate(c *fiber.Ctx, p farm.Principal) error {
	in, err := input.Body(c, decodeAssembly)
	if err != nil {
		return err
	}
	ctx := request.Transfer(c)
	pieces, err := h.pieces(ctx, p, in)
	if err != nil {
		return err
	}
	t, err := h.templates.Assemble(ctx, p, in.displayName, pieces)
	if err != nil {
		return err
	}
	return answer.Created(c, farmTemplateShape(t))
}

// completeTemplate puts files that a template lacks to what it has. Large files take a while to copy, as above.
func (h templateHandlers) completeTemplate(c *fiber.Ctx, p farm.Principal) error {
	in, err := input.Body(c, decodeCompletion)
	if err != nil {
		return err
	}
	ctx := request.Transfer(c)
	if _, err := h.templates.Get(ctx, p, c.Params("id")); err != nil {
		return err
	}
	pieces, err := h.pieces(ctx, p, in)
	if err != nil {
		return err
	}
	t, err := h.templates.Complete(ctx, p, c.Params("id"), pieces)
	if err != nil {
		return err
	}
	return answer.OK(c, farmTemplateShape(t))
}

// pieces finds the files of an assembly.
func (h templateHandlers) pieces(ctx context.Context, p farm.Principal, in assembly) ([]templates.Piece, error) {
	kept, err := h.stored.Kept(ctx, p, in.files)
	if err != nil {
		return nil, err
	}
	wrong := &input.Problems{}
	pieces := make([]templates.Piece, len(in.files))
	for i, ref := range in.files {
		file, there := kept[ref.SHA256]
		if !there {
			wrong.Add(input.MemberPath(input.ElementPath("files", i), "src"), "is not, or no longer, a file that your team keeps; hand it over again")
		}
		pieces[i] = templates.Piece{Name: in.names[i], File: file}
	}
	return pieces, wrong.Err()
}

// decodeAssembly reads what a template is put together of.
func decodeAssembly(body []byte) (assembly, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return assembly{}, err
	}
	o.Only("displayName", "files")
	in := assembly{displayName: strings.TrimSpace(o.NeedText("displayName", input.NameLimit))}
	in.readFiles(o)
	return in, wrong.Err()
}

// decodeCompletion reads which files a template is completed with.
func decodeCompletion(body []byte) (in assembly, err error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return in, err
	}
	o.Only("files")
	in.readFiles(o)
	return in, wrong.Err()
}

// readFiles reads files that the farm keeps, with their names.
func (in *assembly) readFiles(o input.Object) {
	if !o.Need("files") {
		return
	}
	list := o.List("files")
	if len(list) > templates.MostAssembled {
		o.Problem("files", "holds %d files; %d are allowed", len(list), templates.MostAssembled)
		return
	}
	o.Objects(list, "an object", func(each input.Object) {
		each.Only("name", "src")
		in.names = append(in.names, each.NeedText("name", input.AddressLimit))
		in.files = append(in.files, farm.FileRef{SHA256: readKept(each)})
	})
}

// readKept reads the hash of a farm: address.
func readKept(o input.Object) string {
	src := o.NeedText("src", input.AddressLimit)
	hash, kept := strings.CutPrefix(src, farm.KeptScheme)
	if src != "" && (!kept || !farm.IsSHA256(hash)) {
		o.Problem("src", "has to be what the farm gave for a file that it keeps: farm:// and 64 hexadecimal digits")
	}
	return hash
}
