package aep

// A property that chooses a mask, such as the path of a text, has the number of the mask as its value, from 1, and 0 for none. A file has
// the mask's identity instead, since numbers change when masks are moved.

// maskChoice is a property that chooses the mask with an identity, 0 for none.
type maskChoice struct {
	prop *Property
	id   uint32
}

// chooseMasks sets the values of the properties that choose a mask.
func chooseMasks(l *Layer, choices []maskChoice) {
	for _, c := range choices {
		if len(c.prop.Keys) == 0 {
			c.prop.Value = Numbers{float64(maskNumber(l, c.id))}
		}
	}
}

// maskNumber is the number of the mask with an identity; 0 when there is none.
func maskNumber(l *Layer, id uint32) int {
	number := 0
	for _, m := range masksOf(l) {
		if m.Mask == nil {
			continue
		}
		number++
		if id != 0 && m.Mask.ID == id {
			return number
		}
	}
	return 0
}

// chosenMask is the identity of the mask that a property chooses; 0 for none.
func chosenMask(l *Layer, p *Property) uint32 {
	left := int(p.Float(0))
	for _, m := range masksOf(l) {
		if m.Mask == nil {
			continue
		}
		if left--; left == 0 {
			return m.Mask.ID
		}
	}
	return 0
}

func masksOf(l *Layer) []*Property {
	if l.Props == nil {
		return nil
	}
	if group := l.Props.Child(matchMasks); group != nil {
		return group.Children
	}
	return nil
}
