package schedule

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"overcrank/farm"
)

// class is the tasks that have the same need and failed on the same machines.
type class struct {
	index  int
	key    string
	need   Need
	avoid  []string
	barred []string
	asks   []ask
	fonts  []uint32 // required ones, including those that no machine has
	limits []*limit // that each of its tasks takes
	row    set      // profiles that fit
	tasks  int      // in the queue: ready, parked, or with a later NotBefore
}

// ask is one requirement of a class.
type ask struct {
	kind  string // as farm.Requirement has it
	wants farm.Text
	met   func(p *profile) bool
}

func (c *class) fits(p *profile) bool {
	for i := range c.asks {
		if !c.asks[i].met(p) {
			return false
		}
	}
	return true
}

const (
	// maxIdle is how many classes without tasks are kept, since such tasks are likely to come again.
	maxIdle = 512
	// maxAvoiding is how many classes there may be before new tasks ignore their Avoid lists. Avoiding is a preference, and when
	// everything fails everywhere it does not help.
	maxAvoiding = 2048
)

// classOf returns the class of a task, and creates it for the first of its kind.
func (q *Queue) classOf(t Task) *class {
	key := q.keyOf(&t)
	if c := q.classes[string(key)]; c != nil {
		return c
	}
	c := &class{index: q.classNumbers.take(), key: string(key), need: t.Need, avoid: t.Avoid, barred: t.Barred}
	for _, font := range t.Need.Fonts {
		n := q.intern(fontName(font))
		q.asked[n]++
		c.fonts = append(c.fonts, n)
	}
	q.classes[c.key] = c
	for len(q.byIndex) <= c.index {
		q.byIndex = append(q.byIndex, nil)
	}
	q.byIndex[c.index] = c
	q.match(c)
	q.limit(c)
	return c
}

// keyOf returns the key of a task's class, valid until the next call. It clears t.Avoid where the class ignores it.
func (q *Queue) keyOf(t *Task) []byte {
	if len(q.byIndex) > maxAvoiding {
		t.Avoid = nil
	}
	key := t.Need.appendKey(q.key[:0])
	for _, list := range [][]string{t.Avoid, t.Barred} {
		for _, id := range slices.Sorted(slices.Values(list)) {
			key = append(append(key, id...), 0)
		}
		key = append(key, 2)
	}
	q.key = key
	return key
}

// leaveIdle keeps a class that lost its last task, and forgets the one that has been idle for longest.
func (q *Queue) leaveIdle(c *class) {
	q.idle = append(q.idle, c)
	if len(q.idle) <= maxIdle {
		return
	}
	oldest := q.idle[0]
	q.idle = q.idle[1:]
	if oldest.tasks > 0 || q.byIndex[oldest.index] != oldest || slices.Contains(q.idle, oldest) {
		return
	}
	delete(q.classes, oldest.key)
	q.byIndex[oldest.index] = nil
	q.classNumbers.giveBack(oldest.index)
	for _, n := range oldest.fonts {
		q.asked[n]--
	}
	oldest.row.each(func(i int) bool {
		q.profileAt[i].fits.remove(oldest.index)
		return true
	})
	for _, l := range oldest.limits {
		l.classes.remove(oldest.index)
	}
}

// match finds the profiles that fit a class.
func (q *Queue) match(c *class) {
	c.asks = q.asksOf(c)
	c.row.clear()
	for _, p := range q.profileAt {
		switch {
		case p == nil:
		case c.fits(p):
			c.row.add(p.index)
			p.fits.add(c.index)
		default:
			p.fits.remove(c.index)
		}
	}
}

// asksOf returns what a class requires of a machine, given what the farm has: without any After Effects the embedded engine renders
// everything, and a font that no machine has is not required.
func (q *Queue) asksOf(c *class) []ask {
	n := c.need
	asks := []ask{q.askForEngine(n)}
	add := func(kind string, wants farm.Text, met func(*profile) bool) {
		asks = append(asks, ask{kind, wants, met})
	}
	least := version(n.SavedWith)
	if n.SavedWith != "" && n.Engine == EngineAfterEffects && q.adobe > 0 {
		add("version", farm.Say("After Effects %s or later, since the project was saved with it", n.SavedWith), func(p *profile) bool {
			return slices.ContainsFunc(p.versions, func(have [2]int) bool { return slices.Compare(have[:], least[:]) >= 0 })
		})
	}
	if n.OS != "" {
		add("os", farm.AsIs(systemName(n.OS)), func(p *profile) bool { return p.os == n.OS })
	}
	if n.MinMemory > 0 {
		add("memory", farm.Say("%s of memory", gigabytes(n.MinMemory)), func(p *profile) bool { return p.memory >= n.MinMemory })
	}
	if n.Writes != "" {
		add("codec", farm.Say("an encoder for %s", n.Writes), func(p *profile) bool {
			return len(p.writes) == 0 || slices.Contains(p.writes, n.Writes)
		})
	}
	for _, tag := range n.AllTags {
		add("tags", farm.Say("the tag '%s'", tag), func(p *profile) bool { return hasTag(p, tag) })
	}
	if len(n.AnyTags) > 0 {
		add("anyTags", farm.Say("one of the tags %s", quoted(n.AnyTags)), func(p *profile) bool {
			return slices.ContainsFunc(n.AnyTags, func(tag string) bool { return hasTag(p, tag) })
		})
	}
	for _, tag := range n.NoTags {
		add("noTags", farm.Say("tags without '%s'", tag), func(p *profile) bool { return !hasTag(p, tag) })
	}
	for _, secret := range n.Secrets {
		if tags := q.secretTags[secret]; len(tags) > 0 {
			_, name, _ := strings.Cut(secret, "/")
			add("secret", secretWants(name, tags), func(p *profile) bool {
				return slices.ContainsFunc(tags, func(tag string) bool { return slices.Contains(p.given, tag) })
			})
		}
	}
	for i, font := range n.Fonts {
		if number := c.fonts[i]; q.owned[number] > 0 {
			add("font", farm.Say("the font %s", font), func(p *profile) bool { return holds(p.fonts, number) })
		}
	}
	if n.Engine.adobe() && q.adobe > 0 {
		for _, effect := range n.Effects {
			number := q.intern(effectName(effect))
			add("effect", farm.Say("the effect %s", effect), func(p *profile) bool { return holds(p.effects, number) })
		}
	}
	return asks
}

func (q *Queue) askForEngine(n Need) ask {
	switch {
	case n.Engine == EngineEmbedded:
		return ask{"engine", farm.Say("the farm's own renderer"), func(p *profile) bool { return p.own }}
	case n.Engine == EngineAny || q.adobe == 0:
		return ask{"engine", farm.Say("a renderer"), func(p *profile) bool { return p.renders }}
	case n.Engine == EngineAfterEffects:
		return ask{"engine", farm.AsIs("After Effects"), func(p *profile) bool { return len(p.engines) > 0 }}
	default:
		return ask{"engine", farm.AsIs(n.Engine.words()), func(p *profile) bool { return slices.Contains(p.engines, n.Engine) }}
	}
}

// adobe reports whether the engine is any After Effects.
func (e Engine) adobe() bool { return e != EngineAny && e != EngineEmbedded }

// words names an engine for people.
func (e Engine) words() string {
	if year, ok := strings.CutPrefix(string(e), "ae"); ok && year != "" {
		return "After Effects " + year + " (" + string(e) + ")"
	}
	return string(e)
}

// systemName names an operating system for people.
func systemName(os string) string {
	switch os {
	case "darwin":
		return "macOS"
	case "windows":
		return "Windows"
	case "linux":
		return "Linux"
	default:
		return os
	}
}

func gigabytes(bytes int64) string {
	return strconv.FormatFloat(math.Round(float64(bytes)/1e8)/10, 'f', -1, 64) + " GB"
}

// secretWants words the tags that a machine needs to get a secret's value.
func secretWants(name string, tags []string) farm.Text {
	if len(tags) == 1 {
		return farm.Say("the tag %s, without which it may not get the secret '%s'", quoted(tags), name)
	}
	return farm.Say("one of the tags %s, without which it may not get the secret '%s'", quoted(tags), name)
}

// SetSecretTags sets, by SecretKey, the tags of secrets that only some machines may get: operators must have given a machine one of them.
func (q *Queue) SetSecretTags(tags map[string][]string) {
	was := q.secretTags
	q.secretTags = tags
	for _, c := range q.byIndex {
		if c != nil && slices.ContainsFunc(c.need.Secrets, func(s string) bool { return !slices.Equal(was[s], tags[s]) }) {
			q.match(c)
		}
	}
}

func hasTag(p *profile, tag string) bool {
	_, found := slices.BinarySearch(p.tags, tag)
	return found
}

func quoted(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = "'" + name + "'"
	}
	return strings.Join(list, ", ")
}
