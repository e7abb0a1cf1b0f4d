package dom

import (
	"fmt"
	"path/filepath"

	"github.com/dop251/goja"

	"overcrank/aep"
)

// appState is the state of the application and its project panel.
type appState struct {
	rootFolder *goja.Object
	all        *itemRef // the receiver of app.project.items, which lists every item
	items      *goja.Object
	project    *goja.Object
	queue      *goja.Object
	queued     []*queueItem
	times      map[*aep.Item]float64 // where the time marker of each composition is
}

func (s *session) version() string {
	v := s.project.Version
	if v.Major == 0 {
		return "25.0x1"
	}
	if v.Patch == 0 {
		return fmt.Sprintf("%d.%dx%d", v.Major, v.Minor, v.Build)
	}
	return fmt.Sprintf("%d.%d.%dx%d", v.Major, v.Minor, v.Patch, v.Build)
}

func (s *session) defineApp() {
	s.defineProject()
	app := s.rt.NewObject()
	_ = app.Set("project", s.app.project)
	_ = app.Set("version", s.version())
	_ = app.Set("buildName", "overcrank")
	_ = app.Set("buildNumber", 1)
	_ = app.Set("isoLanguage", "en_US")
	_ = app.Set("isRenderEngine", true)
	_ = app.Set("isProfessionalVersion", true)
	_ = app.Set("isWatchFolder", false)
	_ = app.Set("exitCode", 0)
	_ = app.Set("exitAfterLaunchAndEval", false)
	_ = app.Set("saveProjectOnCrash", false)
	_ = app.Set("memoryInUse", 0)
	_ = app.Set("onError", nil)
	_ = app.Set("availableGPUAccelTypes", []any{})
	for _, name := range []string{"beginUndoGroup", "endUndoGroup", "beginSuppressDialogs", "endSuppressDialogs", "purge",
		"setMemoryUsageLimits", "setMultiFrameRenderingConfig", "activate", "cancelTask", "setSavePreferencesOnQuit",
		"disableRendering", "enableRendering", "quit"} {
		_ = app.Set(name, s.function(name, func(args) any { return undefined() }))
	}
	for _, name := range []string{"open", "openFast", "newProject", "executeCommand", "scheduleTask", "pauseWatchFolder", "watchFolder", "openTeamProject"} {
		_ = app.Set(name, s.function(name, func(args) any {
			s.throw("app.%s is not available to the scripts of a job: they work on the job's own project", name)
			return nil
		}))
	}
	_ = app.Set("findMenuCommandId", s.function("findMenuCommandId", func(args) any { return 0 }))
	_ = app.Set("parseSwatchFile", s.function("parseSwatchFile", func(args) any { return nil }))
	_ = app.Set("activeViewer", nil)
	_ = app.Set("settings", s.settings())
	_ = app.Set("preferences", s.settings())
	_ = app.Set("effects", []any{})
	_ = app.Set("toString", s.function("toString", func(args) any { return "[object Application]" }))
	_ = s.rt.Set("app", app)
}

// settings are preferences, which are all empty.
func (s *session) settings() *goja.Object {
	o := s.rt.NewObject()
	for _, name := range []string{"haveSetting", "havePref"} {
		_ = o.Set(name, s.function(name, func(args) any { return false }))
	}
	for _, name := range []string{"getSetting", "getPrefAsString"} {
		_ = o.Set(name, s.function(name, func(args) any { return "" }))
	}
	for _, name := range []string{"getPrefAsLong", "getPrefAsFloat", "getPrefAsBool"} {
		_ = o.Set(name, s.function(name, func(args) any { return 0 }))
	}
	for _, name := range []string{"saveSetting", "savePrefAsString", "savePrefAsLong", "savePrefAsBool", "savePrefAsFloat", "saveToDisk", "deletePref"} {
		_ = o.Set(name, s.function(name, func(args) any { return undefined() }))
	}
	return o
}

func (s *session) defineProject() {
	c := s.class("Project", nil, nil)
	s.classes.project = c
	s.app.all = &itemRef{item: &aep.Item{Kind: aep.ItemFolder}, root: true}
	s.app.items = s.classes.itemCollection.collection(s.app.all, func() int { return len(s.project.Items) },
		func(i int) goja.Value { return s.item(s.project.Items[i-1]) })
	s.app.project = c.object(s.project)

	get(c, "items", func(*aep.Project) any { return s.app.items })
	get(c, "numItems", func(p *aep.Project) any { return len(p.Items) })
	get(c, "rootFolder", func(*aep.Project) any { return s.app.rootFolder })
	get(c, "renderQueue", func(*aep.Project) any { return s.app.queue })
	get(c, "activeItem", func(p *aep.Project) any { return s.itemOrNull(p.ActiveItem) })
	get(c, "selection", func(*aep.Project) any { return []goja.Value{} })
	get(c, "dirty", func(*aep.Project) any { return true })
	get(c, "revision", func(*aep.Project) any { return 1 })
	get(c, "file", func(p *aep.Project) any {
		if p.Path == "" {
			return nil
		}
		return s.fileObject(p.Path)
	})
	attr(c, "bitsPerChannel", func(p *aep.Project) any { return p.BitsPerChannel }, func(p *aep.Project, v goja.Value) {
		n := int(s.number(v, "bitsPerChannel"))
		if n != 8 && n != 16 && n != 32 {
			s.throw(`After Effects error: Unable to set "bitsPerChannel": it is 8, 16 or 32`)
		}
		p.BitsPerChannel = n
	})
	attr(c, "expressionEngine", func(p *aep.Project) any { return p.ExpressionEngine }, func(p *aep.Project, v goja.Value) {
		p.ExpressionEngine = v.String()
	})
	for name, value := range map[string]any{"displayStartFrame": 0, "timeDisplayType": 2012,
		"transparencyGridThumbnails": false, "gpuAccelType": 1816, "framesCountType": 2612,
		"feetFramesFilmType": 2413, "framesUseFeetFrames": false, "footageTimecodeDisplayStartType": 2213, "xmpPacket": ""} {
		attr(c, name, func(*aep.Project) any { return value }, func(*aep.Project, goja.Value) {})
	}
	s.defineColor(c)
	s.defineProjectMethods(c)
}

func (s *session) defineProjectMethods(c *class) {
	method(c, "item", func(p *aep.Project, a args) any {
		i := a.int(0, 0)
		if i < 1 || i > len(p.Items) {
			s.throw("After Effects error: Unable to call \"item\" because of parameter 1. Value %d out of range 1 to %d", i, len(p.Items))
		}
		return s.item(p.Items[i-1])
	})
	method(c, "itemByID", func(p *aep.Project, a args) any {
		if it := p.Item(uint32(a.num(0, 0))); it != nil {
			return s.item(it)
		}
		s.throw("After Effects error: Unable to call \"itemByID\": there is no item with the id %s", short(a.str(0)))
		return nil
	})
	method(c, "layerByID", func(p *aep.Project, a args) any {
		id := uint32(a.num(0, 0))
		for _, it := range p.Items {
			if it.Comp == nil {
				continue
			}
			for _, l := range it.Comp.Layers {
				if l.ID == id {
					return s.layer(it, l)
				}
			}
		}
		return nil
	})
	method(c, "importFile", func(_ *aep.Project, a args) any { return s.importFile(a.at(0)) })
	method(c, "importPlaceholder", func(_ *aep.Project, a args) any { return s.importPlaceholder(a) })
	for _, name := range []string{"save", "saveWithDialog", "close"} {
		method(c, name, func(*aep.Project, args) any {
			s.throw("app.project.%s is not available to the scripts of a job: the farm keeps the project", name)
			return nil
		})
	}
	for _, name := range []string{"autoFixExpressions", "setDefaultImportFolder", "showWindow"} {
		method(c, name, func(*aep.Project, args) any { return undefined() })
	}
	for _, name := range []string{"consolidateFootage", "removeUnusedFootage", "reduceProject"} {
		method(c, name, func(*aep.Project, args) any { return 0 })
	}
	get(c, "usedFonts", func(p *aep.Project) any { return s.usedFonts() })
	method(c, "toString", func(*aep.Project, args) any { return "[object Project]" })
}

func (s *session) usedFonts() any {
	var names []string
	seen := map[string]bool{}
	for _, it := range s.project.Items {
		if it.Comp == nil {
			continue
		}
		for _, l := range it.Comp.Layers {
			doc, _ := valueOf(l.Props.Find("ADBE Text Properties", "ADBE Text Document")).(*aep.TextDocument)
			if doc == nil {
				continue
			}
			for _, run := range doc.Runs {
				if f := run.Style.Font; f != "" && !seen[f] {
					seen[f] = true
					names = append(names, f)
				}
			}
		}
	}
	out := []goja.Value{}
	for _, name := range names {
		o, font := s.rt.NewObject(), s.rt.NewObject()
		_ = font.Set("postScriptName", name)
		_ = o.Set("font", font)
		out = append(out, o)
	}
	return out
}

func valueOf(p *aep.Property) aep.Value {
	if p == nil {
		return nil
	}
	return p.Value
}

func extension(path string) string {
	ext := filepath.Ext(path)
	if ext == "" {
		return ""
	}
	return ext[1:]
}
