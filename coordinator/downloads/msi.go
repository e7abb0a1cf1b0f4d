package downloads

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/richardlehane/mscfb"
)

// Property ids of a summary information stream ([MS-OLEPS] 2.25, and Summary Property Descriptions of Windows Installer).
const (
	summarySubject  = 3
	summaryTemplate = 7 // processor and languages, as in "x64;1033"
	textType        = 30
)

const maxSummary = 64 << 10

// readMSI reads the summary of a Windows Installer package. installers/windows writes "Overcrank Agent VERSION" as its subject or title.
func readMSI(r io.ReaderAt, size int64) (said facts, err error) {
	if err := checkCompound(r, size); err != nil {
		return facts{}, err
	}
	doc, err := mscfb.New(io.NewSectionReader(r, 0, size))
	if err != nil {
		return facts{}, err
	}
	for entry, err := doc.Next(); err == nil; entry, err = doc.Next() {
		if entry.Name != "\x05SummaryInformation" && (entry.Initial != 5 || entry.Name != "SummaryInformation") {
			continue
		}
		stream, err := io.ReadAll(io.LimitReader(entry, maxSummary))
		if err != nil {
			return facts{}, err
		}
		properties, err := summary(stream)
		if err != nil {
			return facts{}, err
		}
		for _, id := range []uint32{summarySubject, summarySubject - 1} { // the title stands before the subject
			if version, is := strings.CutPrefix(properties[id], "Overcrank Agent "); is {
				said.name, said.version = agentPackage, version
			}
		}
		if said.name == "" {
			said.name = properties[summarySubject]
		}
		processor, _, _ := strings.Cut(properties[summaryTemplate], ";")
		switch processor {
		case "x64", "Intel64":
			said.arch = "amd64"
		case "Arm64":
			said.arch = "arm64"
		default:
			return facts{}, fmt.Errorf("it is for the processor %.20q", processor)
		}
		return said, nil
	}
	return facts{}, errors.New("it has no summary")
}

// checkCompound checks the numbers of sectors in the header of a compound file ([MS-CFB] 2.2): the library makes room for as many as it
// promises.
func checkCompound(r io.ReaderAt, size int64) error {
	head := make([]byte, 512)
	if _, err := r.ReadAt(head, 0); err != nil {
		return errors.New("its header is incomplete")
	}
	shift := binary.LittleEndian.Uint16(head[30:])
	if shift != 9 && shift != 12 {
		return fmt.Errorf("its sectors have 2^%d bytes", shift)
	}
	sectors := uint64(size) >> shift
	for _, at := range []int{40, 44, 64, 72} { // of the directory, the FAT, the mini FAT and the DIFAT
		if uint64(binary.LittleEndian.Uint32(head[at:])) > sectors {
			return errors.New("it promises more sectors than it has")
		}
	}
	perDIFAT := uint64(1)<<shift/4 - 1
	if uint64(binary.LittleEndian.Uint32(head[72:])) > sectors/(perDIFAT*perDIFAT)+1 {
		return errors.New("it promises more sectors than it has")
	}
	return nil
}

// summary reads the texts of a property set.
func summary(stream []byte) (map[uint32]string, error) {
	cut := errors.New("its summary is incomplete")
	number := func(at uint32) (uint32, bool) {
		if uint64(at)+4 > uint64(len(stream)) {
			return 0, false
		}
		return binary.LittleEndian.Uint32(stream[at:]), true
	}
	start, ok := number(44) // of the first set
	if !ok || uint64(start) > uint64(len(stream)) {
		return nil, cut
	}
	count, ok := number(start + 4)
	if !ok || count > 100 {
		return nil, cut
	}
	texts := map[uint32]string{}
	for i := range count {
		id, ok := number(start + 8 + 8*i)
		at, also := number(start + 12 + 8*i)
		if !ok || !also || uint64(start)+uint64(at) > uint64(len(stream)) {
			return nil, cut
		}
		kind, ok := number(start + at)
		if !ok {
			return nil, cut
		}
		if kind != textType {
			continue
		}
		length, ok := number(start + at + 4)
		if end := uint64(start) + uint64(at) + 8 + uint64(length); !ok || end > uint64(len(stream)) {
			return nil, cut
		}
		text, _, _ := strings.Cut(string(stream[start+at+8:start+at+8+length]), "\x00")
		texts[id] = text
	}
	return texts, nil
}
