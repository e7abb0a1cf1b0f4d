//go:build linux

package chaos_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	submitPatience = 40 * time.Second // how long a submission is sent again under its key
	mostUnsure     = 3                // requests about a job of which nobody knows what became, until clients leave it alone
	mostWaiting    = 24               // jobs that have not ended, as far as clients know, before they submit no more
	familiar       = 24               // jobs, the latest, that clients pick theirs of
	newBeat        = 600              // values of one job, so that its history stays short enough to be checked
	beaters        = 2                // callers that do nothing but change one job, which all others read
)

// promised is a job that the farm has acknowledged.
type promised struct {
	ID     string `json:"id"`
	Key    string `json:"key"` // its name, and of whoever submitted it the only job of that name
	Parent string `json:"parent,omitempty"`
	Batch  string `json:"batch,omitempty"`
	Hook   bool   `json:"hook,omitempty"`

	mu     sync.Mutex
	unsure int
	status string // the latest that somebody saw
}

func (p *promised) saw(status string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !hasEnded(p.status) {
		p.status = status
	}
}

func (p *promised) ended() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return hasEnded(p.status)
}

func (p *promised) doubt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unsure++
}

// clear tells whether not too much about the job is unsure.
func (p *promised) clear() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.unsure < mostUnsure
}

// work is what clients do to a farm until they are told to stop.
type work struct {
	farm    *farm
	history *history
	seed    uint64
	hook    string // address of the receiver

	mu       sync.Mutex
	jobs     []*promised
	batches  map[string][]*promised
	unkept   map[string]operation // submissions without an answer, by key
	number   int
	writes   []time.Duration // when writes were acknowledged
	counted  map[string]int  // requests by kind and outcome
	blocked  atomic.Int64    // requests that were not sent, since the coordinator could not be reached
	beaten   atomic.Pointer[promised]
	lastWhys []string
	pauses   []pause
	shaken   map[string]bool // jobs that had not ended when the farm was put back, see putback_test.go

	gate sync.RWMutex // whoever does something holds it for reading
}

func newWork(f *farm, h *history, seed uint64, hook string) *work {
	return &work{farm: f, history: h, seed: seed, hook: hook, batches: map[string][]*promised{}, unkept: map[string]operation{}, counted: map[string]int{}, shaken: map[string]bool{}}
}

// caller is one of those that work.
type caller struct {
	*work
	number int
	chance *rand.Rand
}

// run works with so many clients until ctx ends, and waits until each has its last answer.
func (w *work) run(ctx context.Context, clients int) {
	var all sync.WaitGroup
	w.beaten.Store(nil) // a job whose history would become too long
	// How long the film takes is known after the first one, and nothing else is in the way of these.
	long := &caller{work: w, number: clients + beaters, chance: rand.New(rand.NewPCG(w.seed, 0x106))}
	all.Go(func() { long.submitLong(context.Background()) })
	for n := range clients {
		c := &caller{work: w, number: n, chance: rand.New(rand.NewPCG(w.seed, uint64(n)+1))}
		all.Go(func() { c.run(ctx) })
	}
	for n := range beaters {
		pulse := &caller{work: w, number: clients + n, chance: rand.New(rand.NewPCG(w.seed, uint64(clients+n)+1))}
		all.Go(func() { pulse.beat(ctx, n) })
	}
	all.Wait()
}

func (c *caller) run(ctx context.Context) {
	for rest(ctx, time.Duration(30+c.chance.IntN(120))*time.Millisecond) {
		c.gate.RLock()
		c.act()
		c.gate.RUnlock()
	}
}

// rest waits, and tells whether ctx goes on.
func rest(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// act does one thing. It is not ended by whoever ends the client: what was begun is seen through.
func (c *caller) act() {
	ctx := context.Background()
	if job := c.beaten.Load(); job != nil && c.chance.IntN(5) == 0 {
		c.read(ctx, job, c.farm.some(c.chance))
		return
	}
	job := c.some()
	n := c.chance.IntN(100)
	if job == nil || n < 22 && c.waiting() < mostWaiting {
		c.submit(ctx)
		return
	}
	switch {
	case n < 62:
		c.read(ctx, job, c.farm.some(c.chance))
	case job.Parent != "":
		c.read(ctx, job, c.farm.some(c.chance)) // what is nested goes with what it is nested in
	case n < 80:
		c.change(ctx, job, asked{Kind: opPriority, Priority: 1 + c.chance.IntN(900)})
	case n < 90:
		c.change(ctx, job, asked{Kind: opRelease})
	case n < 97 || job.Batch == "":
		c.change(ctx, job, asked{Kind: opCancel, Force: c.chance.IntN(3) == 0})
	default:
		c.sweep(ctx, job.Batch)
	}
}

// some is one of the jobs that clients may do something with, mostly one of the latest, nil when there is none.
func (c *caller) some() *promised {
	c.mu.Lock()
	defer c.mu.Unlock()
	from := c.jobs[max(0, len(c.jobs)-familiar):]
	if c.chance.IntN(3) == 0 {
		from = c.jobs
	}
	var found *promised
	for range 8 {
		if len(from) == 0 {
			break
		}
		job := from[c.chance.IntN(len(from))]
		if !job.clear() {
			continue
		}
		if found = job; !job.ended() {
			break // of what has ended little can be asked
		}
	}
	return found
}

// waiting is how many jobs have not ended.
func (w *work) waiting() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, job := range w.jobs {
		if !job.ended() {
			n++
		}
	}
	return n
}

// note counts a request, and remembers when writes were acknowledged.
func (w *work) note(op operation) {
	w.history.add(op)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counted[string(op.Asked.Kind)+" "+string(op.Answer.Outcome)]++
	if op.Asked.Kind != opRead && op.Answer.Outcome == done {
		w.writes = append(w.writes, op.Return)
	}
}

// film is the body of a job that renders one small picture.
func (w *work) film(name string) map[string]any {
	return map[string]any{
		"name": name, "template": map[string]string{"id": w.farm.template, "composition": composition},
		"settings": map[string]any{"type": "image", "frames": 0},
	}
}

// submit submits a job, a family of jobs or a batch.
func (c *caller) submit(ctx context.Context) {
	key := c.newKey("")
	body := c.film(key)
	in := asked{Kind: opSubmit, Held: c.chance.IntN(3) == 0, Priority: 1 + c.chance.IntN(900)}
	body["priority"] = in.Priority
	switch n := c.chance.IntN(10); {
	case n < 2 && !in.Held:
		child := c.film("")
		delete(child, "name")
		child["type"], child["layerName"] = "job", pictureLayer
		body["assets"] = []any{child}
	case n < 4:
		c.submitBatch(ctx, key, in)
		return
	case n < 5 && !in.Held:
		c.submitJoin(ctx, key, in)
		return
	case n < 6 && c.chance.IntN(6) == 0:
		c.submitLong(ctx)
		return
	case n < 6:
		body["settings"] = map[string]any{"type": "video"}
	case n < 7:
		if src := c.upload(ctx); src != "" {
			body["assets"] = []any{map[string]string{"type": "image", "layerName": pictureLayer, "src": src}}
		}
	}
	body["hold"] = in.Held
	hook := c.chance.IntN(2) == 0
	if hook {
		body["webhook"] = map[string]any{"url": c.hook, "data": map[string]string{"key": key}}
	}
	c.send(ctx, "/api/v2/jobs", key, in, hook, body)
}

// submitLong submits a film that is split when machines are free.
func (c *caller) submitLong(ctx context.Context) {
	key := c.newKey("")
	body := c.film(key)
	body["template"] = map[string]string{"id": c.farm.template, "composition": longFilm}
	body["settings"] = map[string]any{"type": "video"}
	in := asked{Kind: opSubmit, Priority: 950}
	body["priority"] = in.Priority
	c.send(ctx, "/api/v2/jobs", key, in, false, body)
}

// send submits a job and keeps it, with those that are nested in it.
func (c *caller) send(ctx context.Context, path, key string, in asked, hook bool, body map[string]any) {
	var created struct {
		ID       string `json:"id"`
		Status   string `json:"status"`
		Children []struct {
			ID     string `json:"id"`
			Status string `json:"status"`
		} `json:"children"`
	}
	op := operation{Client: c.number, Asked: in, Call: c.history.now()}
	if !c.insist(ctx, &op, path, key, c.plainly(in), body, &created) {
		return
	}
	op.Job, op.Answer = created.ID, answer{Outcome: done, Status: created.Status}
	c.keep(op, &promised{ID: created.ID, Key: key, Hook: hook})
	for _, child := range created.Children {
		nested := op
		nested.Job, nested.Asked.Nested, nested.Answer.Status = child.ID, true, child.Status
		c.keep(nested, &promised{ID: child.ID, Parent: created.ID})
	}
}

// newKey is a key that no other submission has.
func (c *caller) newKey(kind string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.work.number++
	return fmt.Sprintf("%d-%s%d-%d", c.seed, kind, c.number, c.work.number)
}

// submitJoin submits a film that is put together of two, which are rendered for it.
func (c *caller) submitJoin(ctx context.Context, key string, in asked) {
	clip := map[string]any{"type": "job", "template": map[string]string{"id": c.farm.template, "composition": composition}, "settings": map[string]any{"type": "video"}}
	body := map[string]any{"name": key, "assets": []any{clip, clip}, "priority": in.Priority}
	c.send(ctx, "/api/v2/jobs/join", key, in, false, body)
}

func (w *work) count(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counted[what]++
}

// upload gives the farm a picture of this caller's own, and its address in jobs; "" when the farm did not take it.
func (c *caller) upload(ctx context.Context) (src string) {
	picture := image.NewGray(image.Rect(0, 0, 64, 36))
	for i := range picture.Pix {
		picture.Pix[i] = uint8(c.chance.IntN(256))
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		c.complain(err.Error())
		return ""
	}
	var kept struct{ Src string }
	if err := c.farm.some(c.chance).put(ctx, "/api/farm/v1/files?name=picture.png", b.Bytes(), &kept); err != nil {
		c.count("upload unsure")
		return ""
	}
	c.count("upload done")
	return kept.Src
}

// submitBatch submits two to four jobs at once.
func (c *caller) submitBatch(ctx context.Context, key string, in asked) {
	jobs := make([]map[string]any, 2+c.chance.IntN(3))
	for i := range jobs {
		jobs[i] = c.film(fmt.Sprintf("%s.%d", key, i))
		jobs[i]["hold"], jobs[i]["priority"] = in.Held, in.Priority
	}
	var created struct {
		BatchID string `json:"batchId"`
		Jobs    []struct {
			Index  int    `json:"index"`
			ID     string `json:"id"`
			Status string `json:"status"`
		} `json:"jobs"`
	}
	op := operation{Client: c.number, Asked: in, Call: c.history.now()}
	if !c.insist(ctx, &op, "/api/v2/batches", key, c.plainly(in), map[string]any{"jobs": jobs}, &created) {
		return
	}
	for _, job := range created.Jobs {
		one := op
		one.Job, one.Answer = job.ID, answer{Outcome: done, Status: job.Status}
		c.keep(one, &promised{ID: job.ID, Key: fmt.Sprintf("%s.%d", key, job.Index), Batch: created.BatchID})
	}
}

// plainly says whether a submission is sent without the header of its key: the leader takes those without asking the others first. One
// that is held is not, since nobody would release it if its answer got lost.
func (c *caller) plainly(in asked) bool { return c.chance.IntN(2) == 0 && !in.Held }

// insist sends a POST under a key until it is answered, to whichever coordinator, and gives up in the end. What is sent plainly is not
// sent again once it may have been taken.
func (c *caller) insist(ctx context.Context, op *operation, path, key string, plainly bool, body, out any) (answered bool) {
	sent, header := false, key
	if plainly {
		header = ""
	}
	for end := time.Now().Add(submitPatience); time.Now().Before(end) && (!sent || !plainly); time.Sleep(time.Duration(50+c.chance.IntN(200)) * time.Millisecond) {
		door := c.farm.some(c.chance)
		op.Node = door.name
		err := door.ask(ctx, http.MethodPost, path, header, body, out)
		op.Return = c.history.now()
		var no *refusal
		switch {
		case err == nil:
			return true
		case errors.As(err, &no) && no.status == http.StatusConflict:
			sent = true // the one before is still at it
			continue
		case errors.As(err, &no):
			c.complain(fmt.Sprintf("%s refused %s: %v", op.Node, path, err))
			return false
		case errors.Is(err, errNotSent):
			c.blocked.Add(1)
		default:
			sent = true
			op.Note = err.Error()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counted[string(opSubmit)+" "+string(unsure)]++
	if sent {
		op.Answer.Outcome = unsure
		c.unkept[key] = *op
	}
	return false
}

// complain remembers what no client should see.
func (w *work) complain(why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lastWhys = append(w.lastWhys, why)
}

// complaints is what no client should have seen.
func (w *work) complaints() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.lastWhys)
}

// keep notes a job that was acknowledged.
func (w *work) keep(op operation, job *promised) {
	w.note(op)
	job.saw(op.Answer.Status)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.jobs = append(w.jobs, job)
	if job.Batch != "" {
		w.batches[job.Batch] = append(w.batches[job.Batch], job)
	}
}

// promises are all jobs that were acknowledged.
func (w *work) promises() []*promised {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.jobs)
}

// read asks one coordinator how a job stands, in one of the two interfaces.
func (c *caller) read(ctx context.Context, job *promised, door *door) (seen bool) {
	var got struct {
		Status   string `json:"status"`
		Priority int    `json:"priority"`
		Hold     bool   `json:"hold"`
	}
	op := operation{Client: c.number, Job: job.ID, Node: door.name, Asked: asked{Kind: opRead}, Call: c.history.now()}
	path := "/api/v2/jobs/" + job.ID
	if op.Answer.Detailed = c.chance.IntN(2) == 0 && job.Parent == ""; op.Answer.Detailed {
		path = "/api/farm/v1/jobs/" + job.ID
	}
	err := door.ask(ctx, http.MethodGet, path, "", nil, &got)
	op.Return = c.history.now()
	if errors.Is(err, errNotSent) {
		c.blocked.Add(1)
		return false
	}
	op.Answer.Outcome = outcomeOf(err)
	if err != nil {
		op.Note = err.Error()
		c.note(op)
		return false
	}
	op.Answer.Status = got.Status
	if op.Answer.Detailed {
		op.Answer.Priority, op.Answer.Held = got.Priority, got.Hold
	}
	job.saw(got.Status)
	c.note(op)
	return true
}

// change does something to a job.
func (c *caller) change(ctx context.Context, job *promised, in asked) outcome {
	door := c.farm.some(c.chance)
	op := operation{Client: c.number, Job: job.ID, Node: door.name, Asked: in, Call: c.history.now()}
	var err error
	switch in.Kind {
	case opPriority:
		err = door.ask(ctx, http.MethodPatch, "/api/farm/v1/jobs/"+job.ID, "", map[string]int{"priority": in.Priority}, nil)
	case opRelease:
		err = door.ask(ctx, http.MethodPost, "/api/farm/v1/jobs/"+job.ID+"/release", "", nil, nil)
	case opCancel:
		path := "/api/v2/jobs/" + job.ID + "/cancel"
		if in.Force {
			path += "?force=true"
		}
		err = door.ask(ctx, http.MethodPatch, path, "", nil, nil)
	}
	op.Return = c.history.now()
	if errors.Is(err, errNotSent) {
		c.blocked.Add(1)
		return ""
	}
	op.Answer.Outcome = outcomeOf(err)
	if err != nil {
		op.Note = err.Error()
	}
	if op.Answer.Outcome == unsure {
		job.doubt()
	}
	c.note(op)
	return op.Answer.Outcome
}

// sweep cancels what waits of a batch.
func (c *caller) sweep(ctx context.Context, batch string) {
	door := c.farm.some(c.chance)
	call := c.history.now()
	err := door.ask(ctx, http.MethodPost, "/api/v2/batches/"+batch+"/cancel", "", nil, nil)
	end := c.history.now()
	if errors.Is(err, errNotSent) {
		c.blocked.Add(1)
		return
	}
	c.mu.Lock()
	jobs := slices.Clone(c.batches[batch])
	c.mu.Unlock()
	for _, job := range jobs {
		op := operation{Client: c.number, Job: job.ID, Node: door.name, Asked: asked{Kind: opSweep}, Answer: answer{Outcome: outcomeOf(err)}, Call: call, Return: end}
		if op.Answer.Outcome == unsure {
			job.doubt()
		}
		c.note(op)
	}
}

func outcomeOf(err error) outcome {
	var no *refusal
	switch {
	case err == nil:
		return done
	case errors.As(err, &no) && no.status == http.StatusNotFound:
		return absent
	case errors.As(err, &no) && no.status == http.StatusConflict:
		return refused
	}
	return unsure
}

// beat changes the priority of a job that is held, all the time, so that one can see for how long nothing is taken. A job of which too
// much is unsure is left for another one by the first of those who do this.
func (c *caller) beat(ctx context.Context, which int) {
	for value := which + 1; rest(ctx, 40*time.Millisecond); value += beaters {
		c.gate.RLock()
		job := c.beaten.Load()
		switch {
		case job != nil && job.clear() && (value%newBeat > beaters || which > 0):
			c.change(context.Background(), job, asked{Kind: opPriority, Priority: value % 1000})
		case which == 0:
			c.beaten.Store(c.pulse())
		}
		c.gate.RUnlock()
	}
}

// pulse submits a job that is held.
func (c *caller) pulse() *promised {
	key := c.newKey("pulse-")
	body := c.film(key)
	body["hold"] = true
	op := operation{Client: c.number, Asked: asked{Kind: opSubmit, Held: true}, Call: c.history.now()}
	var created struct{ ID, Status string }
	if !c.insist(context.Background(), &op, "/api/v2/jobs", key, false, body, &created) {
		return nil
	}
	op.Job, op.Answer = created.ID, answer{Outcome: done, Status: created.Status}
	job := &promised{ID: created.ID, Key: key}
	c.note(op)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.jobs = slices.Insert(c.jobs, max(0, len(c.jobs)-familiar), job) // nobody else's
	return job
}
