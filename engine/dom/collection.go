package dom

import "github.com/dop251/goja"

// collection is an object indexed from 1, such as comp.layers; at returns nil for an index outside of it.
type collection struct {
	s  *session
	n  func() int
	at func(i int) goja.Value
	// own are values that scripts set on the object.
	own map[string]goja.Value
}

func (c *collection) Get(key string) goja.Value {
	if i, ok := index(key); ok {
		if i < 1 || i > c.n() {
			return goja.Undefined()
		}
		return c.at(i)
	}
	return c.own[key]
}

func (c *collection) Set(key string, v goja.Value) bool {
	if _, ok := index(key); ok {
		return false
	}
	if c.own == nil {
		c.own = map[string]goja.Value{}
	}
	c.own[key] = v
	return true
}

func (c *collection) Has(key string) bool {
	if i, ok := index(key); ok {
		return i >= 1 && i <= c.n()
	}
	_, ok := c.own[key]
	return ok
}

func (c *collection) Delete(key string) bool { delete(c.own, key); return true }

func (c *collection) Keys() []string {
	keys := make([]string, c.n())
	for i := range keys {
		keys[i] = itoa(i + 1)
	}
	return keys
}

func (c *class) collection(thing any, n func() int, at func(int) goja.Value) *goja.Object {
	o := c.s.rt.NewDynamicObject(&collection{s: c.s, n: n, at: at})
	_ = o.SetPrototype(c.proto)
	c.s.things[o] = thing
	return o
}

func index(key string) (int, bool) {
	if key == "" || len(key) > 9 {
		return 0, false
	}
	n := 0
	for _, r := range key {
		if r < '0' || r > '9' {
			return 0, false
		}
		n = n*10 + int(r-'0')
	}
	return n, true
}
