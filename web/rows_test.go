package web

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestOnlyRowsThatChangedAreSent(t *testing.T) {
	table := func(rows ...string) string {
		return `<div id="jobs"><table><tbody>` + strings.Join(rows, "") + `</tbody></table></div>`
	}
	one, two := `<tr id="job-1"><td>10 %</td></tr>`, `<tr id="job-2" class="x"><td>20 %</td></tr>`
	was := rowsOf(table(one, two))
	further := `<tr id="job-2" class="x"><td>21 %</td></tr>`
	html := table(one, further)
	now := rowsOf(html)
	if got := now.changed(html, was); !now.sameAround(was) || len(got) != 1 || got["job-2"] != further {
		t.Errorf("one row changed, and %v would be sent", slices.Collect(maps.Keys(got)))
	}
	if again := rowsOf(table(one, two)); !again.sameAround(was) || len(again.changed(table(one, two), was)) != 0 {
		t.Error("something of what is the same would be sent")
	}
	for name, other := range map[string]string{
		"another order": table(two, one), "a row less": table(one), "one more": table(one, two, `<tr id="job-3"></tr>`),
		"another row in its place": table(one, `<tr id="job-3" class="x"><td>20 %</td></tr>`), "another heading": "<h1></h1>" + table(one, two),
	} {
		if rowsOf(other).sameAround(was) {
			t.Errorf("%s is taken for the same list", name)
		}
	}
}

func TestPicturesOfAWallAreRows(t *testing.T) {
	was := rowsOf(`<ul><li id="machine-a" data-row class="tile"><a>A</a></li><li id="machine-b" data-row><a>B</a></li><li>no row</li></ul>`)
	html := `<ul><li id="machine-a" data-row class="tile"><a>A 5 %</a></li><li id="machine-b" data-row><a>B</a></li><li>no row</li></ul>`
	now := rowsOf(html)
	if got := now.changed(html, was); !now.sameAround(was) || got["machine-a"] != `<li id="machine-a" data-row class="tile"><a>A 5 %</a></li>` || len(got) != 1 {
		t.Errorf("%v", got)
	}
}
