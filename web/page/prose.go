package page

import (
	"regexp"
	"strings"
)

// paragraph is a piece of prose: a paragraph, or a list.
type paragraph struct {
	Words []word   // of a paragraph
	Items [][]word // of a list
}

// word is a run of text in one manner.
type word struct {
	Text   string
	Code   bool
	Strong bool
	Link   string // its address, "" for none
}

// prose reads the little Markdown of descriptions: paragraphs, lists, `code`, **strong** and [links](address).
func prose(text string) []paragraph {
	var out []paragraph
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		var p paragraph
		for line := range strings.SplitSeq(strings.TrimSpace(block), "\n") {
			item, listed := strings.CutPrefix(line, "- ")
			switch {
			case listed:
				p.Items = append(p.Items, words(item))
			case len(p.Items) > 0:
				last := len(p.Items) - 1
				p.Items[last] = append(p.Items[last], words(" "+strings.TrimSpace(line))...)
			default:
				p.Words = append(p.Words, words(line+" ")...)
			}
		}
		if len(p.Words)+len(p.Items) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// manner finds what is not plain in a line of prose.
var manner = regexp.MustCompile("`([^`]+)`" + `|\*\*([^*]+)\*\*|\[([^\]]+)\]\((/[^)]*|https://[^)]*)\)`)

func words(line string) []word {
	var out []word
	end := 0
	for _, m := range manner.FindAllStringSubmatchIndex(line, -1) {
		if m[0] > end {
			out = append(out, word{Text: line[end:m[0]]})
		}
		switch {
		case m[2] >= 0:
			out = append(out, word{Text: line[m[2]:m[3]], Code: true})
		case m[4] >= 0:
			out = append(out, word{Text: line[m[4]:m[5]], Strong: true})
		default:
			out = append(out, word{Text: line[m[6]:m[7]], Link: line[m[8]:m[9]]})
		}
		end = m[1]
	}
	if end < len(line) {
		out = append(out, word{Text: line[end:]})
	}
	return out
}
