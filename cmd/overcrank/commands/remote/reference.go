package remote

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm/names"
)

// IDForm is the form of the farm's ids.
var IDForm = regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{26}$`)

// Pick finds the one of a list that ref names, by its id or by its name.
func Pick[T any](list []T, what, ref string, idAndName func(T) (id, name string)) (T, error) {
	var found, none T
	var known, ids []string
	for _, item := range list {
		id, name := idAndName(item)
		if id == ref {
			return item, nil
		}
		if name == ref {
			found = item
			ids = append(ids, id)
		}
		known = append(known, name)
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

// Find is the id of the invitation that ref means: its id, or whom it is for.
func Find[I any](ctx context.Context, ref string, list func(context.Context) (client.List[I], error), of func(I) (id, name string)) (string, error) {
	if IDForm.MatchString(ref) {
		return ref, nil
	}
	all, err := list(ctx)
	if err != nil {
		return "", err
	}
	found, err := Pick(all.Items, "invitation", ref, of)
	id, _ := of(found)
	return id, err
}
