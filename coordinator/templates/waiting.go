package templates

import (
	"context"

	"overcrank/farm"
)

// Waiting tells, by id, why templates that wait to be read are not; only the node that reads them knows. Those of which there is nothing to
// say are left out.
func (c *Catalog) Waiting(ids []string) map[string]string {
	r := c.reading
	r.mu.Lock()
	defer r.mu.Unlock()
	why := map[string]string{}
	for _, id := range ids {
		if words := r.waiting[id]; words != "" {
			why[id] = words
		}
	}
	return why
}

// WhyUnread asks the leader, whichever node that is, for Waiting. Without a leader nobody knows.
func (c *Catalog) WhyUnread(ctx context.Context, p farm.Principal, templates ...farm.Template) map[string]string {
	var ids []string
	for _, t := range templates {
		if t.Team == p.Team && (t.Status == farm.TemplateProcessing || t.Status == farm.TemplateDownloading) {
			ids = append(ids, t.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	why, err := c.farm.AskWaiting(ctx, ids)
	if err != nil {
		return nil
	}
	return why
}
