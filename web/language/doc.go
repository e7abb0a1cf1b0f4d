// Package language says what pages say in the language of their reader.
//
// The English text in the code is the key: Say(ctx, "Add a machine"). What it is in other languages stands in one catalogue for each,
// <tag>.json. A text is a whole sentence, or what stands alone on a page, with verbs as of package fmt for what differs; a translation
// may take them in another order (%[2]s). Texts that count have two forms in English, of which the second is the key; their
// translations have a form for each that the language tells apart (Unicode's plural rules, by golang.org/x/text).
//
// A test holds that each text in the code of package web is in each catalogue, with the same verbs, and that no catalogue has others.
package language
