// Package aep reads After Effects files (.aep, .aet, .aepx, .mogrt and zips that contain one) into a typed project, and
// writes small .aep files. It is independent of the farm and imports no other package of this module.
//
// Open and Read make a Project. Complete adds the properties that files leave out because they have their default
// values. Unpack and Resolve find the project in an archive and its footage. Introspect summarises a file for people.
// Package rifx has the tree of chunks that binary and XML projects share, package cos the syntax of text documents.
//
// All values are in the units that After Effects displays and scripts use: pixels, seconds, degrees, percent 0–100,
// colours as RGBA 0–1. Only the reader and the writer know how files store them.
package aep
