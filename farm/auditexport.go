package farm

import (
	"strconv"
	"strings"
)

// AuditRow is a record of the audit log as a table has it.
type AuditRow struct {
	At, By, Name, Address, Action string
	Kind, Thing, ThingName        string
	More, Times                   int
	Refused, Reason               string
	Left, Joined                  string // names of teams
}

// AuditColumns are the headings of a table of the audit log.
func AuditColumns() []string {
	return []string{"at", "by", "name", "address", "action", "kind", "thing", "thingName", "more", "times", "refused", "reason", "left", "joined"}
}

// Cells are the row's cells. Names come from anybody, and programs that open tables take some beginnings for formulas: those get an apostrophe before them.
func (r AuditRow) Cells() []string {
	cells := []string{
		r.At, r.By, r.Name, r.Address, r.Action, r.Kind, r.Thing, r.ThingName, strconv.Itoa(r.More), strconv.Itoa(max(1, r.Times)), r.Refused, r.Reason, r.Left, r.Joined,
	}
	for i, cell := range cells {
		if strings.HasPrefix(cell, "=") || strings.HasPrefix(cell, "+") || strings.HasPrefix(cell, "-") || strings.HasPrefix(cell, "@") || strings.HasPrefix(cell, "\t") || strings.HasPrefix(cell, "\r") {
			cells[i] = "'" + cell
		}
	}
	return cells
}

// Row is the record as a table has it.
func (r AuditRecord) Row() AuditRow {
	return AuditRow{
		At: r.At.UTC().Format("2006-01-02T15:04:05.000Z"), By: r.Token, Name: r.Name, Address: r.Address, Action: string(r.Action), Kind: r.Thing.Kind, Thing: r.Thing.ID,
		ThingName: r.Thing.Name, More: r.More, Times: r.Times, Refused: string(r.Refused), Reason: r.Reason, Left: r.Left.Name, Joined: r.Joined.Name,
	}
}
