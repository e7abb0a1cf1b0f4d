package text

import (
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/font/opentype/tables"
)

// maxInstances limits what one variable font adds to the index.
const maxInstances = 200

// instances are the named members of the family in a variable font's file, such as Bold and Light.
func instances(ld *opentype.Loader, names tables.Name, base entry) []*entry {
	raw, err := ld.RawTable(opentype.MustNewTag("fvar"))
	if err != nil {
		return nil
	}
	fvar, _, err := tables.ParseFvar(raw)
	if err != nil {
		return nil
	}
	var out []*entry
	for _, in := range fvar.Instances[:min(len(fvar.Instances), maxInstances)] {
		if len(in.Coordinates) != len(fvar.Axis) {
			continue
		}
		e := base
		e.style = names.Name(tables.NameID(in.SubfamilyNameID))
		e.postScript = ""
		if id := in.PostScriptNameID; id != 0 && id != 0xFFFF {
			e.postScript = names.Name(tables.NameID(id))
		}
		if e.postScript == "" { // by the rule for instances without one: family, hyphen, style
			e.postScript = base.family + "-" + e.style
		}
		e.full = base.family + " " + e.style
		e.variations = nil
		for i, axis := range fvar.Axis {
			v := float32(in.Coordinates[i])
			e.variations = append(e.variations, font.Variation{Tag: axis.Tag, Value: v})
			switch axis.Tag {
			case opentype.MustNewTag("wght"):
				e.look.weight = float64(v)
			case opentype.MustNewTag("wdth"):
				e.look.narrow = v < 95
			case opentype.MustNewTag("ital"), opentype.MustNewTag("slnt"):
				e.look.italic = e.look.italic || v != 0
			}
		}
		out = append(out, &e)
	}
	return out
}
