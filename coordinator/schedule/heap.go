package schedule

// ordered is what lies in a heap: it knows what it goes before, and is told where it lies.
type ordered[E any] interface {
	before(other E) bool
	lies(place int)
}

// heapOf holds elements, the one that goes before all others first.
type heapOf[E ordered[E]] []E

// heap holds items by a key, the least first; equal keys by the order of the ids.
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

// remove takes the element at a place out.
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
