// Package aep reads After Effects files (.aep, .aet, .aepx, .mogrt and zips with one of them inside) into a typed
// project, and writes small .aep files. It knows nothing of the farm and imports nothing of ours.
//
// Open and Read make a Project; Complete adds what files leave out because it is at its default; Unpack and Resolve find
// the project in an archive and its footage beside it; Introspect tells people what a file holds. The tree of chunks
// that both spellings of a project share lies in rifx, the syntax of text documents in cos.
//
// All values are in the units that After Effects shows and scripts use: pixels, seconds, degrees, percent 0–100, colours
// as RGBA 0–1. How they lie in the file is the reader's and the writer's affair.
package aep
