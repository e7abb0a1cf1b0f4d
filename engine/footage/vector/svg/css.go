package svg

import (
	"cmp"
	"slices"
	"strings"
)

// The bounds of style sheets.
const (
	maxRules        = 20_000
	maxDeclarations = 100_000
	maxTried        = 20_000_000
)

// declaration is a property with its value.
type declaration struct {
	name, value string
	important   bool
}

// rule is the declarations for what a selector of one element selects.
type rule struct {
	name, id string // "" for any
	classes  []string
	weight   int // specificity
	number   int // in the order of the sheets
	set      []declaration
}

// sheet is the rules of all style sheets, by what a selector asks for most: an id, a class or a name.
type sheet struct {
	rules       map[string][]*rule
	number, set int
	tried       int  // rules, for all elements
	unread      bool // selectors that are not understood were left out
}

// read adds the rules of a style sheet. Rules for all media and for screens count; other rules with @ are left out.
func (s *sheet) read(css string) { s.rulesOf(uncommented(css), 0) }

// maxSheets limits rules for media within others.
const maxSheets = 4

func (s *sheet) rulesOf(css string, depth int) {
	for s.number < maxRules {
		open := strings.IndexByte(css, '{')
		if open < 0 {
			return
		}
		selectors := css[:open]
		if at := strings.LastIndexByte(selectors, ';'); at >= 0 { // after @import and the like
			selectors = selectors[at+1:]
		}
		selectors = strings.TrimSpace(selectors)
		end := closing(css, open)
		body := css[open+1 : end]
		css = css[min(len(css), end+1):]
		switch medium, ok := strings.CutPrefix(selectors, "@media"); {
		case ok && depth < maxSheets:
			if medium = strings.TrimSpace(medium); medium == "all" || medium == "screen" {
				s.rulesOf(body, depth+1)
			}
		case strings.HasPrefix(selectors, "@"):
		default:
			s.add(selectors, body)
		}
	}
}

// closing is where the brace that opens at a place is closed.
func closing(css string, open int) int {
	depth := 0
	for i := open; i < len(css); i++ {
		switch css[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(css)
}

func (s *sheet) add(selectors, body string) {
	set := declarations(body)
	if s.set += len(set); s.set > maxDeclarations {
		return
	}
	for selector := range strings.SplitSeq(selectors, ",") {
		r, ok := selected(strings.TrimSpace(selector))
		if !ok || s.number >= maxRules {
			s.unread = true
			continue
		}
		r.set, r.number = set, s.number
		s.number++
		key := r.name
		switch {
		case r.id != "":
			key = "#" + r.id
		case len(r.classes) > 0:
			key = "." + r.classes[0]
		}
		if s.rules == nil {
			s.rules = make(map[string][]*rule)
		}
		s.rules[key] = append(s.rules[key], r)
	}
}

// selected reads a selector of one element, such as "path.st0"; false for those that ask for others around it.
func selected(v string) (*rule, bool) {
	r := &rule{}
	if v == "" || strings.ContainsAny(v, " >+~:[\t\n") {
		return nil, false
	}
	for v != "" {
		next := strings.IndexAny(v[1:], ".#") + 1
		if next == 0 {
			next = len(v)
		}
		part := v[:next]
		v = v[next:]
		switch {
		case part == "*":
		case part[0] == '.':
			r.classes = append(r.classes, part[1:])
			r.weight += 100
		case part[0] == '#':
			r.id = part[1:]
			r.weight += 10_000
		default:
			r.name = part
			r.weight++
		}
	}
	return r, len(r.classes) <= 8
}

// declarations reads what stands between the braces of a rule, or in a style attribute.
func declarations(body string) []declaration {
	var out []declaration
	for len(body) > 0 {
		end := semicolon(body)
		name, value, ok := strings.Cut(body[:end], ":")
		body = body[min(len(body), end+1):]
		if !ok {
			continue
		}
		value, important := strings.CutSuffix(strings.TrimSpace(value), "!important")
		out = append(out, declaration{strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value), important})
	}
	return out
}

// semicolon is where a declaration ends: not within quotes or parentheses.
func semicolon(s string) int {
	var quote byte
	depth := 0
	for i := range len(s) {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ';' && depth <= 0:
			return i
		}
	}
	return len(s)
}

func uncommented(css string) string {
	css = strings.NewReplacer("<!--", "", "-->", "").Replace(css)
	var out strings.Builder
	for {
		before, after, found := strings.Cut(css, "/*")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		_, css, _ = strings.Cut(after, "*/")
	}
}

// of is the rules for an element, those that count most last.
func (s *sheet) of(e *element) []*rule {
	if len(s.rules) == 0 {
		return nil
	}
	classes := strings.Fields(e.attrs["class"])
	if len(classes) > 32 {
		classes = classes[:32]
	}
	var out []*rule
	consider := func(key string) {
		for _, r := range s.rules[key] {
			if s.tried += 1 + len(r.set); s.tried > maxTried {
				s.unread = true
				return
			}
			if r.matches(e, classes) {
				out = append(out, r)
			}
		}
	}
	consider("")
	consider(e.name)
	for i, c := range classes {
		if !slices.Contains(classes[:i], c) {
			consider("." + c)
		}
	}
	if id := e.attrs["id"]; id != "" {
		consider("#" + id)
	}
	slices.SortFunc(out, func(a, b *rule) int {
		return cmp.Or(cmp.Compare(a.weight, b.weight), cmp.Compare(a.number, b.number))
	})
	return out
}

func (r *rule) matches(e *element, classes []string) bool {
	if r.name != "" && r.name != e.name || r.id != "" && r.id != e.attrs["id"] {
		return false
	}
	for _, c := range r.classes {
		if !slices.Contains(classes, c) {
			return false
		}
	}
	return true
}

// properties are the values of an element by the cascade: attributes, then rules, then its style, then what is important.
func (s *sheet) properties(e *element) map[string]string {
	style, rules := e.attrs["style"], s.of(e)
	if style == "" && len(rules) == 0 {
		return e.attrs
	}
	out := make(map[string]string, len(e.attrs)+4)
	for name, value := range e.attrs {
		out[name] = value
	}
	own := declarations(style)
	for _, important := range []bool{false, true} {
		for _, r := range rules {
			put(out, r.set, important)
		}
		put(out, own, important)
	}
	return out
}

func put(out map[string]string, set []declaration, important bool) {
	for _, d := range set {
		if d.important == important {
			out[d.name] = d.value
		}
	}
}
