package aep

// Limits bound the cost of reading. A field of zero means the default.
type Limits struct {
	FileSize     int64 // bytes of a project file
	Chunks       int
	Depth        int
	ArchiveFiles int
	ArchiveSize  int64 // unpacked, in bytes
	Ratio        int64 // unpacked to packed, of entries over 64 MiB and of archives over 1 GiB
	// Room tells whether so many more bytes may be written while an archive is unpacked; its error ends the unpacking.
	// It is called with the declared size of all entries before anything is written, and with the size of the rest now
	// and then. Nil allows everything.
	Room func(bytes int64) error
}

// DefaultLimits are large enough for every project that people make.
func DefaultLimits() Limits {
	return Limits{
		FileSize:     512 << 20,
		Chunks:       4 << 20,
		Depth:        256,
		ArchiveFiles: 20_000,
		ArchiveSize:  64 << 30,
		Ratio:        200,
	}
}

// filled is l with its zero fields set to the defaults.
func (l Limits) filled() Limits {
	def := DefaultLimits()
	if l.FileSize <= 0 {
		l.FileSize = def.FileSize
	}
	if l.Chunks <= 0 {
		l.Chunks = def.Chunks
	}
	if l.Depth <= 0 {
		l.Depth = def.Depth
	}
	if l.ArchiveFiles <= 0 {
		l.ArchiveFiles = def.ArchiveFiles
	}
	if l.ArchiveSize <= 0 {
		l.ArchiveSize = def.ArchiveSize
	}
	if l.Room == nil {
		l.Room = func(int64) error { return nil }
	}
	if l.Ratio <= 0 {
		l.Ratio = def.Ratio
	}
	return l
}
