// Package templates has the commands about templates.
package templates

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
	"overcrank/farm/wording"
)

// Commands are those below overcrank templates.
type Commands struct {
	List         listCommand         `cmd:"" default:"withargs" help:"List templates."`
	Show         showCommand         `cmd:"" help:"Show a template with its compositions and layers."`
	Add          addCommand          `cmd:"" help:"Add a project as a template."`
	Complete     completeCommand     `cmd:"" help:"Add files that a template lacks, as its next version."`
	Replace      replaceCommand      `cmd:"" help:"Replace the file of a template, which is then read again."`
	Rename       renameCommand       `cmd:"" help:"Rename a template."`
	Mark         markCommand         `cmd:"" help:"Set whether one machine renders each film of a template as a whole."`
	Retire       retireCommand       `cmd:"" help:"Take a template out of use: it takes no new jobs. --undo brings it back."`
	Versions     versionsCommand     `cmd:"" help:"List the versions of a template."`
	MakeCurrent  makeCurrentCommand  `cmd:"" help:"Make an earlier version of a template its next one."`
	Download     downloadCommand     `cmd:"" help:"Download the file of a template."`
	Delete       deleteCommand       `cmd:"" help:"Delete templates."`
	Compositions compositionsCommand `cmd:"" help:"List a template's compositions."`
	Layers       layersCommand       `cmd:"" help:"List a template's layers."`
	Preflight    preflightCommand    `cmd:"" help:"Say what the embedded engine would draw differently from After Effects."`
}

// templateRef is a template on the command line, by its id or by its name.
type templateRef struct {
	Template string `arg:"" help:"Id or name of the template." complete:"template"`
}

// find gives a client of the farm, and the id that the reference means there.
func (r templateRef) find(ctx context.Context, on remote.Flags) (c *client.Client, id string, err error) {
	if c, err = on.Client(); err != nil {
		return nil, "", err
	}
	id, err = remote.Find(ctx, "template", r.Template, c.Templates)
	return c, id, err
}

// Names are the names of the team's templates, by id.
type Names map[string]string

// ReadNames asks for them; without an answer templates go by their ids.
func ReadNames(ctx context.Context, c *client.Client) Names {
	list, err := c.Templates(ctx)
	if err != nil {
		return nil
	}
	named := Names{}
	for _, t := range list.Items {
		named[t.ID] = t.DisplayName
	}
	return named
}

// Of is what people call a template; "" for none.
func (n Names) Of(id string) string {
	if name := n[id]; name != "" {
		return name
	}
	return id
}

type listCommand struct {
	remote.Flags
	Retired bool `help:"Also templates that were taken out of use."`
}

func (l listCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	list, retired, err := l.list(ctx, c)
	return l.Print(out, list, err, func() error {
		if len(list.Items) == 0 && len(retired) > 0 {
			out.Remark("All templates are retired. List them with: overcrank templates list --retired")
			return nil
		}
		if len(list.Items) == 0 {
			out.Remark("No templates. Add one with: overcrank templates add spot.zip --wait")
			return nil
		}
		t := terminal.NewTable("TEMPLATE", "NAME", "TYPE", "STATE", "CHANGED")
		for _, item := range list.Items {
			state := templateState(item)
			if retired[item.ID] {
				state = "retired"
			}
			t.Row(item.ID, item.DisplayName, item.Type, state, terminal.LocalTime(item.UpdatedAt))
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
	})
}

// list gives the templates to print, and which of them are retired: the public interface knows nothing of that.
func (l listCommand) list(ctx context.Context, c *client.Client) (list client.List[client.Template], retired map[string]bool, err error) {
	if list, err = c.Templates(ctx); err != nil {
		return list, nil, err
	}
	marks, err := c.TemplateMarks(ctx, true)
	if err != nil {
		return list, nil, err
	}
	retired = map[string]bool{}
	for _, mark := range marks.Items {
		retired[mark.ID] = mark.RetiredAt != ""
	}
	if l.Retired {
		return list, retired, nil
	}
	list, err = list.Keep(func(t client.Template) bool { return !retired[t.ID] })
	return list, retired, err
}

// templateState is a template's state with what is amiss.
func templateState(t client.Template) string {
	switch {
	case t.Waits != "":
		return wording.TemplateHeldUp
	case t.Status == farm.TemplateUploaded && len(t.MissingFootage) > 0:
		return wording.TemplateLacksFootage
	}
	return wording.Template(t.Status)
}

type showCommand struct {
	templateRef
	remote.Flags
}

func (s showCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := s.find(ctx, s.Flags)
	if err != nil {
		return err
	}
	t, err := c.Template(ctx, id)
	return s.Print(out, t, err, func() error {
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
		if err := out.Table(facts); err != nil || t.Status != farm.TemplateUploaded {
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
	})
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

type compositionsCommand struct {
	templateRef
	remote.Flags
}

func (s compositionsCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := s.find(ctx, s.Flags)
	if err != nil {
		return err
	}
	list, err := c.Compositions(ctx, id)
	return s.Print(out, list, err, func() error { return out.Table(compositionTable(list.Items)) })
}

type layersCommand struct {
	templateRef
	remote.Flags
}

func (s layersCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := s.find(ctx, s.Flags)
	if err != nil {
		return err
	}
	list, err := c.Layers(ctx, id)
	return s.Print(out, list, err, func() error {
		compositions, err := c.Compositions(ctx, id)
		if err != nil {
			return err
		}
		return out.Table(layerTable(list.Items, compositions.Items))
	})
}

type renameCommand struct {
	templateRef
	Name string `arg:"" help:"The new name."`
	remote.Flags
}

func (r renameCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := r.find(ctx, r.Flags)
	if err != nil {
		return err
	}
	t, err := c.RenameTemplate(ctx, id, r.Name)
	return r.Print(out, t, err, func() error {
		out.Remark("%s is now called %s", t.ID, t.DisplayName)
		return nil
	})
}

type markCommand struct {
	templateRef
	Sequential bool `help:"Each frame depends on those before it, as in a simulation: one machine renders a film as a whole." negatable:"" required:""`
	remote.Flags
}

func (m markCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := m.find(ctx, m.Flags)
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

// retireCommand takes templates out of use, or brings them back.
type retireCommand struct {
	templateRef
	Undo bool `help:"Bring it back: it takes jobs again."`
	remote.Flags
}

func (r retireCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := r.find(ctx, r.Flags)
	if err != nil {
		return err
	}
	t, err := c.RetireTemplate(ctx, id, !r.Undo)
	return r.Print(out, t, err, func() error {
		if t.RetiredAt == "" {
			out.Remark("%s takes jobs", t.ID)
		} else {
			out.Remark("%s takes no new jobs; bring it back with: overcrank templates retire --undo %s", t.ID, t.ID)
		}
		return nil
	})
}

type deleteCommand struct {
	Templates []string `arg:"" name:"template" help:"Ids or names of the templates." complete:"template"`
	remote.Farm
}

func (d deleteCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := d.Client()
	if err != nil {
		return err
	}
	return remote.DeleteAll(d.Templates, "deleted", out,
		func(ref string) (string, error) { return remote.Find(ctx, "template", ref, c.Templates) },
		func(id string) error { return c.DeleteTemplate(ctx, id) })
}
