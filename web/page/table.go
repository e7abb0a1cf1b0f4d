package page

import (
	"fmt"
	"strings"

	"overcrank/aep"
)

// TableLimit is how many bytes a table may have on its page, which shows all of it.
const TableLimit = 4 << 20

// problemsLimit is how many problems are named, as far as a person would read on.
const problemsLimit = 20

// Table is the form that orders many renders, one for each row of a table.
type Table struct {
	Template    Template
	Composition aep.CompositionSummary
	Choices     []aep.CompositionSummary

	Text    string // the table
	Remarks []string
	Columns []TableColumn
	Abouts  []TableAbout // what columns can be about
	Rows    []TableRow   // the first of them
	Files   []TableFile  // that came with the table, and those of it that are missing
	Total   int          // rows

	Codec, Name string
	Preview     bool

	Problems []string
	more     int // problems that are not named

	Ordered int    // jobs of the batch that was made, while the rows of this table were refused
	Batch   string // its id
}

// TableColumn is a column and what it is about.
type TableColumn struct {
	Heading  string
	About    string // "" when it is left out
	Becomes  string // what its cells become
	Proposed bool   // the heading does not say it; it is only likely
	Unknown  bool
}

// TableAbout is something that a column can be about.
type TableAbout struct {
	About, Words, Becomes string
	Option                bool // of the job
}

// TableRow is a row as it will be submitted; Cells are those of the columns that are shown.
type TableRow struct {
	Line  int
	Name  string
	Cells []string
}

// TableFile is a file that the table names or that came with it. Src is "" while it is missing.
type TableFile struct{ Name, Src string }

// Complain notes what is wrong with the table.
func (t *Table) Complain(format string, args ...any) {
	if len(t.Problems) == problemsLimit {
		t.more++
		return
	}
	t.Problems = append(t.Problems, sentence(fmt.Sprintf(format, args...)))
}

// Sound tells whether nothing is wrong with the table.
func (t Table) Sound() bool { return t.Total > 0 && len(t.Problems) == 0 }

// Ready tells whether the table may be submitted: nothing is wrong with it, and nothing about it was guessed.
func (t Table) Ready() bool { return t.Sound() && !t.proposes() }

func (t Table) proposes() bool {
	for _, c := range t.Columns {
		if c.Proposed {
			return true
		}
	}
	return false
}

// lists tells whether a column's present meaning is among those that are offered by name.
func (t Table) lists(c TableColumn) bool {
	for _, a := range t.Abouts {
		if a.About == c.About {
			return true
		}
	}
	return c.About == ""
}

// groups are the offered meanings: of layers, and of the job.
func (t Table) groups() []tableGroup {
	layers, job := tableGroup{Words: "Layers"}, tableGroup{Words: "The job"}
	for _, a := range t.Abouts {
		if a.Option {
			job.Abouts = append(job.Abouts, a)
		} else {
			layers.Abouts = append(layers.Abouts, a)
		}
	}
	return []tableGroup{layers, job}
}

type tableGroup struct {
	Words  string
	Abouts []TableAbout
}

// optionWords are the options of a job as people call them.
var optionWords = map[string]string{
	"name": "Name", "tags": "Tags", "priority": "Priority: -1000 to 1000", "level": "Level: rush, normal, overnight", "composition": "Composition",
	"preview": "Preview: yes or no", "codec": "Codec", "type": "Type: video, image, aep", "frames": "Frames", "notBefore": "Not before: a time",
	"hold": "Hold: yes or no", "output": "Name of the result",
}

func (a TableAbout) label() string {
	if words, known := optionWords[a.Words]; known && a.Option {
		return words
	}
	return a.Words + " (" + a.Becomes + ")"
}

// Shown tells whether the rows show a column: not when it is about nothing, or the name, which stands in front of all.
func (c TableColumn) Shown() bool { return c.About != "" && c.About != "@name" }

// meant are what stands over the columns of the rows.
func (t Table) meant() []string {
	var out []string
	for _, c := range t.Columns {
		if !c.Shown() {
			continue
		}
		if option, ok := strings.CutPrefix(c.About, "@"); ok && optionWords[option] != "" {
			first, _, _ := strings.Cut(optionWords[option], ":")
			out = append(out, first)
		} else {
			out = append(out, c.About)
		}
	}
	return out
}

// kept is a handed-over file as the form holds it.
func (f TableFile) kept() string { return f.Src + " " + f.Name }

// lines is the height of the field that holds the table.
func (t Table) lines() int { return min(max(strings.Count(t.Text, "\n")+1, 4), 12) }

// query names the composition in an address.
func (t Table) query() string {
	return "?template=" + queryText(t.Template.ID) + "&composition=" + queryText(t.Composition.Name)
}

func (n NewJob) query() string {
	return "?template=" + queryText(n.Template.ID) + "&composition=" + queryText(n.Composition.Name)
}
