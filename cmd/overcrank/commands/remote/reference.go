package remote

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm/names"
)

// idForm is the form of the farm's ids.
var idForm = regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{26}$`)

// IsID tells whether a word of the command line has the form of an id; anything else is a name.
func IsID(word string) bool { return idForm.MatchString(word) }

// Named is a record of the farm that people name by its id or its name.
type Named interface{ IDAndName() (id, name string) }

// Find is the id of the record that ref names. what is the kind of record, for errors; list is asked for only when ref is a name.
func Find[T Named](ctx context.Context, what, ref string, list func(context.Context) (client.List[T], error)) (string, error) {
	if IsID(ref) {
		return ref, nil
	}
	all, err := list(ctx)
	if err != nil {
		return "", err
	}
	found, err := Pick(all.Items, what, ref)
	if err != nil {
		return "", err
	}
	id, _ := found.IDAndName()
	return id, nil
}

// Pick is the one record of a list that ref names. It is an error when there is none, with the nearest names (ids of what has no name), and when several
// have the name.
func Pick[T Named](list []T, what, ref string) (T, error) {
	var found, none T
	var known, ids []string
	for _, item := range list {
		id, name := item.IDAndName()
		if id == ref {
			return item, nil
		}
		if name == ref {
			found = item
			ids = append(ids, id)
		}
		known = append(known, cmp.Or(name, id))
	}
	switch len(ids) {
	case 1:
		return found, nil
	case 0:
		return none, exit.NotFoundf("there is no %s '%s': %s", what, ref, names.DidYouMean(ref, known))
	}
	return none, exit.Usagef("%d %ss are called '%s'; say which by its id: %s", len(ids), what, ref, strings.Join(ids, ", "))
}

// DeleteAll finds all that is named before it deletes the first. done is what is said of each: deleted, revoked.
func DeleteAll(refs []string, done string, out *terminal.Output, find func(ref string) (string, error), remove func(id string) error) error {
	ids := make([]string, len(refs))
	for i, ref := range refs {
		id, err := find(ref)
		if err != nil {
			return err
		}
		ids[i] = id
	}
	for i, id := range ids {
		if err := remove(id); err != nil {
			return fmt.Errorf("%s: %w", refs[i], err)
		}
		out.Remark("%s %s", refs[i], done)
	}
	return nil
}
