// Package aep reads After Effects files (.aep, .aet, .aepx, .mogrt and zips with one of them inside) into a typed
// project, and writes small .aep files. It knows nothing of the farm and imports nothing of ours.
//
// All values are in the units that After Effects shows and scripts use: pixels, seconds, degrees, percent 0–100, colours
// as RGBA 0–1. How they lie in the file is the reader's and the writer's affair.
package aep
