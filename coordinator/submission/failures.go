package submission

import (
	"context"
	"slices"
	"strings"

	"overcrank/aep"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// RetryFailures submits all jobs again that failed for one cause and still need somebody, as a batch of their own. src, when it is not "",
// is the address of a kept file that each of them gets in the place of the footage that the cause names; jobs of which nobody can tell which layers
// lack it are refused then. CodeNotFound when there are none.
func (s *Submitter) RetryFailures(ctx context.Context, p farm.Principal, cause farm.Cause, src string) (BatchResult, error) {
	if err := p.May(farm.ActSubmit); err != nil {
		return BatchResult{}, err
	}
	if src != "" && cause.Kind != farm.CauseFootage {
		return BatchResult{}, farm.Invalid("the jobs were not submitted", farm.Field("file", "takes the place of missing footage, and that is not why these jobs failed"))
	}
	ids, err := s.openFailures(p, cause)
	if err != nil {
		return BatchResult{}, err
	}
	plan := s.newPlan(p)
	return s.resubmit(ctx, p, ids, func(entry *BatchEntry) error {
		if src == "" || entry.Err != nil {
			return nil
		}
		err := plan.fillFootage(ctx, &entry.Job, cause.Subject, src)
		if farm.CodeOf(err) == farm.CodeConflict {
			entry.Err, err = err, nil
		}
		return err
	})
}

// openFailures are the jobs that failed for a cause and still need somebody; CodeNotFound when there are none.
func (s *Submitter) openFailures(p farm.Principal, cause farm.Cause) ([]string, error) {
	var failures []farm.OpenFailure
	err := s.state.View(func(tx *raftstore.Tx) (err error) {
		failures, _, err = tx.Failures(p.Team, cause, "", farm.MostOpenFailures)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(failures) == 0 {
		return nil, farm.Errorf(farm.CodeNotFound, "no job that failed for %q needs somebody", cause.Key())
	}
	ids := make([]string, len(failures))
	for i, failure := range failures {
		ids[i] = failure.Job
	}
	return ids, nil
}

// FileTaken says how many of the jobs that failed for want of a file would be given it by RetryFailures, and why the others would be refused.
type FileTaken struct {
	Jobs    int
	Refused []FileRefused // the reason of most jobs first
}

// FileRefused is why some jobs are not given a file.
type FileRefused struct {
	Why  error
	Jobs int
}

// FileTaken asks of each job that failed for a cause whether RetryFailures would give it a file. CodeNotFound when no such job needs somebody.
func (s *Submitter) FileTaken(ctx context.Context, p farm.Principal, cause farm.Cause) (taken FileTaken, err error) {
	if err := p.May(farm.ActSubmit); err != nil {
		return taken, err
	}
	ids, err := s.openFailures(p, cause)
	if err != nil {
		return taken, err
	}
	plan := s.newPlan(p)
	for _, id := range ids {
		job, err := s.state.JobOf(p, id)
		if farm.CodeOf(err) == farm.CodeNotFound { // deleted meanwhile
			continue
		}
		if err != nil {
			return taken, err
		}
		err = plan.fillFootage(ctx, &job, cause.Subject, "")
		switch {
		case farm.CodeOf(err) == farm.CodeConflict:
			taken.refuse(err)
		case err != nil:
			return taken, err
		default:
			taken.Jobs++
		}
	}
	slices.SortStableFunc(taken.Refused, func(a, b FileRefused) int { return b.Jobs - a.Jobs })
	return taken, nil
}

func (f *FileTaken) refuse(why error) {
	i := slices.IndexFunc(f.Refused, func(r FileRefused) bool { return r.Why.Error() == why.Error() })
	if i < 0 {
		i = len(f.Refused)
		f.Refused = append(f.Refused, FileRefused{Why: why})
	}
	f.Refused[i].Jobs++
}

// fillFootage gives a file to the layers that lack the footage of a name, unless the job brings them something already. CodeConflict when nobody
// can tell which layers those are.
func (p *plan) fillFootage(ctx context.Context, job *farm.Job, name, src string) error {
	if job.Template.ID == "" {
		return farm.Errorf(farm.CodeConflict, "the farm has not read the project, which is named by its address; put %q beside it there, or upload the project as a template", name)
	}
	var template farm.Template
	err := p.s.state.View(func(tx *raftstore.Tx) (err error) {
		template, err = tx.Template(job.Template.ID)
		return err
	})
	template, _ = template.AtVersion(job.Template.Version)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return nil // which its submission will be refused for
	}
	if err != nil {
		return err
	}
	if template.Introspection == nil {
		return farm.Errorf(farm.CodeConflict, "the farm could not read the template, and so cannot tell which layers lack %q; add the file to the template", name)
	}
	sum, err := p.summary(ctx, *template.Introspection)
	if err != nil {
		return err
	}
	if !tellsLacks(*job) && slices.ContainsFunc(sum.Lacks(job.Template.Composition), func(l aep.Lack) bool { return strings.EqualFold(l.File, name) }) {
		return farm.Errorf(farm.CodeConflict, "the job brings scripts, functions or files of its own, and so the farm cannot tell whether its layers lack %q; add the file to the template", name)
	}
	for _, lack := range lacking(sum, *job) {
		if strings.EqualFold(lack.File, name) {
			job.Assets = append(job.Assets, farm.Asset{Type: lack.Media, LayerName: lack.Layer, Composition: lack.Composition, Src: src, Name: name})
		}
	}
	return nil
}

// SettleFailures takes jobs that failed off the list of those that need somebody, though nothing is done with them.
func (s *Submitter) SettleFailures(ctx context.Context, p farm.Principal, ids []string) error {
	if err := p.May(farm.ActChangeJobs); err != nil {
		return err
	}
	return s.settle(ctx, p.Team, ids)
}

// settle takes those of some jobs off the list that are on it.
func (s *Submitter) settle(ctx context.Context, team string, ids []string) error {
	var open []string
	err := s.state.View(func(tx *raftstore.Tx) error {
		for _, id := range ids {
			switch _, err := tx.Failure(team, id); {
			case err == nil:
				open = append(open, id)
			case farm.CodeOf(err) != farm.CodeNotFound:
				return err
			}
		}
		return nil
	})
	if err != nil || len(open) == 0 {
		return err
	}
	_, err = s.state.Apply(ctx, command.SettleFailures{Team: team, Jobs: open, At: s.state.Now()})
	return err
}
