package dom

import (
	"context"
	"os"
	"strconv"

	"github.com/dop251/goja"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/expression"
	"overcrank/engine/sandbox"
)

// session is one run of one script.
type session struct {
	ctx     context.Context
	opt     Options
	rt      *goja.Runtime
	project *aep.Project
	source  *source
	root    *os.Root // the job's folder; nil when there is none
	log     *log
	eval    *eval.Evaluator
	machine *expression.Machine

	errorClass *goja.Object
	// things maps an object to what it represents. The maps below hold the one object of each thing, so that == works.
	things map[*goja.Object]any
	items  map[*aep.Item]*goja.Object
	layers map[*aep.Layer]*goja.Object
	refs   map[*aep.Layer]*layerRef
	props  map[*aep.Property]*goja.Object

	classes classes
	enums   enums
	app     *appState
	open    []*fileState
	written int64 // to files, in bytes
	// faults are the errors of expressions set by scripts, by property.
	faults map[*aep.Property]string
}

// classes are the classes that Go code makes objects of.
type classes struct {
	item, avItem, compItem, footageItem, folderItem      *class
	footageSource, fileSource, solidSource, placeholder  *class
	propertyBase, propertyGroup, property, mask          *class
	layer, avLayer, textLayer, shapeLayer, camera, light *class
	itemCollection, layerCollection                      *class
	queue, queueItems, queueItem, outputModule           *class
	project, textDocument, shape, marker, ease           *class
	file, folder, importOptions                          *class
}

func newSession(ctx context.Context, p *aep.Project, opt Options, root *os.Root, src *source) *session {
	s := &session{
		ctx: ctx, opt: opt, rt: sandbox.New(), project: p, source: src, root: root,
		log:    &log{out: opt.Output},
		things: map[*goja.Object]any{},
		items:  map[*aep.Item]*goja.Object{},
		layers: map[*aep.Layer]*goja.Object{},
		refs:   map[*aep.Layer]*layerRef{},
		props:  map[*aep.Property]*goja.Object{},
		faults: map[*aep.Property]string{},
		app:    &appState{},
	}
	s.eval = &eval.Evaluator{Project: p}
	s.machine = expression.New(expression.Host{Project: p, Eval: s.eval, Fonts: opt.Fonts, ReadData: s.readData})
	s.eval.Expressions = s.machine
	s.errorClass = s.rt.Get("Error").(*goja.Object)
	s.defineEnums()
	s.defineFiles()
	s.defineHost()
	s.defineItems()
	s.defineFootage()
	s.defineComp()
	s.defineProperties()
	s.defineValues()
	s.defineLayers()
	s.defineQueue()
	s.defineApp()
	return s
}

func itoa(n int) string { return strconv.Itoa(n) }
