package render

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"overcrank/aep"
	"overcrank/engine/eval"
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

// undrawn warns that the layer of v has a feature, such as "effect 'Glow'", that is not drawn.
func (r *Renderer) undrawn(v view, feature string) {
	r.warned.say(r.about(v.comp, v.layer) + feature + " is not drawn by the embedded engine")
}

func (r *Renderer) about(comp *aep.Item, l *aep.Layer) string {
	return fmt.Sprintf("layer '%s' in composition '%s': ", r.project.DisplayName(l), comp.Name)
}

// failed warns, once per property, that its expression failed. An expression that took too long is disabled.
func (r *Renderer) failed(ref eval.Ref, t float64, err error) {
	var endless *eval.TimeoutError
	if errors.As(err, &endless) {
		if _, known := r.off.LoadOrStore(endless.Ref.Prop, struct{}{}); !known {
			r.warned.say(fmt.Sprintf("%sthe expression of '%s' took longer than %v at %.3f s and is switched off for the rest of the render, its value without it is used",
				r.about(endless.Ref.Comp, endless.Ref.Layer), displayName(endless.Ref.Prop), endless.Limit, t))
		}
		return
	}
	name := displayName(ref.Prop)
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
