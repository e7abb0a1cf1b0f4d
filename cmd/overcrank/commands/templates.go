package commands

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
	"overcrank/farm/wording"
)

type Templates struct {
	List         templatesList         `cmd:"" default:"withargs" help:"List templates."`
	Show         templatesShow         `cmd:"" help:"Show a template with its compositions and layers."`
	Add          templatesAdd          `cmd:"" help:"Add a project as a template."`
	Replace      templatesReplace      `cmd:"" help:"Replace the file of a template, which is then read again."`
	Rename       templatesRename       `cmd:"" help:"Rename a template."`
	Mark         templatesMark         `cmd:"" help:"Set whether one machine renders each film of a template as a whole."`
	Download     templatesDownload     `cmd:"" help:"Download the file of a template."`
	Delete       templatesDelete       `cmd:"" help:"Delete templates."`
	Compositions templatesCompositions `cmd:"" help:"List a template's compositions."`
	Layers       templatesLayers       `cmd:"" help:"List a template's layers."`
}

// templateRef is a template on the command line, by its id or by its name.
type templateRef struct {
	Template string `arg:"" help:"Id or name of the template." complete:"template"`
}

// find gives a client of the farm, and the id that the reference means there.
func (r templateRef) find(ctx context.Context, on remote) (c *client.Client, id string, err error) {
	if c, err = on.client(); err != nil {
		return nil, "", err
	}
	id, err = findTemplate(ctx, c, r.Template)
	return c, id, err
}

func findTemplate(ctx context.Context, c *client.Client, ref string) (string, error) {
	if idForm.MatchString(ref) {
		return ref, nil
	}
	list, err := c.Templates(ctx)
	if err != nil {
		return "", err
	}
	t, err := pick(list.Items, "template", ref, func(t client.Template) (string, string) { return t.ID, t.DisplayName })
	return t.ID, err
}

// templateNames are the names of the team's templates, by id.
type templateNames map[string]string

// namesOfTemplates asks for them; without an answer templates go by their ids.
func namesOfTemplates(ctx context.Context, c *client.Client) templateNames {
	list, err := c.Templates(ctx)
	if err != nil {
		return nil
	}
	named := templateNames{}
	for _, t := range list.Items {
		named[t.ID] = t.DisplayName
	}
	return named
}

// of is what people call a template; "" for none.
func (n templateNames) of(id *string) string {
	if id == nil {
		return ""
	}
	if name := n[*id]; name != "" {
		return name
	}
	return *id
}

type templatesList struct{ remote }

func (l templatesList) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.client()
	if err != nil {
		return err
	}
	list, err := c.Templates(ctx)
	if err != nil {
		return err
	}
	if l.JSON {
		return out.Answer(list.JSON())
	}
	if len(list.Items) == 0 {
		out.Remark("No templates. Add one with: overcrank templates add spot.zip --wait")
		return nil
	}
	t := terminal.NewTable("TEMPLATE", "NAME", "TYPE", "STATE", "CHANGED")
	for _, item := range list.Items {
		t.Row(item.ID, item.DisplayName, item.Type, templateState(item), terminal.LocalTime(item.UpdatedAt))
	}
	if err := out.Table(t); err != nil {
		return err
	}
	for _, item := range list.Items {
		if item.Waits != "" {
			out.Remark("%s: %s", item.DisplayName, item.Waits)
		}
	}
	return nil
}

// templateState is a template's state with what is amiss.
func templateState(t client.Template) string {
	switch {
	case t.Waits != "":
		return "held up"
	case t.Status == "uploaded" && len(t.MissingFootage) > 0:
		return "lacks footage"
	}
	return wording.Template(farm.TemplateStatus(t.Status))
}

type templatesShow struct {
	templateRef
	remote
}

func (s templatesShow) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := s.find(ctx, s.remote)
	if err != nil {
		return err
	}
	t, err := c.Template(ctx, id)
	if err != nil {
		return err
	}
	if s.JSON {
		return out.Answer(t.JSON())
	}
	facts := terminal.NewTable()
	facts.Row("template", t.ID)
	facts.Row("name", t.DisplayName)
	facts.Row("type", t.Type)
	facts.Row("state", templateState(t))
	if t.Waits != "" {
		facts.Row("waits", t.Waits)
	}
	if len(t.MissingFootage) > 0 {
		facts.Row("missing", strings.Join(t.MissingFootage, ", ")+": each job has to bring these files")
	}
	if t.Error != "" {
		facts.Row("error", t.Error)
	}
	facts.Row("added", terminal.LocalTime(t.CreatedAt))
	facts.Row("changed", terminal.LocalTime(t.UpdatedAt))
	if err := out.Table(facts); err != nil || t.Status != "uploaded" {
		return err
	}
	compositions, err := c.Compositions(ctx, id)
	if err != nil {
		return err
	}
	layers, err := c.Layers(ctx, id)
	if err != nil {
		return err
	}
	fmt.Fprintln(out)
	if err := out.Table(compositionTable(compositions.Items)); err != nil {
		return err
	}
	fmt.Fprintln(out)
	if err := out.Table(layerTable(layers.Items, compositions.Items)); err != nil || t.Mogrt == nil || len(t.Mogrt.Fields) == 0 {
		return err
	}
	fmt.Fprintln(out)
	fields := terminal.NewTable("FIELD", "TYPE", "VALUE")
	for _, f := range t.Mogrt.Fields {
		fields.Row(f.Name, f.Type, string(f.Value))
	}
	return out.Table(fields)
}

func compositionTable(list []client.Composition) *terminal.Table {
	t := terminal.NewTable("COMPOSITION", "SIZE", "FPS", "LENGTH", "USE")
	for _, c := range list {
		use := "inside another"
		if c.Data.Root {
			use = "to render"
		}
		t.Row(c.Name, fmt.Sprintf("%g × %g", c.Width, c.Height), number(c.FrameRate), number(c.Duration)+" s", use)
	}
	return t
}

func layerTable(list []client.Layer, compositions []client.Composition) *terminal.Table {
	t := terminal.NewTable("LAYER", "TAKES", "COMPOSITION", "FROM", "TO", "NOW")
	for _, l := range list {
		now := l.Data.Text
		if now == "" {
			now = l.Data.Media
		}
		t.Row(l.Name, takes(l), compositionName(compositions, l.CompositionID), number(l.InPoint)+" s", number(l.OutPoint)+" s", now)
	}
	return t
}

// compositionName is the name of the composition with an id.
func compositionName(list []client.Composition, id uint32) string {
	want := strconv.FormatUint(uint64(id), 10)
	for _, c := range list {
		if c.AEID == want {
			return c.Name
		}
	}
	return want
}

// takes is what a job can put into a layer.
func takes(l client.Layer) string {
	switch {
	case l.LayerType == "text":
		return "words"
	case l.LayerType == "av" && l.SourceType == "file":
		return "file"
	case l.LayerType == "av" && l.SourceType == "comp":
		return "composition"
	case l.LayerType == "av" && l.SourceType == "solid":
		return "colour"
	}
	return l.LayerType
}

// number writes a number with two decimals at most.
func number(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(f, 'f', 2, 64), "0"), ".")
}

type templatesCompositions struct {
	templateRef
	remote
}

func (s templatesCompositions) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := s.find(ctx, s.remote)
	if err != nil {
		return err
	}
	list, err := c.Compositions(ctx, id)
	if err != nil {
		return err
	}
	if s.JSON {
		return out.Answer(list.JSON())
	}
	return out.Table(compositionTable(list.Items))
}

type templatesLayers struct {
	templateRef
	remote
}

func (s templatesLayers) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := s.find(ctx, s.remote)
	if err != nil {
		return err
	}
	list, err := c.Layers(ctx, id)
	if err != nil {
		return err
	}
	if s.JSON {
		return out.Answer(list.JSON())
	}
	compositions, err := c.Compositions(ctx, id)
	if err != nil {
		return err
	}
	return out.Table(layerTable(list.Items, compositions.Items))
}

type templatesRename struct {
	templateRef
	Name string `arg:"" help:"The new name."`
	remote
}

func (r templatesRename) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := r.find(ctx, r.remote)
	if err != nil {
		return err
	}
	t, err := c.RenameTemplate(ctx, id, r.Name)
	if err != nil {
		return err
	}
	if r.JSON {
		return out.Answer(t.JSON())
	}
	out.Remark("%s is now called %s", t.ID, t.DisplayName)
	return nil
}

type templatesMark struct {
	templateRef
	Sequential bool `help:"Each frame depends on those before it, as in a simulation: one machine renders a film as a whole." negatable:"" required:""`
	remote
}

func (m templatesMark) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := m.find(ctx, m.remote)
	if err != nil {
		return err
	}
	t, err := c.MarkTemplate(ctx, id, m.Sequential)
	if err != nil {
		return err
	}
	switch {
	case m.JSON:
		return out.Answer(t.JSON())
	case t.Sequential:
		out.Remark("one machine renders each film of %s, from the first frame on", t.ID)
	default:
		out.Remark("machines may share the films of %s", t.ID)
	}
	return nil
}

type templatesDelete struct {
	Templates []string `arg:"" name:"template" help:"Ids or names of the templates." complete:"template"`
	serverFlags
}

func (d templatesDelete) Run(ctx context.Context, out *terminal.Output) error {
	c, err := d.client()
	if err != nil {
		return err
	}
	return deleteAll(d.Templates, "deleted", out,
		func(ref string) (string, error) { return findTemplate(ctx, c, ref) },
		func(id string) error { return c.DeleteTemplate(ctx, id) })
}
