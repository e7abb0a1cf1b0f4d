package language

import "overcrank/farm"

// refused are why the farm has refused something to somebody, as the audit log keeps it in English, with the actions and roles that stand in it;
// and what rooms below the farm's vocabulary, or programs of their own, have against a file, an address or a name.
var refused = append([]string{
	// farm
	"%q may not %s: that needs the role %s, and %q has the role %s",
	"%q may not %s: that needs the role %s or higher, and %q has the role %s",
	"%q may not %s: that concerns all teams, and needs the role %s in the farm's first team",
	"%q may not %s: that concerns all teams, and needs the role %s or higher in the farm's first team",

	// coordinator/audit
	"the name, password or secret is wrong, or there were too many tries",

	// fontfile
	"the font is damaged: %s",
	"the font is damaged: its directory cannot be read",
	"font %d of the collection: %s",
	"the font is damaged: it says that it has %d tables",
	"the font's names take %d bytes",
	"the font has no names",
	"the font is truncated: %s lies beyond its end",
	"the file is empty",
	"the file is not a font: it has only %d bytes",
	"the file is no TrueType or OpenType font",
	"the collection holds %d fonts; 1 to %d are allowed",
	"the font is truncated: its table %q ends at byte %d of %d",
	"the font is damaged: it has the table %q twice",
	"the font is damaged: it has no table %q",
	"the font has no outlines",
	"the font's names cannot be read: %s",
	"the font has no PostScript name, which text needs to refer to it",
	"the font has no family name",
	"the file has no font %d",
	"the font is damaged: it has no size",
	"the font has no outlines to draw",
	"the file is a WOFF font for web pages; upload the TTF or OTF that it was made from",
	"the file is a WOFF2 font for web pages; upload the TTF or OTF that it was made from",
	"the file is a ZIP archive; unpack it and upload the fonts in it",
	"the file is a PostScript font; After Effects no longer takes those: upload a TTF or OTF",
	"the file is a web page or another text",
	"the file is a PDF",
	"the file is a picture",

	// farm/address
	"names a cloud's metadata service, which gives out credentials: the farm never connects to it",
	"names %s, to which the farm never connects: it is link-local, a cloud's metadata service, or not the address of one machine",
	"names the machine itself (%s); its own services are out of reach unless the farm allows them (--allow-loopback, --deny-address)",
	"names %s, which this farm's settings exclude (--allow-address, --deny-address)",

	// farm/names
	"did you mean '%s'?",
	"did you mean '%s' or '%s'?",
	"did you mean '%s' or '%s' or '%s'?",
	"there are '%s'",
	"among others there are '%s'",

	// cmd/overcrank/previewing
	"This template unpacks to more than %d GiB, which is too much for a preview",
	"'%s' shows what the template has: the file is not fetched for a preview",
	"The coordinator's disk has no room to unpack this template for a preview",
}, actionsAndRoles()...)

func actionsAndRoles() (words []string) {
	for _, grant := range farm.Grants() {
		words = append(words, string(grant.Action))
	}
	for _, role := range farm.Roles() {
		words = append(words, string(role))
	}
	return words
}
