package coordinator

import (
	"context"

	"overcrank/coordinator/peers"
	"overcrank/farm"
)

// readingOf is why templates, by id, have not been read, of which only the node that reads them knows.
func (l *leader) readingOf(_ context.Context, ids []string) (map[string]string, error) {
	r := l.c.reading
	r.mu.Lock()
	defer r.mu.Unlock()
	why := map[string]string{}
	for _, id := range ids {
		if words := r.held[id]; words != "" {
			why[id] = words
		}
	}
	return why, nil
}

// WhyUnread tells, by id, why templates that wait to be read are not; those that are merely not done yet are left out. Without a
// leader nobody knows.
func (c *Coordinator) WhyUnread(ctx context.Context, p farm.Principal, templates ...farm.Template) map[string]string {
	var ids []string
	for _, t := range templates {
		if t.Team == p.Team && (t.Status == farm.TemplateProcessing || t.Status == farm.TemplateDownloading) {
			ids = append(ids, t.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	why, err := peers.AskLeader(ctx, c.peers, askReading, ids)
	if err != nil {
		return nil
	}
	return why
}
