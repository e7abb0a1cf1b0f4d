package render

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/scene"
)

// warnings passes each message on once.
type warnings struct {
	mu   sync.Mutex
	seen map[string]bool
	hear func(string)
}

// say passes message on. Names in it come from the project, so characters that would break the line are replaced.
func (w *warnings) say(message string) {
	message = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, message)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen[message] {
		return
	}
	if w.seen == nil {
		w.seen = make(map[string]bool)
	}
	w.seen[message] = true
	if w.hear != nil {
		w.hear(message)
	}
}

// warnAll warns of what is drawn differently, or not at all, at any time of the composition: every part of a film that is split says the same.
func (r *Renderer) warnAll() {
	for _, note := range r.scene.Notes() {
		r.warned.say(fmt.Sprintf("composition '%s': %s by the embedded engine", r.comp.Name, note.What))
	}
	for _, lack := range r.scene.Lacks {
		if r.shows(lack) {
			r.undrawn(lack.Comp, lack.Layer, lack.What)
		}
	}
}

// shows tells whether a lack matters with the settings of the render.
func (r *Renderer) shows(lack scene.Lack) bool {
	if lack.Moves {
		_, opens := r.shutter(lack.Comp.Comp)
		return opens
	}
	return !lack.Kept || r.opt.MotionBlur == BlurEnabled
}

// mar warns of something that happened while a frame was drawn. What is drawn from then on is not for other renders, which would not be warned.
func (r *Renderer) mar(message string) {
	r.marred.Store(true)
	r.warned.say(message)
}

// undrawn is Renderer.undrawn for what shows only when a frame is drawn.
func (w *worker) undrawn(comp *aep.Item, l *aep.Layer, feature string) {
	w.r.marred.Store(true)
	w.r.undrawn(comp, l, feature)
}

// undrawn warns that a layer has a feature, such as "effect 'Glow'", that is not drawn.
func (r *Renderer) undrawn(comp *aep.Item, l *aep.Layer, feature string) {
	r.warned.say(r.about(comp, l) + feature + " is not drawn by the embedded engine")
}

func (r *Renderer) about(comp *aep.Item, l *aep.Layer) string {
	return fmt.Sprintf("layer '%s' in composition '%s': ", r.project.DisplayName(l), comp.Name)
}

// failed warns, once per property, that its expression failed. An expression that took too long is disabled, on all layers that have it.
func (r *Renderer) failed(ref eval.Ref, t float64, err error) {
	var endless *eval.TimeoutError
	if errors.As(err, &endless) {
		r.marred.Store(true) // on another day it may be fast enough
		if _, known := r.off.LoadOrStore(endless.Ref.Prop.Expression, struct{}{}); !known {
			what := fmt.Sprintf("took longer than %v", endless.Limit)
			if endless.Err != nil {
				what = fmt.Sprintf("failed after more than %v (%v)", endless.Limit, endless.Err)
			}
			r.warned.say(fmt.Sprintf("%sthe expression of '%s' %s at %.3f s and is switched off for the rest of the render, its value without it is used",
				r.about(endless.Ref.Comp, endless.Ref.Layer), scene.DisplayName(endless.Ref.Prop), what, t))
		}
		return
	}
	name := scene.DisplayName(ref.Prop)
	r.warned.sayOnce(ref.Prop, fmt.Sprintf("%sthe expression of '%s' failed at %.3f s, its value without it is used: %v",
		r.about(ref.Comp, ref.Layer), name, t, err))
}

func (w *warnings) sayOnce(about *aep.Property, message string) {
	key := fmt.Sprintf("%p", about)
	w.mu.Lock()
	known := w.seen[key]
	if w.seen == nil {
		w.seen = make(map[string]bool)
	}
	w.seen[key] = true
	w.mu.Unlock()
	if !known {
		w.say(message)
	}
}
