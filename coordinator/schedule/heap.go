package schedule

// ordered is an element of a heap: it knows its order, and is told its index.
type ordered[E any] interface {
	before(other E) bool
	lies(place int)
}

// heapOf is a binary heap, the first element on top.
type heapOf[E ordered[E]] []E

// heap orders items by a key, then by id.
type heap = heapOf[entry]

type entry struct {
	key int64
	it  *item
}

func (a entry) before(b entry) bool { return a.key < b.key || a.key == b.key && a.it.beforeByID(b.it) }

func (a entry) lies(place int) { a.it.place = int32(place) }

func (h *heapOf[E]) push(e E) {
	*h = append(*h, e)
	h.up(len(*h)-1, e)
}

// remove removes the element at an index.
func (h *heapOf[E]) remove(place int) E {
	out, last := (*h)[place], len(*h)-1
	moved := (*h)[last]
	var none E
	(*h)[last] = none
	*h = (*h)[:last]
	switch {
	case place == last:
	case place > 0 && moved.before((*h)[(place-1)/2]):
		h.up(place, moved)
	default:
		h.down(place, moved)
	}
	if cap(*h) > 64 && len(*h) < cap(*h)/4 {
		*h = append(make(heapOf[E], 0, 2*len(*h)), *h...)
	}
	return out
}

func (h heapOf[E]) up(i int, e E) {
	for i > 0 && e.before(h[(i-1)/2]) {
		h.put(i, h[(i-1)/2])
		i = (i - 1) / 2
	}
	h.put(i, e)
}

func (h heapOf[E]) down(i int, e E) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(e) {
			break
		}
		h.put(i, h[child])
		i = child
	}
	h.put(i, e)
}

func (h heapOf[E]) put(i int, e E) {
	h[i] = e
	e.lies(i)
}
