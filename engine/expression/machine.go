package expression

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/sandbox"
)

const (
	// timeLimit is how long one evaluation may take, including those that it uses, when Host does not say.
	timeLimit = 2 * time.Second
	// maxFrames is how deep expressions may use each other.
	maxFrames = 200
	// slowFailure is the part of the time limit that an expression may take if it then fails.
	slowFailure = 4
	// maxSource is the longest expression, in bytes.
	maxSource = 1 << 20
)

// Machine runs expressions; each worker has one. It implements eval.Expressions.
type Machine struct {
	host     Host
	rt       *goja.Runtime
	programs map[string]*program
	compiled map[*aep.Property]*program // what programs has for a property, while it has that expression
	frames   []*frame
	cur      *frame // current evaluation

	things map[*goja.Object]any // what each object of the API represents
	nodes  map[*aep.Property]*node
	layers map[*aep.Layer]*layerNode
	comps  map[*aep.Item]*goja.Object
	data   map[*aep.Footage]goja.Value
	orders map[*aep.Item]*order

	classes  classes
	native   map[string]goja.Callable // the language's own operators, by name
	watchdog watchdog
	endless  *eval.TimeoutError // set when an evaluation was interrupted
}

// frame is one evaluation.
type frame struct {
	ref    eval.Ref
	before aep.Value
	time   float64
	moving bool // the result may be another at another time

	random   uint64 // 0 until the first random number
	seeded   int64  // what seedRandom was called with, plus one
	timeless bool   // the seed does not depend on the time

	styles []*goja.Object // objects to remove from things afterwards
	began  time.Duration  // by the watchdog's clock
	// selection is what an expression selector is told; nil for other properties.
	selection *eval.Selection
}

// program is a compiled expression.
type program struct {
	text   string // the expression
	run    goja.Callable
	params []string
	loose  bool // it may use what changes without our knowledge, such as the date
	err    error
}

// New makes a machine.
func New(h Host) *Machine {
	m := &Machine{host: h, rt: sandbox.New(), programs: map[string]*program{}, compiled: map[*aep.Property]*program{},
		things: map[*goja.Object]any{}, nodes: map[*aep.Property]*node{}, layers: map[*aep.Layer]*layerNode{},
		comps: map[*aep.Item]*goja.Object{}, data: map[*aep.Footage]goja.Value{}, orders: map[*aep.Item]*order{}, native: map[string]goja.Callable{}}
	m.rt.SetRandSource(func() float64 { return m.uniform() })
	m.watchdog.rt, m.watchdog.limit = m.rt, cmp.Or(h.TimeLimit, timeLimit)
	m.watchdog.clock.Together = h.Together
	m.defineOperators()
	m.defineMath()
	m.defineTime()
	m.defineRandom()
	m.defineColor()
	m.defineProperties()
	m.defineLayers()
	m.defineComps()
	m.defineText()
	m.definePaths()
	m.defineSelectors()
	m.defineHost()
	m.defineOldSpellings()
	return m
}

// Evaluate runs the expression of ref at composition time t. before is the value without it; the result has the same
// type.
func (m *Machine) Evaluate(ref eval.Ref, before aep.Value, t float64) (aep.Value, error) {
	return m.evaluate(ref, selectionOf(ref), before, t)
}

func (m *Machine) evaluate(ref eval.Ref, s *eval.Selection, before aep.Value, t float64) (v aep.Value, err error) {
	p := m.program(ref.Prop)
	if p.err != nil {
		m.keep(ref)
		return nil, p.err
	}
	if len(m.frames) >= maxFrames {
		return nil, &Error{Message: fmt.Sprintf("expressions ask for each other more than %d deep, probably in a circle", maxFrames)}
	}
	outermost := len(m.frames) == 0
	if outermost {
		m.endless = nil
		m.watchdog.start()
		defer m.watchdog.stop()
	}
	m.enter(frame{ref: ref, before: before, time: t, moving: p.loose || s != nil, began: m.watchdog.clock.Counted(), selection: s})
	defer m.leave(&err, outermost)

	args := make([]goja.Value, len(p.params))
	for i, name := range p.params {
		args[i] = m.param(name)
	}
	out, err := p.run(goja.Undefined(), args...)
	if err != nil {
		var stopped *goja.InterruptedError
		if errors.As(err, &stopped) {
			m.blame()
			if !outermost {
				panic(err) // ends the whole evaluation, not only this part
			}
			return nil, m.endless
		}
		return nil, m.failure(ref, err)
	}
	if s != nil {
		out = m.everyDimension(out)
	}
	return m.result(out, before)
}

// failure is the error of an expression that failed. One that was slow in doing so counts as endless: it would be as slow for every value.
func (m *Machine) failure(ref eval.Ref, err error) error {
	if limit := m.watchdog.limit / slowFailure; m.watchdog.since(m.cur.began) > limit {
		m.cur.moving = true
		return &eval.TimeoutError{Ref: ref, Limit: limit, Err: fault(err)}
	}
	return fault(err)
}

// enter begins an evaluation.
func (m *Machine) enter(f frame) {
	n := len(m.frames)
	if n == cap(m.frames) {
		m.frames = append(m.frames, &frame{})
	} else if m.frames = m.frames[:n+1]; m.frames[n] == nil {
		m.frames[n] = &frame{}
	}
	m.cur = m.frames[n]
	f.styles = m.cur.styles[:0]
	*m.cur = f
}

// keep tells the evaluator that the result of ref's expression, or its failure, is the same at all times unless it used properties that
// change.
func (m *Machine) keep(ref eval.Ref) {
	if m.host.Eval != nil {
		m.host.Eval.Keep(ref.Prop)
	}
}

// leave ends the evaluation. An exception while its result is read, or a panic in this package, becomes the expression's
// error; an interrupt is passed on to the outermost evaluation.
func (m *Machine) leave(err *error, outermost bool) {
	r := recover()
	if _, stopped := r.(*goja.InterruptedError); stopped {
		m.blame()
	}
	for _, o := range m.cur.styles {
		delete(m.things, o)
	}
	if !m.cur.moving && r == nil && m.endless == nil {
		m.keep(m.cur.ref)
	}
	m.frames = m.frames[:len(m.frames)-1]
	m.cur = nil
	if n := len(m.frames); n > 0 {
		m.cur = m.frames[n-1]
	}
	switch r := r.(type) {
	case nil:
	case *goja.InterruptedError:
		if !outermost {
			panic(r)
		}
		*err = m.endless
	case *goja.Exception:
		*err = fault(r)
	case *goja.Object:
		*err = &Error{Message: r.String()}
	default:
		*err = &Error{Message: fmt.Sprintf("fault in the expression engine: %v", r)}
	}
}

// blame finds, once per evaluation, the expression that took the time: the innermost one that ran for most of it. One
// that was merely called very often is not to blame, but its caller is.
func (m *Machine) blame() {
	if m.endless != nil {
		return
	}
	at := m.frames[0]
	for _, f := range m.frames {
		if m.watchdog.since(f.began) > m.watchdog.limit/2 {
			at = f
		}
	}
	m.endless = &eval.TimeoutError{Ref: at.ref, Limit: m.watchdog.limit}
}

func (m *Machine) param(name string) goja.Value {
	switch name {
	case "time":
		return m.rt.ToValue(m.clock())
	case "value":
		return m.currentValue()
	case "thisComp":
		return m.comp(m.cur.ref.Comp)
	case "thisLayer":
		return m.layer(m.cur.ref.Comp, m.cur.ref.Layer).object
	}
	return m.thisProperty().object
}

// program compiles each expression text once.
func (m *Machine) program(of *aep.Property) *program {
	text := of.Expression
	if p := m.compiled[of]; p != nil && p.text == text {
		return p
	}
	p := m.programs[text]
	if p == nil {
		p = m.compile(text)
		p.text = text
		m.programs[text] = p
	}
	m.compiled[of] = p
	return p
}

func (m *Machine) compile(text string) *program {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	text = strings.TrimRight(text, "\x00")
	if len(text) > maxSource {
		return &program{err: &Error{Message: fmt.Sprintf("the expression is longer than %d bytes", maxSource)}}
	}
	if err := sandbox.Check(text); err != nil {
		return &program{err: &Error{Message: err.Error()}}
	}
	fn, err := rewrite(text, m.isGlobal, m.host.Project.ExpressionEngine == "extendscript")
	if err != nil {
		return &program{err: fault(err)}
	}
	compiled, err := sandbox.Compile("expression", fn.source)
	if err != nil {
		return &program{err: fault(err)}
	}
	v, err := m.rt.RunProgram(compiled)
	if err != nil {
		return &program{err: fault(err)}
	}
	run, ok := goja.AssertFunction(v)
	if !ok {
		return &program{err: &Error{Message: "the expression can't be compiled"}}
	}
	return &program{run: run, params: fn.params, loose: fn.loose}
}

func (m *Machine) isGlobal(name string) bool {
	return m.rt.GlobalObject().Get(name) != nil
}

func fault(err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	f := sandbox.FaultOf(err)
	return &Error{Line: f.Line, Message: f.Message}
}

// throw raises an error in the expression.
func (m *Machine) throw(format string, args ...any) {
	e, err := m.rt.New(m.rt.Get("Error"), m.rt.ToValue(fmt.Sprintf(format, args...)))
	if err != nil {
		panic(m.rt.NewGoError(fmt.Errorf(format, args...)))
	}
	panic(goja.Value(e))
}

// watchdog interrupts an evaluation that takes too long. Its timer runs only while there are evaluations.
type watchdog struct {
	rt    *goja.Runtime
	limit time.Duration
	clock sandbox.Clock
	mu    sync.Mutex
	began time.Duration // of the clock, when the evaluation that is under way began
	busy  bool          // an evaluation is under way
	armed bool
	fired bool
}

// looks is how often the watchdog reads its clock within the time limit, which is how exact all that is held against it is.
const looks = 16

func (w *watchdog) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fired {
		w.rt.ClearInterrupt()
		w.fired = false
	}
	if !w.armed {
		w.armed = true
		w.clock.Resume()
		time.AfterFunc(w.limit/looks, w.check)
	}
	w.began, w.busy = w.clock.Counted(), true
}

func (w *watchdog) stop() {
	w.mu.Lock()
	w.busy = false
	w.mu.Unlock()
}

func (w *watchdog) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.busy {
		w.armed = false
		return
	}
	// What passed before the evaluation began, since the look before, is not its own.
	if w.clock.Read()-w.began < w.limit+w.limit/looks {
		time.AfterFunc(w.limit/looks, w.check)
		return
	}
	w.armed, w.fired = false, true
	w.rt.Interrupt(fmt.Sprintf("the expression ran longer than %v", w.limit))
}

// since is how long ago the clock showed a time.
func (w *watchdog) since(began time.Duration) time.Duration { return w.clock.Counted() - began }

func itoa(n int) string { return strconv.Itoa(n) }
