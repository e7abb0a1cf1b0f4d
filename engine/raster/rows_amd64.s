#include "textflag.h"

// Numbers of 32 bits: the places of four pixels, and the masks of channels.
DATA places<>+0(SB)/4, $0
DATA places<>+4(SB)/4, $1
DATA places<>+8(SB)/4, $2
DATA places<>+12(SB)/4, $3
GLOBL places<>(SB), RODATA|NOPTR, $16

// The two weights of a pixel, 32 bits, as four words of the first and four of the second; of pixels 0 and 1, and of 2 and 3.
DATA weights01<>+0(SB)/8, $0x0100010001000100
DATA weights01<>+8(SB)/8, $0x0302030203020302
DATA weights01<>+16(SB)/8, $0x0504050405040504
DATA weights01<>+24(SB)/8, $0x0706070607060706
GLOBL weights01<>(SB), RODATA|NOPTR, $32

DATA weights23<>+0(SB)/8, $0x0908090809080908
DATA weights23<>+8(SB)/8, $0x0b0a0b0a0b0a0b0a
DATA weights23<>+16(SB)/8, $0x0d0c0d0c0d0c0d0c
DATA weights23<>+24(SB)/8, $0x0f0e0f0e0f0e0f0e
GLOBL weights23<>(SB), RODATA|NOPTR, $32

// SPREAD fills all lanes of ymm with the number of 32 bits in AX.
#define SPREAD(xmm, ymm) \
	VMOVD AX, xmm           \
	VPBROADCASTD xmm, ymm

// SCALE multiplies the pixels p by k (0 to 256 in both words of each), as the function scale does. It needs 0x00ff00ff in Y13 and 0x00800080
// in Y14, and spoils t.
#define SCALE(k, p, t) \
	VPAND Y13, p, t     \
	VPSRLW $8, p, p     \
	VPMULLW k, t, t     \
	VPMULLW k, p, p     \
	VPADDW Y14, t, t    \
	VPADDW Y14, p, p    \
	VPSRLW $8, t, t     \
	VPANDN p, Y13, p    \
	VPOR t, p, p

// STRETCH makes of a factor of 0 to 255 in k one of 0 to 256 in both words, and spoils t.
#define STRETCH(k, t) \
	VPSRLD $7, k, t    \
	VPADDD t, k, k     \
	VPSLLD $16, k, t   \
	VPOR t, k, k

// LAY lays the pixels s over the pixels d, into d. It needs 255 in Y15 besides what SCALE needs, and spoils k and t.
#define LAY(s, d, k, t) \
	VPSRLD $24, s, k     \
	VPSUBD k, Y15, k     \
	STRETCH(k, t)        \
	SCALE(k, d, t)       \
	VPADDD s, d, d

#define CONSTANTS \
	MOVL $0x00ff00ff, AX \
	SPREAD(X13, Y13)     \
	MOVL $0x00800080, AX \
	SPREAD(X14, Y14)     \
	MOVL $255, AX        \
	SPREAD(X15, Y15)

// func bilinearWide(row, pix *uint8, n, stride int, u, v, du, dv, k int64)
TEXT ·bilinearWide(SB), NOSPLIT, $0-72
	MOVQ row+0(FP), DI
	MOVQ pix+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ stride+24(FP), R8
	LEAQ (SI)(R8*1), R9     // the row below
	VMOVDQU places<>(SB), X5
	MOVQ u+32(FP), AX
	SPREAD(X0, X0)
	MOVQ v+40(FP), AX
	SPREAD(X1, X1)
	MOVQ du+48(FP), AX
	SPREAD(X2, X2)
	MOVQ dv+56(FP), AX
	SPREAD(X3, X3)
	VPMULLD X5, X2, X4
	VPADDD X4, X0, X0       // u of four pixels
	VPMULLD X5, X3, X4
	VPADDD X4, X1, X1       // v of four pixels
	VPSLLD $2, X2, X2
	VPSLLD $2, X3, X3
	MOVQ R8, AX
	SPREAD(X4, X4)
	MOVL $255, AX
	SPREAD(X5, X5)
	MOVL $256, AX
	SPREAD(X6, X6)
	VMOVDQU weights01<>(SB), Y7
	VMOVDQU weights23<>(SB), Y8
	MOVL $0x00800080, AX
	SPREAD(X9, Y9)
	MOVQ k+64(FP), AX
	VMOVD AX, X10
	VPBROADCASTW X10, Y10

four:
	// The weights of the four neighbours: X11 those of the row, X15 those of the row below.
	VPSRLD $8, X0, X11
	VPAND X5, X11, X11      // fx
	VPSRLD $8, X1, X12
	VPAND X5, X12, X12      // fy
	VPMULLW X12, X11, X13
	VPSRLD $8, X13, X13     // w11
	VPSUBD X13, X11, X14    // w10
	VPSUBD X13, X12, X15    // w01
	VPSUBD X11, X6, X11
	VPSUBD X15, X11, X11    // w00
	VPSLLD $16, X14, X14
	VPOR X14, X11, X11
	VPSLLD $16, X13, X13
	VPOR X13, X15, X15

	// Where the four pixels are.
	VPSRAD $16, X1, X12
	VPMULLD X4, X12, X12
	VPSRAD $16, X0, X13
	VPSLLD $2, X13, X13
	VPADDD X13, X12, X12
	VMOVQ X12, AX
	VPEXTRQ $1, X12, BX
	MOVL AX, DX
	SHRQ $32, AX
	MOVL BX, R10
	SHRQ $32, BX
	VPADDD X2, X0, X0
	VPADDD X3, X1, X1

	VINSERTI128 $1, X11, Y11, Y11
	VINSERTI128 $1, X15, Y15, Y15
	VMOVQ (SI)(DX*1), X12
	VMOVHPS (SI)(AX*1), X12, X12
	VPMOVZXBW X12, Y12
	VPSHUFB Y7, Y11, Y13
	VPMULLW Y13, Y12, Y12
	VMOVQ (R9)(DX*1), X13
	VMOVHPS (R9)(AX*1), X13, X13
	VPMOVZXBW X13, Y13
	VPSHUFB Y7, Y15, Y14
	VPMULLW Y14, Y13, Y13
	VPADDW Y13, Y12, Y12    // pixels 0 and 1
	VMOVQ (SI)(R10*1), X13
	VMOVHPS (SI)(BX*1), X13, X13
	VPMOVZXBW X13, Y13
	VPSHUFB Y8, Y11, Y14
	VPMULLW Y14, Y13, Y13
	VMOVQ (R9)(R10*1), X14
	VMOVHPS (R9)(BX*1), X14, X14
	VPMOVZXBW X14, Y14
	VPSHUFB Y8, Y15, Y15
	VPMULLW Y15, Y14, Y14
	VPADDW Y14, Y13, Y13    // pixels 2 and 3

	VPUNPCKLQDQ Y13, Y12, Y14
	VPUNPCKHQDQ Y13, Y12, Y15
	VPADDW Y15, Y14, Y14    // pixels 0, 2, 1 and 3
	VPADDW Y9, Y14, Y14
	VPSRLW $8, Y14, Y14
	VPMULLW Y10, Y14, Y14
	VPSRLW $8, Y14, Y14
	VPACKUSWB Y14, Y14, Y14
	VEXTRACTI128 $1, Y14, X15
	VPUNPCKLDQ X15, X14, X14
	VMOVDQU X14, (DI)
	ADDQ $16, DI
	SUBQ $4, CX
	JNZ four
	VZEROUPPER
	RET

// func normalWide(dst, src *uint8, n int)
TEXT ·normalWide(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	CONSTANTS

eight:
	VMOVDQU (SI), Y0
	VMOVDQU (DI), Y1
	LAY(Y0, Y1, Y2, Y3)
	VMOVDQU Y1, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ eight
	VZEROUPPER
	RET

// func behindWide(row *uint8, n int, c uint32)
TEXT ·behindWide(SB), NOSPLIT, $0-20
	MOVQ row+0(FP), DI
	MOVQ n+8(FP), CX
	MOVL c+16(FP), AX
	SPREAD(X4, Y4)
	VPXOR Y5, Y5, Y5
	CONSTANTS

eight:
	VMOVDQU (DI), Y0
	VPSRLD $24, Y0, Y2
	VPCMPEQD Y5, Y2, Y2
	VPANDN Y0, Y2, Y0       // transparent pixels have no colour
	VMOVDQA Y4, Y1
	LAY(Y0, Y1, Y2, Y3)
	VMOVDQU Y1, (DI)
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ eight
	VZEROUPPER
	RET

// func scaleWide(dst, src *uint8, n int, k uint32)
TEXT ·scaleWide(SB), NOSPLIT, $0-28
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVL k+24(FP), AX
	SPREAD(X4, Y4)
	CONSTANTS
	STRETCH(Y4, Y5)

eight:
	VMOVDQU (SI), Y0
	SCALE(Y4, Y0, Y1)
	VMOVDQU Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ eight
	VZEROUPPER
	RET

// func coverWide(dst, cov *uint8, n int, c uint32)
TEXT ·coverWide(SB), NOSPLIT, $0-28
	MOVQ dst+0(FP), DI
	MOVQ cov+8(FP), SI
	MOVQ n+16(FP), CX
	MOVL c+24(FP), AX
	SPREAD(X4, Y4)
	CONSTANTS

eight:
	VPMOVZXBD (SI), Y5
	STRETCH(Y5, Y6)
	VMOVDQA Y4, Y0
	SCALE(Y5, Y0, Y1)
	VMOVDQU (DI), Y1
	LAY(Y0, Y1, Y2, Y3)
	VMOVDQU Y1, (DI)
	ADDQ $8, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ eight
	VZEROUPPER
	RET
