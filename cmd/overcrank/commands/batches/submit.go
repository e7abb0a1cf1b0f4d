package batches

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/jobs"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/commands/templates"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
	"overcrank/farm/variants"
	"overcrank/farm/wording"
)

type submitCommand struct {
	File string `arg:"" complete:"file" help:"Table with a line of headings (.xlsx, .csv, .tsv, .txt) or jobs (.json, .jsonl); - for standard input."`
	remote.Flags
	remote.Waiting
	Template        string            `help:"Id or name of the template." complete:"template"`
	TemplateVersion int               `help:"Version of the template, as templates versions lists them. Default: the current one." placeholder:"N"`
	Composition     string            `help:"Composition to render. Default: the only one there is to render."`
	Map             map[string]string `help:"column=layer, column=layer:property or column=@name: what a column is about whose heading does not say it; column= leaves it out." mapsep:"none"`
	Format          string            `help:"csv or json. Default: by the ending of the file, or by its beginning." enum:",csv,json" default:""`
	Delimiter       string            `help:"What stands between the cells of the table. Default: the ; , or tab that the headings have most of."`
	Name            string            `help:"Name of the jobs that have no @name."`
	Tag             []string          `help:"Tags by which to find the jobs."`
	Codec           string            `help:"Codec, such as video_h264_vbr_15mbps or video_prores_422." complete:"codec"`
	Preview         bool              `help:"Render fast, at half size."`
	DryRun          bool              `help:"Print the requests instead of sending them; files are not uploaded."`
	Download        string            `help:"Wait, and write the results to this folder." type:"path" placeholder:"DIR"`
	FileName        string            `help:"How the files are called: {column}, {line} and {job} stand for a cell, the line and the job's id. Default: as the column @output says, or else @name, or else the id." placeholder:"PATTERN"`
	Overwrite       bool              `help:"With --download: write over files that are there already."`
	jobs.Drawing
	jobs.Scheduling
}

func (submitCommand) Help() string {
	return `The first line of a table names the columns. A column called like a layer sets that layer in each row's job: its words if it is a text layer,
its file if it is footage. "Layer:property" sets a property. Columns with @ are about the job: @name, @tags, @priority, @level, @output (the name of
the downloaded file), @composition, @codec, @type, @frames, @preview, @hold, @notBefore, @project. Columns with # are left out. An empty cell leaves the layer as
it is. Files are looked for beside the table and handed over once each; addresses are passed on.

    Title;Picture;Accent:Effects.Fill.Color;@name
    Spring Sale;stills/spring.png;#36ebc7;spot-spring
    Summer Sale;stills/summer.png;#ffcc00;spot-summer

    overcrank batches submit variants.csv --template "Spring spot" --dry-run
    overcrank batches submit variants.csv --template "Spring spot" --composition main --wait --download films
    overcrank batches submit jobs.json`
}

func (s submitCommand) Run(ctx context.Context, out *terminal.Output) error {
	if err := s.checkFlags(); err != nil {
		return err
	}
	raw, err := remote.ReadInput(s.File)
	if err != nil {
		return err
	}
	c, err := s.Client()
	if err != nil {
		return err
	}
	list, err := s.variants(ctx, c, raw, out)
	if err != nil {
		return err
	}
	if err := checkPattern(s.FileName, list); err != nil {
		return err
	}
	groups, err := split(list)
	if err != nil {
		return err
	}
	if s.DryRun {
		return s.printRequests(groups, out)
	}
	if err := s.handOver(ctx, c, list, out); err != nil {
		return err
	}
	if len(groups) > 1 {
		out.Remark("%d jobs are more than one batch takes: they become %d batches.", len(list), len(groups))
	}
	return s.submit(ctx, c, groups, out)
}

func (s submitCommand) checkFlags() error {
	if s.Delimiter != "" && s.Delimiter != `\t` && utf8.RuneCountInString(s.Delimiter) != 1 {
		return exit.Usagef("--delimiter is '%s': it has to be one character", s.Delimiter)
	}
	if s.FileName != "" && s.Download == "" {
		return exit.Usagef("--file-name is for --download")
	}
	if s.Download != "" && !s.DryRun {
		// Said now rather than when the films are there and cannot be written.
		if err := os.MkdirAll(s.Download, 0o755); err != nil {
			return fmt.Errorf("--download: %w", err)
		}
	}
	return nil
}

// variants reads the file.
func (s submitCommand) variants(ctx context.Context, c *client.Client, raw []byte, out *terminal.Output) ([]variants.Variant, error) {
	base, err := s.base()
	if err != nil {
		return nil, err
	}
	template := variants.Template{}
	isJSON := s.isJSON(raw)
	if isJSON && len(s.Map) > 0 {
		return nil, exit.Usagef("--map is for tables")
	}
	if s.Template != "" {
		if template, err = s.readTemplate(ctx, c, base, !isJSON, out); err != nil {
			return nil, err
		}
	} else if !isJSON {
		return nil, exit.Usagef("--template is missing: the rows of a table are variants of a template")
	}
	if isJSON {
		return variants.FromJSON(bytes.NewReader(raw), base)
	}
	var delimiter rune
	if s.Delimiter == `\t` {
		delimiter = '\t'
	} else if s.Delimiter != "" {
		delimiter, _ = utf8.DecodeRuneInString(s.Delimiter)
	}
	sheet, err := variants.ReadSheet(bytes.NewReader(raw), delimiter)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	for _, remark := range sheet.Remarks {
		out.Remark("%s", remark)
	}
	list, err := variants.FromSheet(sheet, template, base, s.Map)
	var unknown *variants.ColumnError
	switch {
	case errors.As(err, &unknown):
		return nil, fmt.Errorf("%s: %w\nmap a column with --map '%s=layer', or leave it out with --map '%s='", s.File, err, unknown.Column, unknown.Column)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	return list, nil
}

// isJSON tells jobs from a table.
func (s submitCommand) isJSON(raw []byte) bool {
	switch ending := strings.ToLower(filepath.Ext(s.File)); {
	case s.Format != "":
		return s.Format == "json"
	case ending == ".json" || ending == ".jsonl" || ending == ".ndjson":
		return true
	case s.File != "-":
		return false
	}
	beginning := bytes.TrimLeft(bytes.TrimPrefix(raw, []byte{0xef, 0xbb, 0xbf}), " \t\r\n")
	return bytes.HasPrefix(beginning, []byte("{")) || bytes.HasPrefix(beginning, []byte("["))
}

// base is what all jobs have in common.
func (s submitCommand) base() (map[string]any, error) {
	base := map[string]any{}
	if err := s.Add(base, time.Now()); err != nil {
		return nil, err
	}
	if s.Name != "" {
		base["name"] = s.Name
	}
	if len(s.Tag) > 0 {
		base["tags"] = s.Tag
	}
	settings := map[string]any{}
	s.AddTo(settings)
	if s.Codec != "" {
		settings["codec"] = s.Codec
	}
	if len(settings) > 0 {
		base["settings"] = settings
	}
	if s.Preview {
		base["preview"] = true
	}
	return base, nil
}

// readTemplate finds the template, puts it into what the jobs have in common, and, if asked to, reads what it holds.
func (s submitCommand) readTemplate(ctx context.Context, c *client.Client, base map[string]any, within bool, out *terminal.Output) (variants.Template, error) {
	var known variants.Template
	id, err := remote.Find(ctx, "template", s.Template, c.Templates)
	if err != nil {
		return known, err
	}
	inJob := map[string]any{"id": id}
	base["template"] = inJob
	if s.Composition != "" {
		inJob["composition"] = s.Composition
	}
	if s.TemplateVersion != 0 {
		inJob["version"] = s.TemplateVersion
	}
	if !within {
		return known, nil
	}
	t, err := c.Template(ctx, id)
	if err != nil {
		return known, err
	}
	if !t.Settled() {
		if t, err = templates.Await(ctx, c, id, s.Waiting, out); err != nil {
			return known, err
		}
	}
	if t.Status != farm.TemplateUploaded {
		return known, fmt.Errorf("template '%s' is %s: %s", t.DisplayName, wording.Template(t.Status), t.Error)
	}
	compositions, err := c.Compositions(ctx, id)
	if err != nil {
		return known, err
	}
	layers, err := c.Layers(ctx, id)
	if err != nil {
		return known, err
	}
	if s.Composition != "" && !slices.Contains(t.Compositions, s.Composition) {
		return known, exit.NotFoundf("template '%s' has no composition '%s': there are '%s'", t.DisplayName, s.Composition,
			strings.Join(t.Compositions, "', '"))
	}
	known = variants.Template{Composition: s.Composition}
	for _, comp := range compositions.Items {
		id, err := strconv.ParseUint(comp.AEID, 10, 32)
		if err != nil {
			return known, fmt.Errorf("composition '%s' has the id '%s', which is not a number: %w", comp.Name, comp.AEID, err)
		}
		known.Compositions = append(known.Compositions, variants.Composition{ID: uint32(id), Name: comp.Name, Root: comp.Data.Root})
	}
	for _, l := range layers.Items {
		known.Layers = append(known.Layers, variants.Layer{Composition: l.CompositionID, Name: l.Name, Type: l.LayerType, Media: l.Data.Media})
	}
	if t.Mogrt != nil {
		for _, f := range t.Mogrt.Fields {
			known.Fields = append(known.Fields, variants.Field{Name: f.Name, Type: f.Type})
		}
	}
	return known, nil
}

func (s submitCommand) printRequests(groups [][]variants.Variant, out *terminal.Output) error {
	bodies := make([]any, len(groups))
	for i, group := range groups {
		bodies[i] = map[string]any{"jobs": jobsOf(group)}
	}
	if len(bodies) == 1 {
		return out.Indented(bodies[0])
	}
	return out.Indented(bodies)
}

// submit sends the batches, and does with them what the flags ask for.
func (s submitCommand) submit(ctx context.Context, c *client.Client, groups [][]variants.Variant, out *terminal.Output) error {
	var ids []string
	var kept [][]variants.Variant // the groups of the batches in ids
	var raws []json.RawMessage
	waits, refused := s.Wait || s.Download != "", false
	for n, group := range groups {
		b, err := c.CreateBatch(ctx, jobsOf(group))
		if err != nil {
			if len(ids) > 0 {
				out.Remark("Submitted before that: %s", strings.Join(ids, " "))
			}
			return fmt.Errorf("submit batch %d of %d: %w", n+1, len(groups), err)
		}
		raws = append(raws, b.JSON())
		for _, e := range b.Errors {
			refused = true
			fmt.Fprintf(out.Errors, "%s: %s\n", whereIn(group, e.Index), e.Error)
		}
		if b.SuccessCount > 0 {
			ids, kept = append(ids, b.BatchID), append(kept, group)
		}
		if !s.JSON && !waits {
			fmt.Fprintln(out, b.BatchID)
		}
		out.Remark("Batch %s: %d of %d jobs taken", b.BatchID, b.SuccessCount, b.TotalJobs)
	}
	var ended error
	if waits && len(ids) > 0 {
		ended = s.finish(ctx, c, ids, kept, out)
	} else if s.JSON {
		ended = out.Answers(raws)
	}
	if ended == nil && refused {
		return exit.Code(exit.Failed)
	}
	return ended
}

// whereIn is where the job with an index stands in the file.
func whereIn(group []variants.Variant, index int) string {
	if index < 0 || index >= len(group) {
		return "index " + strconv.Itoa(index)
	}
	return group[index].Where
}

// finish waits for batches, downloads what they made if asked to, and says which jobs failed.
func (s submitCommand) finish(ctx context.Context, c *client.Client, ids []string, groups [][]variants.Variant, out *terminal.Output) error {
	limited, cancel := s.Bound(ctx)
	defer cancel()
	batches, err := watchBatches(limited, c, ids, out)
	if err != nil {
		return err
	}
	if err := printBatches(batches, s.JSON, out); err != nil {
		return err
	}
	if s.Download != "" {
		// With --json the batches are what stands on standard output.
		files := *out
		if s.JSON {
			files.Writer = out.Errors
		}
		folder := remote.Folder{Dir: s.Download, Overwrite: s.Overwrite}
		for i, b := range batches {
			for _, j := range b.Jobs {
				if j.Status != farm.JobFinished {
					continue
				}
				if err := folder.Fetch(ctx, c, j.OutputURL, s.resultName(groups[i], j), j.ID, &files); err != nil {
					return err
				}
			}
		}
	}
	return tellBatchFailures(batches, out, func(batch, index int) string { return whereIn(groups[batch], index) })
}
