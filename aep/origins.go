package aep

import "overcrank/aep/rifx"

// origins records the chunk that each part of a project was read from. A nil *origins records nothing.
type origins struct {
	items  map[*Item]*rifx.Chunk
	layers map[*Layer]*rifx.Chunk
	props  map[*Property]*rifx.Chunk // what follows a property's match name
}

func newOrigins() *origins {
	return &origins{map[*Item]*rifx.Chunk{}, map[*Layer]*rifx.Chunk{}, map[*Property]*rifx.Chunk{}}
}

func (o *origins) item(it *Item, c *rifx.Chunk) {
	if o != nil {
		o.items[it] = c
	}
}

func (o *origins) layer(l *Layer, c *rifx.Chunk) {
	if o != nil {
		o.layers[l] = c
	}
}

func (o *origins) property(p *Property, c *rifx.Chunk) {
	if o != nil {
		o.props[p] = c
	}
}
