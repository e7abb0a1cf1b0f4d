// Package folders says where the program looks for its configuration and keeps its data when nobody says otherwise: where each system has
// such files.
package folders
