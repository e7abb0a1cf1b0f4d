#include "textflag.h"

// A table of four numbers of 64 bits.
#define TABLE(name, a, b, c, d) \
	DATA name<>+0(SB)/8, $a  \
	DATA name<>+8(SB)/8, $b  \
	DATA name<>+16(SB)/8, $c \
	DATA name<>+24(SB)/8, $d \
	GLOBL name<>(SB), RODATA|NOPTR, $32

// Numbers of 32 bits, for eight pixels.
TABLE(places, 0x0000000100000000, 0x0000000300000002, 0x0000000500000004, 0x0000000700000006)
TABLE(most, 0x000000ff000000ff, 0x000000ff000000ff, 0x000000ff000000ff, 0x000000ff000000ff)
TABLE(whole, 0x0000010000000100, 0x0000010000000100, 0x0000010000000100, 0x0000010000000100)

// Of four pixels, the place of the alpha of each, four times.
TABLE(alphas, 0x0707070703030303, 0x0f0f0f0f0b0b0b0b, 0x0707070703030303, 0x0f0f0f0f0b0b0b0b)

// Of the pairs of weights of four pixels, each a word, those of one, four times each: for its two neighbours in a row.
TABLE(weights0, 0x0100010001000100, 0x0302030203020302, 0x0100010001000100, 0x0302030203020302)
TABLE(weights1, 0x0504050405040504, 0x0706070607060706, 0x0504050405040504, 0x0706070607060706)
TABLE(weights2, 0x0908090809080908, 0x0b0a0b0a0b0a0b0a, 0x0908090809080908, 0x0b0a0b0a0b0a0b0a)
TABLE(weights3, 0x0d0c0d0c0d0c0d0c, 0x0f0e0f0e0f0e0f0e, 0x0d0c0d0c0d0c0d0c, 0x0f0e0f0e0f0e0f0e)

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

// NEIGHBOURS adds up, into sum, the weighed neighbours of the pixel at lo and of the pixel four further, at hi. The weights of the row are in
// Y11, those of the row below in Y15. It spoils Y4 and Y10.
#define NEIGHBOURS(lo, hi, weights, sum, xsum) \
	VMOVQ (SI)(lo*1), xsum          \
	VMOVHPS (SI)(hi*1), xsum, xsum  \
	VPMOVZXBW xsum, sum             \
	VPSHUFB weights, Y11, Y10       \
	VPMULLW Y10, sum, sum           \
	VMOVQ (R9)(lo*1), X4            \
	VMOVHPS (R9)(hi*1), X4, X4      \
	VPMOVZXBW X4, Y4                \
	VPSHUFB weights, Y15, Y10       \
	VPMULLW Y10, Y4, Y4             \
	VPADDW Y4, sum, sum

// ROUND makes of the two sums of each pixel, in a and b, pixels in words, times the opacity.
#define ROUND(a, b, t) \
	VPUNPCKHQDQ b, a, t   \
	VPUNPCKLQDQ b, a, a   \
	VPADDW t, a, a        \
	VPADDW Y9, a, a       \
	VPSRLW $8, a, a       \
	VPMULLW Y8, a, a      \
	VPSRLW $8, a, a

// func bilinearWide(row, pix *uint8, n, stride int, u, v, du, dv, k int64)
TEXT ·bilinearWide(SB), NOSPLIT, $0-72
	MOVQ row+0(FP), DI
	MOVQ pix+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ stride+24(FP), AX
	LEAQ (SI)(AX*1), R9     // the row below
	SPREAD(X7, Y7)
	MOVQ u+32(FP), AX
	SPREAD(X0, Y0)
	MOVQ v+40(FP), AX
	SPREAD(X1, Y1)
	MOVQ du+48(FP), AX
	SPREAD(X2, Y2)
	MOVQ dv+56(FP), AX
	SPREAD(X3, Y3)
	VPMULLD places<>(SB), Y2, Y4
	VPADDD Y4, Y0, Y0       // u of eight pixels
	VPMULLD places<>(SB), Y3, Y4
	VPADDD Y4, Y1, Y1       // v of eight pixels
	VPSLLD $3, Y2, Y2
	VPSLLD $3, Y3, Y3
	MOVQ k+64(FP), AX
	VMOVD AX, X8
	VPBROADCASTW X8, Y8
	MOVL $0x00800080, AX
	SPREAD(X9, Y9)

eight:
	// The weights of the four neighbours.
	VPSRLD $8, Y0, Y11
	VPAND most<>(SB), Y11, Y11 // fx
	VPSRLD $8, Y1, Y12
	VPAND most<>(SB), Y12, Y12 // fy
	VPMULLW Y12, Y11, Y13
	VPSRLD $8, Y13, Y13     // w11
	VPSUBD Y13, Y11, Y14    // w10
	VPSUBD Y13, Y12, Y15    // w01
	VPADDD Y15, Y11, Y11
	VMOVDQU whole<>(SB), Y12
	VPSUBD Y11, Y12, Y11    // w00
	VPSLLD $16, Y14, Y14
	VPOR Y14, Y11, Y11
	VPSLLD $16, Y13, Y13
	VPOR Y13, Y15, Y15

	// Where the eight pixels are.
	VPSRAD $16, Y1, Y12
	VPMULLD Y7, Y12, Y12
	VPSRAD $16, Y0, Y13
	VPSLLD $2, Y13, Y13
	VPADDD Y13, Y12, Y12
	VPADDD Y2, Y0, Y0
	VPADDD Y3, Y1, Y1
	VEXTRACTI128 $1, Y12, X13
	VMOVQ X12, AX
	VPEXTRQ $1, X12, DX
	VMOVQ X13, R10
	VPEXTRQ $1, X13, R12
	MOVL AX, BX
	SHRQ $32, AX
	MOVL DX, R8
	SHRQ $32, DX
	MOVL R10, R11
	SHRQ $32, R10
	MOVL R12, R13
	SHRQ $32, R12

	NEIGHBOURS(BX, R11, weights0<>(SB), Y5, X5)
	NEIGHBOURS(AX, R10, weights1<>(SB), Y6, X6)
	NEIGHBOURS(R8, R13, weights2<>(SB), Y12, X12)
	NEIGHBOURS(DX, R12, weights3<>(SB), Y13, X13)
	ROUND(Y5, Y6, Y14)      // pixels 0, 1, 4 and 5
	ROUND(Y12, Y13, Y14)    // pixels 2, 3, 6 and 7
	VPACKUSWB Y12, Y5, Y5
	VMOVDQU Y5, (DI)
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ eight
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
	VPTEST Y0, Y0
	JEQ next                // nothing is there
	VPSRLD $24, Y0, Y2
	VPCMPEQD Y15, Y2, Y2
	VPMOVMSKB Y2, AX
	VMOVDQA Y0, Y1
	CMPL AX, $-1
	JEQ put                 // it is opaque
	VMOVDQU (DI), Y1
	LAY(Y0, Y1, Y2, Y3)

put:
	VMOVDQU Y1, (DI)

next:
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ eight
	VZEROUPPER
	RET

// PRODUCT multiplies words of 0 to 255 of which 255 is one, as the function mul does, into a. It needs 128 in Y14, and spoils t.
#define PRODUCT(a, b, t) \
	VPMULLW b, a, a     \
	VPADDW Y14, a, a    \
	VPSRLW $8, a, t     \
	VPADDW t, a, a      \
	VPSRLW $8, a, a

// func multiplyWide(dst, src *uint8, n int) (done int)
TEXT ·multiplyWide(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	CONSTANTS
	VPXOR Y5, Y5, Y5
	VPCMPEQD Y6, Y6, Y6
	VMOVDQU alphas<>(SB), Y7

eight:
	VMOVDQU (DI), Y1
	VPSRLD $24, Y1, Y2
	VPCMPEQD Y15, Y2, Y2
	VPMOVMSKB Y2, AX
	CMPL AX, $-1
	JNE end
	VMOVDQU (SI), Y0
	VPSHUFB Y7, Y0, Y2
	VPXOR Y6, Y2, Y2        // what the source does not cover
	VPADDUSB Y2, Y0, Y0
	VPUNPCKLBW Y5, Y1, Y2
	VPUNPCKLBW Y5, Y0, Y3
	PRODUCT(Y2, Y3, Y4)
	VPUNPCKHBW Y5, Y1, Y1
	VPUNPCKHBW Y5, Y0, Y0
	PRODUCT(Y1, Y0, Y4)
	VPACKUSWB Y1, Y2, Y1
	VMOVDQU Y1, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ eight

end:
	VZEROUPPER
	MOVQ n+16(FP), AX
	SUBQ CX, AX
	MOVQ AX, done+24(FP)
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
	VPCMPEQD Y15, Y2, Y3
	VPMOVMSKB Y3, AX
	CMPL AX, $-1
	JEQ opaque
	VPCMPEQD Y5, Y2, Y2
	VPANDN Y0, Y2, Y0       // transparent pixels have no colour
	VMOVDQA Y4, Y1
	LAY(Y0, Y1, Y2, Y3)
	VMOVDQU Y1, (DI)

opaque:
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
	MOVL AX, R8
	SHRL $24, R8
	SPREAD(X4, Y4)
	CONSTANTS

eight:
	MOVQ (SI), AX
	TESTQ AX, AX
	JEQ next
	CMPQ AX, $-1
	JNE some
	CMPL R8, $255
	JNE some
	VMOVDQU Y4, (DI)        // all of it, and it is opaque
	JMP next

some:
	VPMOVZXBD (SI), Y5
	STRETCH(Y5, Y6)
	VMOVDQA Y4, Y0
	SCALE(Y5, Y0, Y1)
	VMOVDQU (DI), Y1
	LAY(Y0, Y1, Y2, Y3)
	VMOVDQU Y1, (DI)

next:
	ADDQ $8, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ eight
	VZEROUPPER
	RET
