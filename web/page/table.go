package page

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"overcrank/aep"
	"overcrank/farm"
	"overcrank/web/language"
)

// TableLimit is how many bytes a table may have on its page, which shows all of it.
const TableLimit = 4 << 20

// problemsLimit is how many problems are named, as far as a person would read on.
const problemsLimit = 20

// wordsLimit is how many characters of a problem are shown: some quote what was sent.
const wordsLimit = 400

// Table is the form that orders many renders, one for each row of a table.
type Table struct {
	Template    Template
	Version     int // of the template that the jobs ask for, 0 for the present one
	Composition aep.CompositionSummary
	Choices     []aep.CompositionSummary

	Text    string // the table
	Remarks []farm.Text
	Columns []TableColumn
	Abouts  []TableAbout // what columns can be about
	Rows    []TableRow   // the first of them
	Cards   []TableCard  // of the contact sheet: of all rows, as far as they fit
	Files   []TableFile  // that came with the table, and those of it that are missing
	Total   int          // rows

	Codec, Name string
	Project     string   // id of that to which the jobs belong, "" for none
	Projects    []Choice // that take jobs
	Preview     bool

	BatchName, Due, Zone string // of the batch, as they were typed
	Shown                int    // rows that are shown from the first on
	Editable             bool   // cells can be edited where they are shown

	Problems []TableProblem
	more     int // problems that are not named
	Rest     int // rows that could be submitted without those that something is wrong with; 0 when more than rows is wrong

	Again *Again // the batch whose rows these are; nil for a table of new jobs

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
	Line   int
	Name   string
	Wrong  string // what is wrong with it that is of none of its cells
	Cells  []TableCell
	Row    int    // of a batch, from 1, whose row is submitted again; 0 in a table of new jobs
	Picked bool   // it is to be submitted again
	Before State  // of the job that the row has had
	Failed string // why that failed, when it is of none of the cells; Told says that a cell has it
	Told   bool
}

// TableCard is a row on the contact sheet.
type TableCard struct {
	Line, Number int // of the row, in the table; and what it is called by
	Name         string
	Wrong        string // what is wrong with the row; such a row gets no frame
	Shot         string // what a frame of it is asked for by; "" for one that gets none
	Listed       bool   // the row stands below with its cells
}

// CardsLimit is how much the cards of a contact sheet may say, in bytes.
const CardsLimit = 1 << 20

// TableCell is a cell as it will be submitted, and what is wrong with it.
type TableCell struct {
	Text, Wrong string
	Raw         string // as it stands in the table
	Kept        string // what the file is called that the row keeps while the cell is empty
	Failed      string // why the row's job failed, when the cell is the cause
	Name, Label string // of its field
}

// Again is a batch of which rows are submitted again.
type Again struct {
	Batch, Title string
	AnyEnded     bool // rows that ended well are listed too
	Rows         int  // that can be edited in this table
	Fixed        int  // that cannot be edited anywhere: the farm does not keep what they were made of, or they have no template
	Gone         bool // a row asked for a version of the template whose file is no longer kept: it asks for the present one now
	Others       []AgainOther
}

// AgainOther are rows of another template, composition or version, which have a table of their own.
type AgainOther struct {
	Template, Composition string
	Version               int // of the template that the rows ask for, 0 for the present one
	Rows                  int
}

// AddOther counts a row of another template, composition or version.
func (a *Again) AddOther(template, composition string, version int) {
	for i := range a.Others {
		if o := &a.Others[i]; o.Template == template && o.Composition == composition && o.Version == version {
			o.Rows++
			return
		}
	}
	a.Others = append(a.Others, AgainOther{template, composition, version, 1})
}

// words say what the rows are of.
func (o AgainOther) words(ctx context.Context) string {
	if o.Version > 0 {
		return say(ctx, "%s, version %d", clip(o.Composition), o.Version)
	}
	return clip(o.Composition)
}

// address is that of a table of the batch's rows; of says of which, nothing for those of the first row's template.
func (a *Again) address(of AgainOther, anyEnded bool) string {
	query := url.Values{}
	if of.Template != "" {
		query.Set("template", of.Template)
		query.Set("composition", of.Composition)
	}
	if of.Version > 0 {
		query.Set("version", count(of.Version))
	}
	if anyEnded {
		query.Set("rows", "ended")
	}
	if len(query) == 0 {
		return "/batches/" + a.Batch + "/edit"
	}
	return "/batches/" + a.Batch + "/edit?" + query.Encode()
}

// KeepRows leaves those rows on the page that keep chooses.
func (t *Table) KeepRows(keep func(TableRow) bool) {
	t.Rows = slices.DeleteFunc(t.Rows, func(r TableRow) bool { return !keep(r) })
	t.Total = len(t.Rows)
}

// emptyMeans says what an empty cell comes to.
func (c TableCell) emptyMeans(ctx context.Context) string {
	if c.Kept != "" {
		return say(ctx, "as before: %s", clip(c.Kept))
	}
	return say(ctx, "unchanged")
}

// picked is how many of the rows that are shown are to be submitted again.
func (t Table) picked() (n int) {
	for _, r := range t.Rows {
		if r.Picked {
			n++
		}
	}
	return n
}

// cellPrefix begins the names of the fields of cells.
const cellPrefix = "cell:"

// CellName is the name of the field of a cell, in a line from 1 and a column from 0.
func CellName(line, column int) string { return fmt.Sprintf("%s%d:%d", cellPrefix, line, column) }

// IsCellName tells whether a field is that of a cell.
func IsCellName(name string) bool { return strings.HasPrefix(name, cellPrefix) }

// TextMark marks the text of a table: cells that were drawn of another text say nothing of it.
func TextMark(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// frame is the frame that the contact sheet begins with, and last the last one there is.
func (t Table) frame() (first, last int) {
	n := NewJob{Composition: t.Composition}
	return n.frameToShow(), n.lastFrame()
}

// title is what a card is called.
func (c TableCard) title(ctx context.Context, t Table) string {
	name := c.Name
	if name == "" {
		name = t.Template.DisplayName
	}
	return grouped(ctx, c.Number) + ". " + clip(name)
}

// rate is how many frames a second has, for the time beside the slider.
func (t Table) rate() string { return Number(t.Composition.FrameRate) }

// mark shows a problem at the cell that it is about, or at the row when that one is not shown.
func (r *TableRow) mark(ctx context.Context, columns []TableColumn, p TableProblem) {
	at := -1
	for i, c := range columns {
		if c.Shown() {
			at++
		}
		if i == p.Column-1 && c.Shown() && at < len(r.Cells) {
			r.Cells[at].Wrong = sentence(clipTo(p.Words, wordsLimit))
			return
		}
	}
	r.Wrong = p.Sentence(ctx)
}

// Mark shows problems of the row where they are.
func (r *TableRow) Mark(ctx context.Context, columns []TableColumn, problems []TableProblem) {
	for _, p := range problems {
		r.mark(ctx, columns, p)
	}
}

// TableProblem is something wrong with a table: with a cell, with a line, or with all of it.
type TableProblem struct {
	Line    int    // 0 where it is about no line
	Row     int    // of the batch, from 1, when the line is one of its rows that is submitted again
	Column  int    // from 1; 0 where it is about no cell
	Heading string // of the column, "" where it has none
	Words   string
	// Repeated says that an earlier line has the same problem: it is shown at its cell only.
	Repeated bool
}

// Brief says the problem without its place.
func (p TableProblem) Brief() string { return sentence(clipTo(p.Words, wordsLimit)) }

// Sentence says the problem with its place.
func (p TableProblem) Sentence(ctx context.Context) string {
	words := clipTo(p.Words, wordsLimit)
	switch {
	case p.Line == 0:
		return sentence(words)
	case p.Row > 0 && p.Heading != "":
		return sentence(say(ctx, "row %s, column “%s”: %s", count(p.Row), clip(p.Heading), words))
	case p.Row > 0:
		return sentence(say(ctx, "row %s: %s", count(p.Row), words))
	case p.Heading != "":
		return sentence(say(ctx, "line %s, column “%s”: %s", count(p.Line), clip(p.Heading), words))
	case p.Column > 0:
		return sentence(say(ctx, "line %s, column %s: %s", count(p.Line), count(p.Column), words))
	}
	return sentence(say(ctx, "line %s: %s", count(p.Line), words))
}

// TableFile is a file that the table names or that came with it. Src is "" while it is missing.
type TableFile struct{ Name, Src string }

// Complain notes what is wrong with the table as a whole.
func (t *Table) Complain(words string) {
	t.Blame(TableProblem{Words: words})
}

// Blame notes what is wrong with the table.
func (t *Table) Blame(p TableProblem) {
	if p.Repeated {
		return
	}
	if len(t.Problems) == problemsLimit {
		t.more++
		return
	}
	t.Problems = append(t.Problems, p)
}

// Refuse notes why the farm did not take the job of a row.
func (t *Table) Refuse(ctx context.Context, problems []TableProblem) {
	for _, p := range problems {
		t.Blame(p)
		for i := range t.Rows {
			if t.Rows[i].Line == p.Line {
				t.Rows[i].mark(ctx, t.Columns, p)
			}
		}
	}
	t.Rest = 0
}

// Separable tells whether the rows with nothing wrong can be submitted without the others.
func (t Table) Separable() bool { return t.Rest > 0 && t.Rest < t.Total && !t.proposes() }

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
	layers, job := tableGroup{Words: language.Text("Layers")}, tableGroup{Words: language.Text("The job")}
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
	"name": language.Text("Name"), "tags": language.Text("Tags"), "priority": language.Text("Priority: -1000 to 1000"),
	"level": language.Text("Level: rush, normal, overnight"), "composition": language.Text("Composition"), "preview": language.Text("Preview: yes or no"),
	"codec": language.Text("Codec"), "type": language.Text("Type: video, image, aep"), "frames": language.Text("Frames"),
	"notBefore": language.Text("Not before: a time"), "hold": language.Text("Hold: yes or no"), "project": language.Text("Project"), "output": language.Text("Name of the result"),
}

func (a TableAbout) label(ctx context.Context) string {
	if words, known := optionWords[a.Words]; known && a.Option {
		return say(ctx, words)
	}
	return a.Words + " (" + say(ctx, a.Becomes) + ")"
}

// Shown tells whether the rows show a column: not when it is about nothing, or the name, which stands in front of all.
func (c TableColumn) Shown() bool { return c.About != "" && c.About != "@name" }

// meant are what stands over the columns of the rows.
func (t Table) meant(ctx context.Context) []string {
	var out []string
	for _, c := range t.Columns {
		if !c.Shown() {
			continue
		}
		if option, ok := strings.CutPrefix(c.About, "@"); ok && optionWords[option] != "" {
			first, _, _ := strings.Cut(say(ctx, optionWords[option]), ":")
			out = append(out, strings.TrimSpace(first))
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
func (t Table) query() string { return t.queryOf(t.Composition.Name) }

// queryOf names another composition in an address.
func (t Table) queryOf(composition string) string {
	return formQuery(t.Template.ID, composition, t.Version)
}

func (n NewJob) query() string { return n.queryOf(n.Composition.Name) }

// queryOf is the address of the form of a composition behind its path.
func (n NewJob) queryOf(composition string) string {
	return formQuery(n.Template.ID, composition, n.Version)
}

// formQuery names what a form is about in its address; version is 0 for the present one.
func formQuery(template, composition string, version int) string {
	query := "?template=" + queryText(template) + "&composition=" + queryText(composition)
	if version > 0 {
		query += "&version=" + count(version)
	}
	return query
}

// zoneWords say on which clock a time is, as the form's field of its zone holds it.
func zoneWords(ctx context.Context, zone string) string {
	if zone != "0" {
		return say(ctx, "in your time zone")
	}
	return "UTC"
}

// editedLimit is how long a cell may be, in bytes, that is edited where it is shown.
const editedLimit = 2000

// edits tells whether a cell is edited where it is shown.
func (t Table) edits(c TableCell) bool { return t.Editable && len(c.Raw) <= editedLimit }
