#include "textflag.h"

// SPREAD fills all words of ymm with the number in AX.
#define SPREAD(xmm, ymm) \
	VMOVD AX, xmm           \
	VPBROADCASTW xmm, ymm

// GREY makes of sixteen bytes in words how far they lie from grey, in eighths.
#define GREY(y) \
	VPSLLW $3, y, y          \
	VPSUBW Y13, y, y

// CHROMA makes of eight bytes at from, each for two pixels, how far they lie from grey, in eighths, for sixteen pixels.
#define CHROMA(from, x, y) \
	VMOVQ (from), x          \
	VPUNPCKLBW x, x, x       \
	VPMOVZXBW x, y           \
	GREY(y)

// SETTINGS loads what rows are converted by, and where they lie.
#define SETTINGS \
	MOVQ row+0(FP), DI \
	MOVQ luma+8(FP), SI \
	MOVQ u+16(FP), R8 \
	MOVQ v+24(FP), R9 \
	MOVQ n+32(FP), CX \
	MOVQ m+40(FP), DX \
	VPBROADCASTW 0(DX), Y8 /* red */ \
	VPBROADCASTW 2(DX), Y9 /* blue */ \
	VPBROADCASTW 4(DX), Y10 /* green, of U */ \
	VPBROADCASTW 6(DX), Y11 /* green, of V */ \
	MOVL $9539, AX \
	SPREAD(X12, Y12) /* lumaStep */ \
	MOVL $1024, AX \
	SPREAD(X13, Y13) /* chromaGrey, in eighths */ \
	MOVL $128, AX \
	SPREAD(X14, Y14) /* lumaBlack, in eighths */ \
	MOVL $255, AX \
	SPREAD(X15, Y15)

// PIXELS makes sixteen pixels of the luma at SI and the chromas in Y1, blue, and Y2, red.
#define PIXELS \
	VPMOVZXBW (SI), Y0 \
	VPSLLW $3, Y0, Y0 \
	VPSUBW Y14, Y0, Y0 \
	VPMULHW Y12, Y0, Y0 \
	VPMULHW Y8, Y2, Y3 \
	VPADDW Y0, Y3, Y3 /* red */ \
	VPMULHW Y10, Y1, Y4 \
	VPMULHW Y11, Y2, Y5 \
	VPADDW Y5, Y4, Y4 \
	VPADDW Y0, Y4, Y4 /* green */ \
	VPMULHW Y9, Y1, Y5 \
	VPADDW Y0, Y5, Y5 /* blue */ \
	VPACKUSWB Y5, Y3, Y3 /* red and blue, of eight pixels in each half */ \
	VPACKUSWB Y15, Y4, Y4 /* green and alpha */ \
	VPUNPCKLBW Y4, Y3, Y0 /* red with green */ \
	VPUNPCKHBW Y4, Y3, Y1 /* blue with alpha */ \
	VPUNPCKLWD Y1, Y0, Y2 /* pixels 0 to 3 and 8 to 11 */ \
	VPUNPCKHWD Y1, Y0, Y3 /* pixels 4 to 7 and 12 to 15 */ \
	VPERM2I128 $0x20, Y3, Y2, Y0 \
	VPERM2I128 $0x31, Y3, Y2, Y1 \
	VMOVDQU Y0, (DI) \
	VMOVDQU Y1, 32(DI)

// func i420Wide(row, luma, u, v *uint8, n int, m *matrix)
TEXT ·i420Wide(SB), NOSPLIT, $0-48
	SETTINGS

sixteen:
	CHROMA(R8, X1, Y1)
	CHROMA(R9, X2, Y2)
	PIXELS
	ADDQ $64, DI
	ADDQ $16, SI
	ADDQ $8, R8
	ADDQ $8, R9
	SUBQ $16, CX
	JNZ sixteen
	VZEROUPPER
	RET

// func i444Wide(row, luma, u, v *uint8, n int, m *matrix)
TEXT ·i444Wide(SB), NOSPLIT, $0-48
	SETTINGS

sixteen:
	VPMOVZXBW (R8), Y1
	VPMOVZXBW (R9), Y2
	GREY(Y1)
	GREY(Y2)
	PIXELS
	ADDQ $64, DI
	ADDQ $16, SI
	ADDQ $16, R8
	ADDQ $16, R9
	SUBQ $16, CX
	JNZ sixteen
	VZEROUPPER
	RET
