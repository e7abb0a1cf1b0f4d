package web

import (
	"hash/maphash"
	"regexp"
)

// A row of a list: of a table, or a picture on a wall. Text in it is escaped, and no row is within another.
var rowForm = regexp.MustCompile(`(?s)<tr id="([^"]+)".*?</tr>|<li id="([^"]+)" data-row.*?</li>`)

// drawn is what was sent of a piece of a page, as hashes.
type drawn struct {
	around uint64 // all but what stands in rows: their ids and order too
	rows   map[string]uint64
	places map[string][2]int // of rows in the text, of the latest one only
}

var drawnSeed = maphash.MakeSeed()

// rowsOf takes a piece of a page apart.
func rowsOf(html string) drawn {
	d := drawn{rows: map[string]uint64{}, places: map[string][2]int{}}
	var around maphash.Hash
	around.SetSeed(drawnSeed)
	at := 0
	for _, m := range rowForm.FindAllStringSubmatchIndex(html, -1) {
		id := ""
		for i := 2; i < len(m); i += 2 {
			if m[i] >= 0 {
				id = html[m[i]:m[i+1]]
			}
		}
		_, _ = around.WriteString(html[at:m[0]]) // writing to a hash never fails
		_, _ = around.WriteString(id + "\x00")
		d.rows[id], d.places[id] = maphash.String(drawnSeed, html[m[0]:m[1]]), [2]int{m[0], m[1]}
		at = m[1]
	}
	_, _ = around.WriteString(html[at:])
	d.around = around.Sum64()
	return d
}

// sameAround says whether at most what stands in rows is different.
func (d drawn) sameAround(was drawn) bool {
	return d.around == was.around && len(d.rows) == len(was.rows)
}

// changed are the rows that are not as they were, of the text that d was made of.
func (d drawn) changed(html string, was drawn) map[string]string {
	rows := map[string]string{}
	for id, hash := range d.rows {
		if was.rows[id] != hash {
			rows[id] = html[d.places[id][0]:d.places[id][1]]
		}
	}
	return rows
}
