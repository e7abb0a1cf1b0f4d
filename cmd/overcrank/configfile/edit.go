package configfile

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Change is what a file is to say for one key.
type Change struct {
	Key   string
	Value []string
	List  bool // it is written as a list, also when it is one value or none
}

// Edit gives the text of a file with some keys changed, or added at its end. All else stays as it is, letter by letter: comments, other keys, the ends of
// lines. Only a file that is not written a key on a line is written anew, with its comments. path is for messages; a file with a mistake is an error.
func Edit(path, text string, changes []Change) (string, error) {
	before, err := Parse(path, text)
	if err != nil {
		return "", err
	}
	want := before.plain()
	for _, c := range changes {
		want[c.Key] = append([]string{}, c.Value...)
	}
	for _, edit := range []func(string, []Change) (string, error){editLines, editNodes} {
		edited, err := edit(text, changes)
		if err != nil {
			return "", fmt.Errorf("changing %s: %w", path, err)
		}
		if after, err := Parse(path, edited); err == nil && reflect.DeepEqual(after.plain(), want) {
			return edited, nil
		}
	}
	return "", fmt.Errorf("%s is written in a way that cannot be changed by a program: set %s by hand", path, strings.Join(keys(changes), ", "))
}

// plain are the values of a file without their places.
func (f *File) plain() map[string][]string {
	all := map[string][]string{}
	for key, v := range f.values {
		all[key] = append([]string{}, v.text...)
	}
	return all
}

func keys(changes []Change) (all []string) {
	for _, c := range changes {
		all = append(all, c.Key)
	}
	return all
}

// editLines replaces the lines of the keys that change.
func editLines(text string, changes []Change) (string, error) {
	mark, rest := "", text
	if strings.HasPrefix(rest, "\ufeff") {
		mark, rest = "\ufeff", strings.TrimPrefix(rest, "\ufeff")
	}
	end := "\n"
	if strings.Contains(rest, "\r\n") {
		end = "\r\n"
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(rest), &doc); err != nil {
		return "", err
	}
	lines := strings.SplitAfter(rest, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	} else {
		lines[len(lines)-1] += end
	}
	spans := spansOf(&doc, lines)
	replaced := map[int]string{} // by the first line, from 0
	removed := map[int]bool{}
	var added strings.Builder
	for _, c := range changes {
		written, err := c.lines(end)
		if err != nil {
			return "", err
		}
		span, there := spans[c.Key]
		if !there {
			added.WriteString(written)
			continue
		}
		replaced[span.first] = written
		for i := span.first; i < span.end; i++ {
			removed[i] = true
		}
	}
	var out strings.Builder
	out.WriteString(mark)
	for i, line := range lines {
		out.WriteString(replaced[i])
		if !removed[i] {
			out.WriteString(line)
		}
	}
	out.WriteString(added.String())
	return out.String(), nil
}

// span is where a key stands with its value, in lines from 0.
type span struct{ first, end int }

// spansOf finds the lines of each key of a document. Comments and empty lines behind a value belong to what follows.
func spansOf(doc *yaml.Node, lines []string) map[string]span {
	spans := map[string]span{}
	if len(doc.Content) == 0 {
		return spans
	}
	root := doc.Content[0]
	for i := 0; i+1 < len(root.Content); i += 2 {
		first, end := root.Content[i].Line-1, len(lines)
		if i+2 < len(root.Content) {
			end = root.Content[i+2].Line - 1
		}
		for ; end > first+1; end-- {
			if line := strings.TrimSpace(lines[end-1]); line != "" && !strings.HasPrefix(line, "#") && line != "..." {
				break
			}
		}
		spans[root.Content[i].Value] = span{first, end}
	}
	return spans
}

// lines is a change as it stands in a file.
func (c Change) lines(end string) (string, error) {
	text, err := yaml.Marshal(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: c.Key}, c.node()}})
	return strings.ReplaceAll(string(text), "\n", end), err
}

// node is the value of a change.
func (c Change) node() *yaml.Node {
	scalar := func(text string) *yaml.Node {
		node := &yaml.Node{}
		node.SetString(text)
		return node
	}
	if !c.List && len(c.Value) == 1 {
		return scalar(c.Value[0])
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, text := range c.Value {
		list.Content = append(list.Content, scalar(text))
	}
	return list
}

// editNodes changes the document and writes it anew.
func editNodes(text string, changes []Change) (string, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(strings.TrimPrefix(text, "\ufeff")), &doc); err != nil {
		return "", err
	}
	if len(doc.Content) == 0 {
		return "", nil // editLines could do it
	}
	root := doc.Content[0]
	root.Style = 0
	for _, c := range changes {
		i := slices.IndexFunc(root.Content, func(n *yaml.Node) bool { return n.Value == c.Key })
		if i < 0 || i%2 != 0 {
			root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: c.Key}, c.node())
			continue
		}
		root.Content[i+1] = c.node()
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	err := encoder.Encode(&doc)
	return out.String(), err
}
