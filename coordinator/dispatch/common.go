package dispatch

import (
	"overcrank/coordinator/forecast"
	"overcrank/farm"
	"overcrank/raftstore"
)

// common is what jobs have in common, while many of them are looked at: most are of a few templates, and to read these again for each, with what
// was measured on every machine, would be nearly all of the work. It is no older than the answer that it is for.
type common struct {
	templates map[[2]string]*farm.Template
	measured  map[measuredBy]measured
}

// measuredBy is what the timings of a job's composition are kept by.
type measuredBy struct {
	file                 [2]string
	composition, quality string
	preview, join, adobe bool
}

// measured are the timings of a composition, on all machines together and on each.
type measured struct {
	timings  forecast.Timings
	machines map[string]farm.Timing
}

func newCommon() *common {
	return &common{map[[2]string]*farm.Template{}, map[measuredBy]measured{}}
}

// template is the registered template of a job, as the job renders it; nil when it has none.
func (c *common) template(tx *raftstore.Tx, job farm.Job) (*farm.Template, error) {
	file := fileOf(job)
	if known, read := c.templates[file]; read {
		return known, nil
	}
	template, err := templateOf(tx, job)
	if err == nil {
		c.templates[file] = template
	}
	return template, err
}

// measuredOf reads the timings of a job's composition.
func (c *common) measuredOf(tx *raftstore.Tx, job farm.Job, template farm.Template, adobe bool) (m measured, err error) {
	by := measuredBy{fileOf(job), job.Template.Composition, job.Settings.Quality, job.Preview, job.Join, adobe}
	if known, read := c.measured[by]; read {
		return known, nil
	}
	if m.timings, err = forecast.TimingsOf(tx, job, template, adobe); err != nil {
		return m, err
	}
	if m.machines, err = forecast.MachinesOf(tx, job, template, adobe); err == nil {
		c.measured[by] = m
	}
	return m, err
}
