#include "textflag.h"

#define TABLE(name, q) \
	DATA name<>+0(SB)/8, $q  \
	DATA name<>+8(SB)/8, $q  \
	DATA name<>+16(SB)/8, $q \
	DATA name<>+24(SB)/8, $q \
	GLOBL name<>(SB), RODATA|NOPTR, $32

// The numbers of i420.go, each for eight pixels: of red and blue as two words, of green as one, and what is added.
TABLE(lumaRB, 0x07f0175f07f0175f)
TABLE(lumaG, 0x00004e9f00004e9f)
TABLE(lumaBase, 0x0008400000084000)
TABLE(blueRB, 0x3838f31e3838f31e)
TABLE(blueG, 0x0000d4aa0000d4aa)
TABLE(redRB, 0xfad83838fad83838)
TABLE(redG, 0x0000ccf00000ccf0)
TABLE(chromaBase, 0x0101000001010000)

// EIGHT makes of eight pixels of both rows, at off, the luma of each (top, bottom) and what the columns have of blue and red. It needs 0x00ff00ff in
// Y15 and spoils Y8 to Y11.
#define EIGHT(off, top, bottom, blue, red) \
	VMOVDQU off(SI), Y8                 \
	VMOVDQU off(R8), Y9                 \
	VPAND Y15, Y8, Y10                  \
	VPSRLW $8, Y8, Y8                   \
	VPAND Y15, Y9, Y11                  \
	VPSRLW $8, Y9, Y9                   \
	VPMADDWD lumaRB<>(SB), Y10, top     \
	VPMADDWD lumaG<>(SB), Y8, blue      \
	VPADDD blue, top, top               \
	VPADDD lumaBase<>(SB), top, top     \
	VPSRLD $15, top, top                \
	VPMADDWD lumaRB<>(SB), Y11, bottom  \
	VPMADDWD lumaG<>(SB), Y9, blue      \
	VPADDD blue, bottom, bottom         \
	VPADDD lumaBase<>(SB), bottom, bottom \
	VPSRLD $15, bottom, bottom          \
	VPADDW Y11, Y10, Y10                \
	VPADDW Y9, Y8, Y8                   \
	VPMADDWD blueRB<>(SB), Y10, blue    \
	VPMADDWD blueG<>(SB), Y8, red       \
	VPADDD red, blue, blue              \
	VPMADDWD redRB<>(SB), Y10, red      \
	VPMADDWD redG<>(SB), Y8, Y9         \
	VPADDD Y9, red, red

// LUMA packs sixteen numbers into bytes at to.
#define LUMA(y, ymore, x, to) \
	VPACKUSDW ymore, y, y   \
	VPERMQ $0xd8, y, y      \
	VPACKUSWB y, y, y       \
	VPERMQ $0x08, y, y      \
	VMOVDQU x, (to)

// func i420Wide(y0, y1, u, v, top, bottom *uint8, n int)
TEXT ·i420Wide(SB), NOSPLIT, $0-56
	MOVQ y0+0(FP), DI
	MOVQ y1+8(FP), R9
	MOVQ u+16(FP), R10
	MOVQ v+24(FP), R11
	MOVQ top+32(FP), SI
	MOVQ bottom+40(FP), R8
	MOVQ n+48(FP), CX
	MOVL $0x00ff00ff, AX
	VMOVD AX, X15
	VPBROADCASTD X15, Y15

sixteen:
	EIGHT(0, Y0, Y1, Y2, Y3)
	EIGHT(32, Y4, Y5, Y6, Y7)
	LUMA(Y0, Y4, X0, DI)
	LUMA(Y1, Y5, X1, R9)
	VPHADDD Y6, Y2, Y2
	VPHADDD Y7, Y3, Y3
	VPADDD chromaBase<>(SB), Y2, Y2
	VPADDD chromaBase<>(SB), Y3, Y3
	VPSRLD $17, Y2, Y2
	VPSRLD $17, Y3, Y3
	VPERMQ $0xd8, Y2, Y2
	VPERMQ $0xd8, Y3, Y3
	VPACKUSDW Y3, Y2, Y2
	VPERMQ $0xd8, Y2, Y2
	VPACKUSWB Y2, Y2, Y2
	VMOVQ X2, (R10)
	VEXTRACTI128 $1, Y2, X3
	VMOVQ X3, (R11)
	ADDQ $64, SI
	ADDQ $64, R8
	ADDQ $16, DI
	ADDQ $16, R9
	ADDQ $8, R10
	ADDQ $8, R11
	SUBQ $16, CX
	JNZ sixteen
	VZEROUPPER
	RET
