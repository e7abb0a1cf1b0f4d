package inventory

import (
	"encoding/json"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// Shares of a message, in bytes of JSON: the rest of an inventory is small, and the message around it too.
const (
	fontShare   = wire.MaxMessage * 3 / 4
	effectShare = wire.MaxMessage / 16
	pluginShare = wire.MaxMessage / 16
	maxEngines  = 50
)

// bounded is an inventory that fits a message, whatever lies on the disk. Where fonts are too many their families and styles go
// first: text asks for PostScript names.
func bounded(inv farm.Inventory) farm.Inventory {
	if len(inv.Engines) > maxEngines {
		inv.LeftOut += len(inv.Engines) - maxEngines
		inv.Engines = inv.Engines[:maxEngines]
	}
	var out int
	if inv.Fonts, out = fitting(inv.Fonts, fontShare); out > 0 {
		bare := make([]farm.FontUse, 0, len(inv.Fonts)+out)
		for _, f := range inv.Fonts[:len(inv.Fonts)+out] {
			bare = append(bare, farm.FontUse{PostScript: f.PostScript})
		}
		inv.Fonts, out = fitting(bare, fontShare)
	}
	inv.LeftOut += out
	inv.Effects, out = fitting(inv.Effects, effectShare)
	inv.LeftOut += out
	inv.Plugins, out = fitting(inv.Plugins, pluginShare)
	inv.LeftOut += out
	return inv
}

// fitting is as much of the beginning of a list as goes into so many bytes of JSON, and how many go not.
func fitting[T any](list []T, bytes int) (kept []T, out int) {
	for i, element := range list {
		text, err := json.Marshal(element)
		if bytes -= len(text) + 1; err != nil || bytes < 0 {
			return list[:i], len(list) - i
		}
	}
	return list, 0
}
