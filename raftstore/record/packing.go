package record

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/s2"

	"overcrank/farm"
)

// packer encodes contents. Its memory serves one after the other: what is written and packed of a content is several times as large
// as what comes of it.
type packer struct{ text, packed []byte }

// content gives the content of a job as it lies in the log and in the state, nil when it has none.
func (p *packer) content(job *farm.Job) ([]byte, error) {
	if len(job.Fonts) == 0 && len(job.Assets) == 0 && job.Upload == nil && job.Webhook == nil {
		return nil, nil
	}
	w := text{text: p.text[:0]}
	w.content(job)
	if p.text = w.text; w.err != nil {
		return nil, w.err
	}
	if len(p.text) > maxContent {
		return nil, fmt.Errorf("it has %d bytes", len(p.text))
	}
	if room := s2.MaxEncodedLen(len(p.text)); room > len(p.packed) {
		p.packed = make([]byte, room)
	}
	kind, data := byte(contentPacked), s2.Encode(p.packed, p.text)
	if 1+len(data) > len(p.text)-len(p.text)/8 {
		kind, data = contentPlain, p.text
	}
	return append(append(make([]byte, 0, 1+len(data)), kind), data...), nil
}

// Packers are packers for any number of goroutines.
type Packers struct{ idle sync.Pool }

// packerRoom is how large the memory of a packer may be that waits for the next content, in bytes.
const packerRoom = 256 << 10

func (p *Packers) content(job *farm.Job) ([]byte, error) {
	one, ok := p.idle.Get().(*packer)
	if !ok {
		one = new(packer)
	}
	data, err := one.content(job)
	if cap(one.text)+cap(one.packed) <= packerRoom {
		p.idle.Put(one)
	}
	return data, err
}

// Content is the content of a job as it is stored, with what the rules need to know of it.
type Content struct {
	Data  []byte   // nil for none
	Files []string // kept files that the job names
}

// ContentOf gives the content of a job.
func (p *Packers) ContentOf(job *farm.Job) (Content, error) {
	data, err := p.content(job)
	return Content{Data: data, Files: job.KeptFiles()}, err
}
