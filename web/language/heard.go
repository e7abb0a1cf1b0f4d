package language

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/feature/plural"

	"overcrank/farm"
)

// Heard is what a machine or an engine has said in English, in the language of a context: why a job failed, what it warns of, what it would not
// draw. Machines report such sentences in English, and the state and the interfaces keep them so, also those of earlier releases. Here they are
// recognised by the texts in heard_failures.go and its neighbours, translated, and set as pages set texts. What stands within them stays: names,
// and the words of After Effects, of ffmpeg, or of a script. A sentence that is not recognised stays as it came.
func Heard(ctx context.Context, words string) string {
	if len(words) > longestHeard {
		return words
	}
	return heard(In(ctx), words, deepestHeard)
}

const (
	// longestHeard bounds the sentences that are looked at, in bytes.
	longestHeard = 8 << 10
	// deepestHeard bounds how far sentences stand within each other.
	deepestHeard = 6
)

func heard(l farm.Language, words string, depth int) string {
	if depth == 0 || words == "" {
		return words
	}
	for _, s := range sentences() {
		said, fits := s.in(words)
		if !fits || s.text == several && !eachIsKnown(words, depth) {
			continue
		}
		text := s.text
		if text == ofAsset {
			if place, err := strconv.Atoi(said[1]); err == nil {
				text, said[1] = Text("%s (change %s)"), strconv.Itoa(place+1)
			}
		}
		text = translated(l, text, plural.Other)
		if strings.Contains(words, noNumber) {
			text = anyNumber.ReplaceAllString(text, "%s")
		}
		args := make([]any, len(said))
		for i, arg := range said {
			args[i] = s.holes[i].value(l, arg, depth)
		}
		return written(l, typeset(l, text), args)
	}
	return words
}

// eachIsKnown tells whether things in a row are all known: a comma stands in the words of others too, which are not to be said half in each language.
func eachIsKnown(words string, depth int) bool {
	for _, s := range sentences() {
		said, fits := s.in(words)
		if fits && (s.text != several || depth > 0 && eachIsKnown(said[0], depth-1) && eachIsKnown(said[1], depth-1)) {
			return true
		}
	}
	return false
}

// noNumber stands for each digit in what many jobs failed for (farm.CauseOfMessage).
const noNumber = "#"

var anyNumber = regexp.MustCompile(`%(?:d|\.\df)`)

// sentence is a text by which what was said is known again.
type sentence struct {
	text  string
	words []string // before, between and behind the holes
	holes []hole
}

// hole is what a verb of a sentence stands for.
type hole struct {
	verb byte // s, d, f, or q: within quotes as package strconv writes them
	name bool // it is a name, or what a person wrote: no sentence of a machine
}

// several are things in a row. It is tried last.
const several = "%s, %s"

// sentences are the texts that are known, those first that say most of themselves, but before these the ones that others stand within.
var sentences = sync.OnceValue(func() []sentence {
	var all []sentence
	for _, text := range wrappers {
		all = append(all, sentenceOf(text))
	}
	first := len(all)
	for _, list := range [][]string{failures, standings, refused, findings, needs, drawings, warnings, untold, {several}} {
		for _, text := range list {
			all = append(all, sentenceOf(text))
		}
	}
	slices.SortStableFunc(all[first:], func(a, b sentence) int { return cmp.Compare(b.own(), a.own()) })
	return all
})

func sentenceOf(text string) sentence {
	s := sentence{text: text}
	for {
		before, verb, rest := cutVerb(text)
		s.words = append(s.words, before)
		if verb == 0 {
			return s
		}
		s.holes = append(s.holes, hole{verb: verb, name: s.text == rejection || strings.HasSuffix(before, "'") && strings.HasPrefix(rest, "'")})
		text = rest
	}
}

// cutVerb parts a text at its first verb: %s, %q, %d, or a number with places, such as %.2f. Without any, verb is 0. %% is a sign of per cent.
func cutVerb(text string) (before string, verb byte, rest string) {
	for {
		plain, behind, found := strings.Cut(text, "%")
		before += plain
		if !found {
			return before, 0, ""
		}
		if text, found = strings.CutPrefix(behind, "%"); found {
			before += "%"
			continue
		}
		end := strings.IndexAny(behind, "sdfq")
		return before, behind[end], behind[end+1:]
	}
}

// own is how many bytes the sentence has of itself.
func (s sentence) own() (n int) {
	for _, w := range s.words {
		n += len(w)
	}
	return n
}

// in is what the holes of the sentence stand for in some words; fits is false when these are another sentence.
func (s sentence) in(words string) (said []string, fits bool) {
	rest, fits := strings.CutPrefix(words, s.words[0])
	if !fits || len(s.holes) == 0 {
		return nil, fits && rest == ""
	}
	last := len(s.holes)
	if rest, fits = strings.CutSuffix(rest, s.words[last]); !fits {
		return nil, false
	}
	for i, h := range s.holes {
		arg, left := rest, ""
		if i+1 < last {
			if arg, left, fits = strings.Cut(rest, s.words[i+1]); !fits {
				return nil, false
			}
		}
		if !h.takes(arg) {
			return nil, false
		}
		said, rest = append(said, arg), left
	}
	return said, true
}

// takes tells whether words may stand in a hole.
func (h hole) takes(words string) bool {
	if words == "" {
		return false
	}
	var err error
	switch words = strings.ReplaceAll(words, noNumber, "0"); h.verb {
	case 'd':
		_, err = strconv.Atoi(words)
	case 'f':
		_, err = strconv.ParseFloat(words, 64)
	case 'q':
		_, err = strconv.Unquote(words)
	}
	return err == nil
}

// value is what stands in a hole, as a text's verb takes it.
func (h hole) value(l farm.Language, words string, depth int) any {
	switch {
	case h.verb != 's' && strings.Contains(words, noNumber):
		return words
	case h.verb == 'd':
		n, _ := strconv.Atoi(words)
		return n
	case h.verb == 'f':
		f, _ := strconv.ParseFloat(words, 64)
		return f
	case h.verb == 'q':
		name, _ := strconv.Unquote(words)
		return name
	case h.name:
		return words
	}
	return heard(l, words, depth-1)
}
