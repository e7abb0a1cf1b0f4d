package node

import (
	"encoding/json"

	"overcrank/cmd/overcrank/titlecard"
	"overcrank/farm"
	"overcrank/web"
)

// demo is the title card, with other words than its project has.
func demo() web.Demo {
	text := func(layer, words string) farm.Asset {
		value, _ := json.Marshal(words) // a string always has a JSON text
		return farm.Asset{Type: "text", LayerName: layer, Value: value}
	}
	return web.Demo{
		Name: "Title Card", Composition: titlecard.Composition, Write: titlecard.WriteZip,
		Assets: []farm.Asset{text(titlecard.TitleLayer, "Hello, world"), text(titlecard.SubtitleLayer, "Rendered by your own farm")},
	}
}
