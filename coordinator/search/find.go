package search

import (
	"cmp"
	"context"
	"slices"
	"time"

	"overcrank/farm"
	"overcrank/raftstore"
)

// Found is one thing that was found.
type Found struct {
	Kind Kind
	ID   string
	Name string // what people call it; "" for what has no name
	// Status is the state of a job or template, and the role of a person for those who look after people; "" for what has none.
	Status string
	// By is who submitted a job, Template and Composition what it renders; Jobs is how many a batch has.
	By, Template, Composition string
	Jobs                      int
	At                        time.Time // when it was made
}

// Answer is what was found.
type Answer struct {
	Found []Found // by kind, in the order of Kinds
	// More are the kinds of which there is more than was asked for.
	More []Kind
	// Indexing is how far the index has come that is being made; nil when everything can be found.
	Indexing *Progress
}

// MaxFound is how many of a kind may be asked for.
const MaxFound = 100

// looked is how many records of a kind are read for an answer at most: the best of these come first.
const looked = 2 * MaxFound

// Find finds what the caller may see, at most limit of each kind; kind is "" for all of them. What is called as the query says comes first, then
// what was made last.
func (s *Search) Find(_ context.Context, p farm.Principal, text string, kind Kind, limit int) (Answer, error) {
	if err := p.May(farm.ActView); err != nil {
		return Answer{}, err
	}
	q, err := Read(text)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Indexing: s.progress.Load()}
	x := s.index.Load()
	if x == nil || q.Empty() {
		return answer, nil
	}
	limit = min(limit, MaxFound)
	for _, k := range Kinds() {
		if kind != "" && k != kind {
			continue
		}
		found, more, err := s.ofKind(x, p, q, k, limit)
		if err != nil {
			return Answer{}, err
		}
		answer.Found = append(answer.Found, found...)
		if more {
			answer.More = append(answer.More, k)
		}
	}
	return answer, nil
}

// ofKind finds the records of one kind.
func (s *Search) ofKind(x *index, p farm.Principal, q Query, kind Kind, limit int) (found []Found, more bool, err error) {
	shelves := []shelf{{kind, p.Team}}
	switch kind {
	case KindMachine:
		shelves[0].team = ""
	case KindBatch:
		shelves = append(shelves, shelf{KindJob, p.Team}) // whose words those of a batch are too
	}
	for _, on := range shelves {
		some, whole, err := s.onShelf(x, on, q, kind)
		if err != nil {
			return nil, false, err
		}
		more = more || !whole
		if kind == KindPerson && !p.Can(farm.ActManageTokens) {
			some = namesakes(some, q)
		}
		for _, f := range some {
			if !slices.ContainsFunc(found, func(g Found) bool { return g.ID == f.ID }) {
				found = append(found, f)
			}
		}
	}
	slices.SortFunc(found, func(a, b Found) int { // by age here too: records that came together have their numbers by chance
		return cmp.Or(cmp.Compare(q.rank(a), q.rank(b)), b.At.Compare(a.At), cmp.Compare(b.ID, a.ID))
	})
	if len(found) > limit {
		return found[:limit], true, nil
	}
	return found, more, nil
}

// namesakes are the people whose names are what was searched for. That is all that their colleagues know of them: roles and addresses are
// for those who look after people.
func namesakes(found []Found, q Query) (list []Found) {
	for _, f := range found {
		if q.within(f.Name) {
			f.Status = ""
			list = append(list, f)
		}
	}
	return list
}

// onShelf finds the records of one kind by the words of a shelf; whole is false where there may be more.
func (s *Search) onShelf(x *index, on shelf, q Query, kind Kind) (found []Found, whole bool, err error) {
	var ids []string
	all, err := x.find(on, q, "", func(id string) bool {
		ids = append(ids, id)
		return len(ids) < looked
	})
	if err != nil {
		s.changes.tell() // a damaged index is made again
		return nil, false, err
	}
	err = s.state.View(func(tx *raftstore.Tx) error {
		known := map[string]bool{}
		for _, id := range ids {
			if kind == KindBatch && on.kind == KindJob {
				job, err := tx.JobHead(id)
				if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
					return err
				}
				id = job.Batch
			}
			if id == "" || known[id] {
				continue
			}
			known[id] = true
			f, err := foundRecord(tx, on.team, kind, id)
			if farm.CodeOf(err) == farm.CodeNotFound {
				continue
			}
			if err != nil {
				return err
			}
			found = append(found, f)
		}
		return nil
	})
	return found, all && len(ids) < looked, err
}

// rank is smaller for what is more likely meant.
func (q Query) rank(f Found) int {
	switch {
	case q.is(f.ID):
		return 0
	case q.within(f.Name):
		return 1
	default:
		return 2
	}
}

// foundRecord reads what was found from the state, which alone says what is there and whose it is.
func foundRecord(tx *raftstore.Tx, team string, kind Kind, id string) (Found, error) {
	none := farm.Errorf(farm.CodeNotFound, "%s %s is gone", kind, id)
	switch kind {
	case KindJob:
		job, err := tx.JobHead(id)
		if err == nil && job.Team != team {
			err = none
		}
		return Found{
			Kind: kind, ID: job.ID, Name: job.Name, Status: string(job.Status), By: job.SubmittedBy,
			Template: job.Template.ID, Composition: job.Template.Composition, At: job.CreatedAt,
		}, err
	case KindBatch:
		batch, err := tx.Batch(id)
		if err == nil && batch.Team != team {
			err = none
		}
		if err != nil {
			return Found{}, err
		}
		return foundBatch(tx, batch)
	case KindTemplate:
		t, err := tx.Template(id)
		if err == nil && t.Team != team {
			err = none
		}
		return Found{Kind: kind, ID: t.ID, Name: t.DisplayName, Status: string(t.Status), At: t.CreatedAt}, err
	case KindMachine:
		a, err := tx.Agent(id)
		return Found{Kind: kind, ID: a.ID, Name: a.Name, At: a.EnrolledAt}, err
	default:
		t, err := tx.Token(id)
		if err == nil && t.Team != team {
			err = none
		}
		return Found{Kind: kind, ID: t.ID, Name: t.Name, Status: string(t.Role), At: t.CreatedAt}, err
	}
}

// foundBatch is a batch, which is called what its first job is unless it has a name.
func foundBatch(tx *raftstore.Tx, batch farm.Batch) (Found, error) {
	f := Found{Kind: KindBatch, ID: batch.ID, Name: batch.Name, Jobs: len(batch.Jobs), At: batch.CreatedAt}
	if f.Jobs == 0 {
		return f, nil
	}
	first, err := tx.JobHead(batch.Jobs[0].ID)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return f, nil
	}
	f.Name = cmp.Or(f.Name, first.Name)
	f.By, f.Template, f.Composition = batch.Owner(first), first.Template.ID, first.Template.Composition
	return f, err
}
