// Command asm writes the AVX2 code of the package rows, and the declarations of its functions: go generate
// ./internal/drawing/rows.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("!purego")
	between()
	mix()
	Generate()
}

// words adds a constant of 16 words of 16 bits, each of them v, to the data of the assembly.
func words(name string, v uint16) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 16 {
		DATA(2*i, U16(v))
	}
	return m
}

// vector returns a register, loaded with the 16 words of 16 bits at m.
func vector(m Mem) reg.VecVirtual {
	y := YMM()
	VMOVDQU(m, y)
	return y
}

// blend replaces the pixels a by (a·256 + difference·weight + half) / 256, where difference is b-a for the pixels b to
// blend with. It overwrites difference, too. All are words of 16 bits: sums are taken modulo 65536, and the sum that is
// divided is less than that.
func blend(a, difference, weight, half reg.VecVirtual) {
	VPMULLW(weight, difference, difference)
	VPSLLW(U8(8), a, a)
	VPADDW(half, a, a)
	VPADDW(difference, a, a)
	VPSRLW(U8(8), a, a)
}

func between() {
	TEXT("betweenAVX2", NOSPLIT, "func(dst, src *byte, starts *int32, masks *byte, weights *uint16, blocks int)")
	Doc("betweenAVX2 makes blocks of 16 pixels. Each half of a block takes pairs of neighbours, picked by a mask, out of 16 pixels",
		"from its start on.")
	dst, src, starts := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("starts"), GP64())
	masks, weights, blocks := Load(Param("masks"), GP64()), Load(Param("weights"), GP64()), Load(Param("blocks"), GP64())
	half, low := vector(words("half", 128)), vector(words("low", 255))

	Label("block")
	at := GP64()
	pairs, a, w := YMM(), YMM(), YMM()
	MOVLQSX(Mem{Base: starts}, at)
	VMOVDQU(Mem{Base: src, Index: at, Scale: 1}, pairs.AsX())
	MOVLQSX(Mem{Base: starts, Disp: 4}, at)
	VINSERTI128(U8(1), Mem{Base: src, Index: at, Scale: 1}, pairs, pairs)
	VPSHUFB(Mem{Base: masks}, pairs, pairs)
	VMOVDQU(Mem{Base: weights}, w)
	VPAND(low, pairs, a)
	VPSRLW(U8(8), pairs, pairs)
	VPSUBW(a, pairs, pairs)
	blend(a, pairs, w, half)
	VEXTRACTI128(U8(1), a, w.AsX())
	VPACKUSWB(w.AsX(), a.AsX(), a.AsX())
	VMOVDQU(a.AsX(), Mem{Base: dst})
	ADDQ(Imm(16), dst)
	ADDQ(Imm(8), starts)
	ADDQ(Imm(32), masks)
	ADDQ(Imm(32), weights)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}

func mix() {
	TEXT("mixAVX2", NOSPLIT, "func(dst, first, second *byte, weight uint64, blocks int)")
	Doc("mixAVX2 makes blocks of 32 pixels of two rows; the weight is that of the second.")
	dst, first, second := Load(Param("dst"), GP64()), Load(Param("first"), GP64()), Load(Param("second"), GP64())
	share, blocks := Load(Param("weight"), GP64()), Load(Param("blocks"), GP64())
	half, zero, w := vector(words("halves", 128)), YMM(), YMM()
	VPXOR(zero, zero, zero)
	VMOVQ(share, w.AsX())
	VPBROADCASTW(w.AsX(), w)

	Label("pixels")
	a, b := YMM(), YMM()
	VMOVDQU(Mem{Base: first}, a)
	VMOVDQU(Mem{Base: second}, b)
	low, high, lowDifference, highDifference := YMM(), YMM(), YMM(), YMM()
	VPUNPCKLBW(zero, a, low)
	VPUNPCKHBW(zero, a, high)
	VPUNPCKLBW(zero, b, lowDifference)
	VPUNPCKHBW(zero, b, highDifference)
	VPSUBW(low, lowDifference, lowDifference)
	VPSUBW(high, highDifference, highDifference)
	blend(low, lowDifference, w, half)
	blend(high, highDifference, w, half)
	VPACKUSWB(high, low, low)
	VMOVDQU(low, Mem{Base: dst})
	ADDQ(Imm(32), first)
	ADDQ(Imm(32), second)
	ADDQ(Imm(32), dst)
	DECQ(blocks)
	JNZ(LabelRef("pixels"))
	VZEROUPPER()
	RET()
}
