package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
)

const introduction = `# How like After Effects the embedded engine draws

Made by ` + "`make fidelity SAMPLES=DIR`" + `; edit nothing here. It draws the compositions of real projects that other programs have drawn too, and compares
the pictures. After Effects' own film is the truth. The others draw what After Effects exported of a project for Lottie, so that they show the
right values and shapes, with their own antialiasing.

- **SSIM** is the structural similarity of the brightness (Wang et al. 2004): 1 for equal pictures. Transparent pictures are laid on grey.
- **PSNR** is the ratio of the largest value to the difference, in decibels; above 40 no eye sees it. The table has that of the least alike picture.

| project | composition | beside | pictures | SSIM, mean | least | PSNR | what lacks, or why they differ |
|---|---|---|---|---|---|---|---|
`

// remarks are what is known of oracles that differ for reasons of their own.
var remarks = map[string]string{
	"Mask":               "exported before its first layer stopped moving",
	"Test_KeyframeTypes": "the export cuts the way between roving keys into pieces of their own speed",
	"Box Position":       "the other program had no font and left the text out",
}

// page is the page about a comparison.
func page(c *comparison) []byte {
	var b strings.Builder
	b.WriteString(introduction)
	for _, r := range c.rows {
		words := r.lacks
		if remark := remarks[r.comp]; remark != "" {
			words = append(words[:len(words):len(words)], remark)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %.4f | %.4f | %s | %s |\n", cell(filepath.Base(r.project)), cell(r.comp), cell(r.by), r.pictures,
			r.mean(), r.unlikest, decibels(r.peak), cell(strings.Join(words, "; ")))
	}
	fmt.Fprintf(&b, "\n%s", `## The least alike frame of each

From left to right in each row: ours, theirs, and the difference, four times as strong. Of films only the difference is shown, since what they
show may belong to others.

![The least alike frame of each composition](pictures/fidelity.png)
`)
	if c.words > 0 {
		fmt.Fprintf(&b, "\nThe samples hold %d oracles that are no pictures: values of properties that After Effects exported, and twins of projects. The tests of\n"+
			"`engine/eval` and `aep` compare them.\n", c.words)
	}
	return []byte(b.String())
}

func decibels(v float64) string {
	if math.IsInf(v, 1) {
		return "equal"
	}
	return fmt.Sprintf("%.1f", v)
}

// cell is words that may stand in a table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(s)
}
