package farm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A string refers to a secret as ${secrets.NAME}.
const (
	secretOpens  = "${secrets."
	secretCloses = "}"
)

// SecretRef is the reference to a secret.
func SecretRef(name string) string { return secretOpens + name + secretCloses }

// SecretPart is a stretch of a string: the literal Text, then a reference to the secret Ref, "" at the end of the
// string.
type SecretPart struct{ Text, Ref string }

// SplitSecrets splits a string at its references to secrets. There is at least one part, and only the last has no Ref.
func SplitSecrets(s string) []SecretPart {
	var parts []SecretPart
	for {
		before, after, found := strings.Cut(s, secretOpens)
		name, rest, closed := strings.Cut(after, secretCloses)
		if !found || !closed {
			return append(parts, SecretPart{Text: s})
		}
		parts = append(parts, SecretPart{before, name})
		s = rest
	}
}

// SecretRefs lists the names of the secrets that s refers to, in order; one named twice is listed twice.
func SecretRefs(s string) []string {
	if !strings.Contains(s, secretOpens) {
		return nil
	}
	parts := SplitSecrets(s)
	names := make([]string, len(parts)-1)
	for i := range names {
		names[i] = parts[i].Ref
	}
	return names
}

// ReplaceSecrets replaces each reference by value of its name. References within a value stay. It stops at value's first
// error.
func ReplaceSecrets(s string, value func(name string) (string, error)) (string, error) {
	if !strings.Contains(s, secretOpens) {
		return s, nil
	}
	var out strings.Builder
	parts := SplitSecrets(s)
	for i, part := range parts {
		out.WriteString(part.Text)
		if i == len(parts)-1 {
			break
		}
		put, err := value(part.Ref)
		if err != nil {
			return "", err
		}
		out.WriteString(put)
	}
	return out.String(), nil
}

// MayRefer tells quickly whether an asset may refer to a secret. It never misses a reference, but may be true without
// one.
func (a Asset) MayRefer() bool {
	for _, s := range []string{a.LayerName, a.Composition, a.Src, a.Property, a.Expression} {
		if strings.Contains(s, secretOpens) {
			return true
		}
	}
	return mayRefer(a.Value) || mayRefer(a.Params) || slices.ContainsFunc(a.Parameters, func(p AssetParameter) bool { return mayRefer(p.Value) })
}

// RewriteRefs calls rewrite with every string of an asset that refers to secrets, and with the path of its field below
// at; it returns the asset with the results. An asset's type, and its name, which names a file or a function, hold no
// references.
func (a Asset) RewriteRefs(at string, rewrite func(field, s string) (string, error)) (Asset, error) {
	r := rewriter{rewrite: rewrite}
	for _, f := range []struct {
		key  string
		text *string
	}{
		{"layerName", &a.LayerName}, {"composition", &a.Composition}, {"src", &a.Src}, {"property", &a.Property}, {"expression", &a.Expression},
	} {
		r.text(at, f.key, f.text)
	}
	r.json(at, "value", &a.Value)
	r.json(at, "params", &a.Params)
	owned := false
	for i, p := range a.Parameters {
		if !mayRefer(p.Value) {
			continue
		}
		if !owned {
			a.Parameters, owned = slices.Clone(a.Parameters), true
		}
		r.json(at+".parameters["+strconv.Itoa(i)+"]", "value", &a.Parameters[i].Value)
	}
	return a, r.err
}

// RewriteRefs does for an upload what Asset.RewriteRefs does for an asset.
func (u Upload) RewriteRefs(at string, rewrite func(field, s string) (string, error)) (Upload, error) {
	r := rewriter{rewrite: rewrite}
	r.text(at, "provider", &u.Provider)
	r.text(at, "prefix", &u.Prefix)
	r.text(at, "outputUrl", &u.OutputURL)
	u.Params = r.texts(at+".params", u.Params)
	return u, r.err
}

// RewriteRefs does for a webhook what Asset.RewriteRefs does for an asset.
func (w Webhook) RewriteRefs(at string, rewrite func(field, s string) (string, error)) (Webhook, error) {
	r := rewriter{rewrite: rewrite}
	r.text(at, "url", &w.URL)
	w.Headers = r.texts(at+".headers", w.Headers)
	r.json(at, "data", &w.Data)
	return w, r.err
}

// rewriter keeps the first error; nothing is rewritten after it.
type rewriter struct {
	rewrite func(field, s string) (string, error)
	err     error
}

func (r *rewriter) text(at, key string, s *string) {
	if r.err != nil || !strings.Contains(*s, secretOpens) {
		return
	}
	*s, r.err = r.rewrite(at+"."+key, *s)
}

func (r *rewriter) texts(at string, m map[string]string) map[string]string {
	owned := false
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if value := m[key]; strings.Contains(value, secretOpens) {
			if !owned {
				m, owned = maps.Clone(m), true
			}
			r.text(at, key, &value)
			m[key] = value
		}
	}
	return m
}

// mayRefer is a quick check of JSON, in which characters of a reference may be escaped.
func mayRefer(raw json.RawMessage) bool {
	return bytes.Contains(raw, []byte("{secrets.")) || bytes.Contains(raw, []byte(`\u`))
}

func (r *rewriter) json(at, key string, raw *json.RawMessage) {
	if r.err != nil || !mayRefer(*raw) {
		return
	}
	dec := json.NewDecoder(bytes.NewReader(*raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		r.err = fmt.Errorf("reading %s.%s: %w", at, key, err)
		return
	}
	changed := false
	v = r.value(at+"."+key, v, &changed)
	if r.err != nil || !changed {
		return
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		r.err = fmt.Errorf("writing %s.%s: %w", at, key, err)
		return
	}
	*raw = bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// value rewrites a decoded value, in place where possible.
func (r *rewriter) value(at string, v any, changed *bool) any {
	switch v := v.(type) {
	case string:
		if r.err != nil || !strings.Contains(v, secretOpens) {
			return v
		}
		s, err := r.rewrite(at, v)
		r.err = err
		*changed = *changed || s != v
		return s
	case []any:
		for i := range v {
			v[i] = r.value(at+"["+strconv.Itoa(i)+"]", v[i], changed)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			v[key] = r.value(at+"."+key, v[key], changed)
		}
	}
	return v
}
