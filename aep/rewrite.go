package aep

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"overcrank/aep/rifx"
)

// Rewrite writes the binary project file that p was read from (and completed, if it was) with the changes made to p
// since. Everything else in the file, known or not, stays as it is, byte for byte. lost has a sentence for each change
// that could not be written. Nothing is lost silently: the written file is read again and compared with p. XML projects
// are refused with ErrNotProject.
func Rewrite(ctx context.Context, w io.Writer, original []byte, p *Project, lim Limits) (lost []string, err error) {
	if len(original) < 4 || string(original[:4]) != "RIFX" {
		return nil, fmt.Errorf("rewrite project: %w: only binary projects can be changed in place", ErrNotProject)
	}
	lim = lim.filled()
	tree, err := rifx.Parse(original, rifx.Limits{Chunks: lim.Chunks, Depth: lim.Depth})
	if err != nil {
		return nil, fmt.Errorf("rewrite project: %w", err)
	}
	from := newOrigins()
	was, err := decode(ctx, tree, lim, from)
	if err != nil {
		return nil, fmt.Errorf("rewrite project: %w", err)
	}
	Complete(was)
	rw := rewriter{writer: writer{p: p}, was: was, from: from, tree: tree}
	rw.project()

	out, err := tree.Append(nil)
	if err != nil {
		return nil, fmt.Errorf("rewrite project: %w", err)
	}
	read, err := Read(ctx, bytes.NewReader(out), int64(len(out)), lim)
	if err != nil {
		return nil, fmt.Errorf("rewrite project: what was written cannot be read: %w", err)
	}
	Complete(read)
	if _, err := w.Write(out); err != nil {
		return nil, fmt.Errorf("rewrite project: %w", err)
	}
	untouched := differences(was, was) // found by the comparison even without changes
	return slices.DeleteFunc(differences(read, p), func(s string) bool { return slices.Contains(untouched, s) }), nil
}

// rewriter applies the changes of a project to the tree of chunks that it was read from. Chunks share memory with the
// original file, so they get new bodies and lists, and the old ones are never written to.
//
// A chunk is moved within its list only after everything below it was changed, since pointers lead into lists.
type rewriter struct {
	writer
	was  *Project
	from *origins
	tree *rifx.File
}

func (rw *rewriter) project() {
	before := make(map[uint32]*Item, len(rw.was.Items))
	for _, it := range rw.was.Items {
		before[it.ID] = it
	}
	for _, it := range rw.p.Items {
		if was := before[it.ID]; was != nil && was.Kind == it.Kind {
			rw.item(was, it)
		}
	}
	added := map[*rifx.Chunk][]rifx.Chunk{} // by the list they go into
	var lists []*rifx.Chunk
	for _, it := range rw.p.Items {
		if before[it.ID] != nil || it.Parent != nil && before[it.Parent.ID] == nil {
			continue // it existed before, or is written with its folder
		}
		c, err := rw.writer.item(it)
		if err != nil {
			continue // the comparison at the end reports it
		}
		list := rw.folder(it.Parent, before)
		if added[list] == nil {
			lists = append(lists, list)
		}
		added[list] = append(added[list], c)
	}
	for _, list := range lists {
		list.Children = slices.Insert(slices.Clone(list.Children), behindLast(list, "Item"), added[list]...)
	}
}

// folder is the list with the items of a folder, nil for the top.
func (rw *rewriter) folder(parent *Item, before map[uint32]*Item) *rifx.Chunk {
	if parent != nil {
		if sub := rw.from.items[before[parent.ID]].Find("Sfdr"); sub != nil {
			return sub
		}
	}
	return rw.tree.Find("Fold")
}

// behindLast is the index after the last chunk of that id in a list, or after its header.
func behindLast(list *rifx.Chunk, id string) int {
	for i := len(list.Children) - 1; i >= 0; i-- {
		if list.Children[i].ID == id {
			return i + 1
		}
	}
	return min(1, len(list.Children))
}

func (rw *rewriter) item(was, now *Item) {
	c := rw.from.items[was]
	if was.Name != now.Name {
		setText(c, "Utf8", now.Name)
	}
	if was.Comment != now.Comment {
		setComment(c, now.Comment)
	}
	if was.Label != now.Label {
		setByte(c.Find("idta"), idtaLabel, byte(now.Label))
	}
	switch {
	case now.Comp != nil && was.Comp != nil:
		rw.composition(was.Comp, now.Comp, c)
	case now.Footage != nil && was.Footage != nil:
		rw.footage(was, now, c)
	}
}

// setText sets the text chunk of that id in a list, or adds one after the list's header.
func setText(list *rifx.Chunk, id, text string) {
	if c := list.Find(id); c != nil {
		c.Data = []byte(text)
		return
	}
	list.Children = slices.Insert(slices.Clone(list.Children), min(1, len(list.Children)), rifx.Leaf(id, []byte(text)))
}

// setComment sets the comment of an item or a layer, which follows its name and ends with a NUL.
func setComment(list *rifx.Chunk, comment string) {
	body := append([]byte(comment), 0)
	if c := list.Find("cmta"); c != nil {
		c.Data = body
		return
	}
	list.Children = slices.Insert(slices.Clone(list.Children), behindLast(list, "Utf8"), rifx.Leaf("cmta", body))
}

func setByte(c *rifx.Chunk, at int, v byte) {
	if c == nil || at >= len(c.Data) {
		return
	}
	c.Data = bytes.Clone(c.Data)
	c.Data[at] = v
}

// field is a run of bytes of a record that belong together.
type field struct{ at, size int }

// transplant copies the fields in which two written records differ into a record that was read. The fields of a group
// are copied together, such as a fraction whose divisor is elsewhere.
func transplant(c *rifx.Chunk, was, now []byte, groups ...[]field) {
	if c == nil {
		return
	}
	var out []byte
	for _, group := range groups {
		differ := slices.ContainsFunc(group, func(f field) bool {
			return !bytes.Equal(was[f.at:f.at+f.size], now[f.at:f.at+f.size])
		})
		for _, f := range group {
			if !differ || f.at+f.size > len(c.Data) {
				continue
			}
			if out == nil {
				out = bytes.Clone(c.Data)
			}
			copy(out[f.at:f.at+f.size], now[f.at:f.at+f.size])
		}
	}
	if out != nil {
		c.Data = out
	}
}

func single(at, size int) []field { return []field{{at, size}} }

func (rw *rewriter) composition(was, now *Composition, c *rifx.Chunk) {
	transplant(c.Find("cdta"), was.measures(), now.measures(),
		[]field{{cdtaFrameTicks, 4}, {cdtaTicksPerSecond, 4}, {cdtaFrameRate, 4}},
		single(cdtaWorkStart, 8), single(cdtaWorkEnd, 8), single(cdtaDuration, 8), single(cdtaBackground, 3), single(cdtaFlags, 1),
		single(cdtaWidth, 2), single(cdtaHeight, 2), single(cdtaPixelAspect, 8), single(cdtaDisplayStart, 8),
		single(cdtaShutterAngle, 2), single(cdtaShutterPhase, 4),
		single(cdtaShutterLimit, 4), single(cdtaShutterSamples, 4))
	rw.layers(was, now, c)
}

// footage replaces the source of an item if it is another one, and otherwise changes its size and times.
func (rw *rewriter) footage(was, now *Item, c *rifx.Chunk) {
	a, b := *was.Footage, *now.Footage
	a.File.Resolved, b.File.Resolved = "", ""
	if a == b {
		return
	}
	old := c.Find("Pin ")
	written, err := rw.writer.footage(now)
	if err != nil || old == nil {
		return
	}
	if a.Kind != b.Kind || a.File != b.File || a.Format != b.Format {
		*old = written[0]
		return
	}
	before, err := (writer{p: rw.was}).footage(was)
	if err != nil {
		return
	}
	part := func(id string, groups ...[]field) {
		transplant(old.Find(id), before[0].Find(id).Bytes(), written[0].Find(id).Bytes(), groups...)
	}
	part("sspc", single(sspcWidth, 2), single(sspcHeight, 2), single(sspcDuration, 8), single(sspcFrameRate, 6),
		single(sspcAlphaFlags, 1), single(sspcLoop, 1), single(sspcPixelAspect, 8))
	if b.Kind == FootageSolid {
		part("opti", single(optiColor, 16))
	}
}
