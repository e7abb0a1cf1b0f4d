package farm

import "time"

// Font is a font file of a team's library.
type Font struct {
	ID        string    `json:"id"`
	Team      string    `json:"team"`
	FileName  string    `json:"fileName"` // by which jobs name it; unique within the team
	Faces     []FontUse `json:"faces"`    // at least one; a collection has several
	File      FileRef   `json:"file"`
	CreatedAt time.Time `json:"createdAt"`
}
