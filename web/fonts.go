package web

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"overcrank/aep"
	"overcrank/api/request"
	"overcrank/coordinator/library"
	"overcrank/farm"
	"overcrank/web/page"
)

// fonts is the library's page.
func (s *server) fonts(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	v, err := s.fontsOf(ctx, p)
	if err != nil {
		return err
	}
	shell := s.shell(c, p, say(c, "Fonts"), "settings")
	shell.Setting = "fonts"
	return s.render(c, page.FontsPage(shell, v))
}

func (s *server) fontsOf(ctx context.Context, p farm.Principal) (v page.Fonts, err error) {
	if v.All, err = s.farm.fonts.List(ctx, p); err != nil {
		return v, err
	}
	list, err := s.farm.templates.List(ctx, p)
	if err != nil {
		return v, err
	}
	if v.Missing, err = s.missingFonts(ctx, p, list); err != nil {
		return v, err
	}
	titles := map[string]string{}
	for _, t := range list {
		titles[t.ID] = t.DisplayName
	}
	v.Uses = make(map[string]page.Usage, len(v.All))
	var names []string
	for _, f := range v.All {
		if v.Uses[f.ID], err = s.usedBy(ctx, p, farm.UseFont, f.ID, titles); err != nil {
			return v, err
		}
		for _, face := range f.Faces {
			names = append(names, face.PostScript)
		}
	}
	for _, m := range v.Missing {
		names = append(names, m.Name)
	}
	v.Installed, v.Machines, err = s.farm.machines.FontCounts(ctx, p, names)
	return v, err
}

const (
	holdersNamed      = 40 // machines that have a font, and machines that lack it
	templatesNamed    = 40 // that use a font
	compositionsNamed = 12 // of one of them
)

// font is the page of one font, by the name that text in projects gives it: whether the library has it or not.
func (s *server) font(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	v := page.FontPageValues{Name: c.Query("font")}
	key := farm.FontKey(v.Name)
	if key == "" {
		return farm.Errorf(farm.CodeNotFound, "the address names no font")
	}
	all, err := s.farm.fonts.List(ctx, p)
	if err != nil {
		return err
	}
	for _, f := range all {
		if face := slices.IndexFunc(f.Faces, func(u farm.FontUse) bool { return farm.FontKey(u.PostScript) == key }); face >= 0 {
			v.Library, v.Face, v.Name = &f, face, f.Faces[face].PostScript
			break
		}
	}
	v.StandIns = page.StandInsOf(all)
	if err := s.addTemplatesWith(ctx, p, &v); err != nil {
		return err
	}
	if v.Machines, err = s.farm.machines.FontHolders(ctx, p, v.Name, holdersNamed); err != nil {
		return err
	}
	if v.Library == nil && len(v.Templates) == 0 && v.Machines.Have == 0 {
		return farm.Errorf(farm.CodeNotFound, "no template, no machine and not the library knows a font %q", v.Name)
	}
	shell := s.shell(c, p, v.Name, "settings")
	shell.Setting = "fonts"
	return s.render(c, page.FontPage(shell, v))
}

// addTemplatesWith adds the templates in use that name a font, with their compositions that show it.
func (s *server) addTemplatesWith(ctx context.Context, p farm.Principal, v *page.FontPageValues) error {
	list, err := s.farm.templates.List(ctx, p)
	if err != nil {
		return err
	}
	key := farm.FontKey(v.Name)
	for _, t := range list {
		if !t.RetiredAt.IsZero() || !slices.ContainsFunc(t.Fonts, func(u farm.FontUse) bool { return farm.FontKey(u.PostScript) == key }) {
			continue
		}
		if len(v.Templates) == templatesNamed {
			v.MoreTemplates++
			continue
		}
		use := page.FontTemplate{ID: t.ID, Name: t.DisplayName}
		if summary, err := s.farm.templates.Introspection(ctx, p, t.ID); err == nil {
			use.Compositions = compositionsWith(summary, key)
		} else if farm.CodeOf(err) == "" {
			return err
		}
		use.More = max(0, len(use.Compositions)-compositionsNamed)
		use.Compositions = use.Compositions[:len(use.Compositions)-use.More]
		v.Templates = append(v.Templates, use)
	}
	return nil
}

// compositionsWith are the compositions with a layer whose text uses a font.
func compositionsWith(summary *aep.Summary, key string) (names []string) {
	is := func(name string) bool { return farm.FontKey(name) == key }
	for _, comp := range summary.Compositions {
		if slices.ContainsFunc(comp.Layers, func(l aep.LayerSummary) bool { return slices.ContainsFunc(l.Fonts, is) }) {
			names = append(names, comp.Name)
		}
	}
	return names
}

// fontSpecimen draws a face of a font of the library.
func (s *server) fontSpecimen(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	face, err := strconv.Atoi(c.Params("face"))
	if err != nil {
		return farm.Errorf(farm.CodeNotFound, "the address names no face")
	}
	svg, err := s.farm.fonts.Specimen(ctx, p, c.Params("id"), face)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "private, max-age=86400") // the file of a font never changes
	c.Type("svg")
	return c.Send(svg)
}

// addFont takes a font file as the request's body; the page's script sends it.
func (s *server) addFont(c *fiber.Ctx, p farm.Principal) error {
	body, _, err := request.Body(c, library.MaxFont)
	if err != nil {
		return err
	}
	file, err := s.farm.fonts.Receive(s.base, filepath.Base(c.Query("name")), body)
	if err != nil {
		return err
	}
	font, err := s.farm.fonts.Add(s.asking(c), p, file, "")
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(fiber.Map{"id": font.ID})
}

func (s *server) deleteFont(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if err := s.farm.fonts.Delete(ctx, p, c.Params("id")); err != nil {
		return err
	}
	return c.Redirect("/settings/fonts", fiber.StatusSeeOther)
}
