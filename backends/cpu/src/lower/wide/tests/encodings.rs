//! Instructions against the bytes that GNU's assembler makes of their texts (`as`, with `{evex}` or `{vex3}` before each); where
//! there are two forms, those that `objdump` reads so.

use cuproxide_hal::DType::{F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
use cuproxide_hal::ir::{Binary, Compare};

use super::super::encode::{Address, Assembler, Form, Instruction, Operand, Row};
use super::super::rows::*;

const fn r(register: u8) -> Operand {
    Operand::Register(register)
}

/// A place of so many bytes, the same for all lanes if `spread`.
const fn m(base: u8, scale: Option<u8>, offset: i32, bytes: usize, spread: bool) -> Operand {
    Operand::Memory(Address { base, scale, offset }, bytes, spread)
}

/// Text, code, encoding, bytes of the widest vector, register, source, mask, immediate, operand, and the row.
type Case = (&'static str, &'static str, Form, usize, u8, u8, u8, Option<u8>, Operand, Row);

macro_rules! cases {
    ($($text:literal $code:literal $form:ident $bytes:literal $register:literal $source:literal $mask:literal
        $immediate:ident$(($value:literal))? $place:ident($($part:expr),*) = $row:expr;)*) => {
        fn cases() -> Vec<Case> {
            vec![$((
                $text, $code, Form::$form, $bytes, $register, $source, $mask, $immediate$(($value))?, $place($($part),*), $row,
            )),*]
        }
    };
}

#[test]
fn instructions_are_those_that_an_assembler_makes() {
    let cases = cases();
    assert_eq!(cases.len(), 268);
    for (text, code, form, bytes, register, source, mask, immediate, operand, row) in cases {
        let mut assembler = Assembler::default();
        assembler.vector(form, &Instruction { row, register, source, operand, mask, immediate, bytes });
        let found: String = assembler.code.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found, code, "{text}");
    }
}

cases! {
    "vaddpd zmm1,zmm2,zmm3" "62f1ed4858cb" Evex 64 1 2 0 None r(3) = binary(Binary::Add, F64).unwrap();
    "vaddpd zmm1{k2},zmm2,zmm3" "62f1ed4a58cb" Evex 64 1 2 2 None r(3) = binary(Binary::Add, F64).unwrap();
    "vaddpd ymm1,ymm2,ymm3" "c4e16d58cb" Vex 32 1 2 0 None r(3) = binary(Binary::Add, F64).unwrap();
    "vsubpd zmm1,zmm2,zmm3" "62f1ed485ccb" Evex 64 1 2 0 None r(3) = binary(Binary::Sub, F64).unwrap();
    "vsubpd ymm1,ymm2,ymm3" "c4e16d5ccb" Vex 32 1 2 0 None r(3) = binary(Binary::Sub, F64).unwrap();
    "vmulpd zmm1,zmm2,zmm3" "62f1ed4859cb" Evex 64 1 2 0 None r(3) = binary(Binary::Mul, F64).unwrap();
    "vmulpd ymm1,ymm2,ymm3" "c4e16d59cb" Vex 32 1 2 0 None r(3) = binary(Binary::Mul, F64).unwrap();
    "vdivpd zmm1,zmm2,zmm3" "62f1ed485ecb" Evex 64 1 2 0 None r(3) = binary(Binary::Div, F64).unwrap();
    "vdivpd ymm1,ymm2,ymm3" "c4e16d5ecb" Vex 32 1 2 0 None r(3) = binary(Binary::Div, F64).unwrap();
    "vminpd zmm1,zmm2,zmm3" "62f1ed485dcb" Evex 64 1 2 0 None r(3) = extremum(true, 8);
    "vminpd ymm1,ymm2,ymm3" "c4e16d5dcb" Vex 32 1 2 0 None r(3) = extremum(true, 8);
    "vmaxpd zmm1,zmm2,zmm3" "62f1ed485fcb" Evex 64 1 2 0 None r(3) = extremum(false, 8);
    "vmaxpd ymm1,ymm2,ymm3" "c4e16d5fcb" Vex 32 1 2 0 None r(3) = extremum(false, 8);
    "vandpd zmm1,zmm2,zmm3" "62f1ed4854cb" Evex 64 1 2 0 None r(3) = float_and(8);
    "vandpd ymm1,ymm2,ymm3" "c4e16d54cb" Vex 32 1 2 0 None r(3) = float_and(8);
    "vorpd zmm1,zmm2,zmm3" "62f1ed4856cb" Evex 64 1 2 0 None r(3) = float_or(8);
    "vorpd ymm1,ymm2,ymm3" "c4e16d56cb" Vex 32 1 2 0 None r(3) = float_or(8);
    "vxorpd zmm1,zmm2,zmm3" "62f1ed4857cb" Evex 64 1 2 0 None r(3) = float_xor(8);
    "vxorpd ymm1,ymm2,ymm3" "c4e16d57cb" Vex 32 1 2 0 None r(3) = float_xor(8);
    "vfmadd213pd zmm1,zmm2,zmm3" "62f2ed48a8cb" Evex 64 1 2 0 None r(3) = multiply_add(8);
    "vfmadd213pd ymm1,ymm2,ymm3" "c4e2eda8cb" Vex 32 1 2 0 None r(3) = multiply_add(8);
    "vsqrtpd zmm1,zmm3" "62f1fd4851cb" Evex 64 1 0 0 None r(3) = square_root(8);
    "vsqrtpd ymm1,ymm3" "c4e17d51cb" Vex 32 1 0 0 None r(3) = square_root(8);
    "vrndscalepd zmm1,zmm3,9" "62f3fd4809cb09" Evex 64 1 0 0 Some(9) r(3) = round(8);
    "vroundpd ymm1,ymm3,9" "c4e37d09cb09" Vex 32 1 0 0 Some(9) r(3) = round(8);
    "vblendmpd zmm1{k3},zmm2,zmm3" "62f2ed4b65cb" Evex 64 1 2 3 None r(3) = blend(F64);
    "vcmppd k1,zmm2,zmm3,0x11" "62f1ed48c2cb11" Evex 64 1 2 0 Some(17) r(3) = compare(Compare::Lt, F64).0;
    "vcmppd ymm1,ymm2,ymm3,0x11" "c4e16dc2cb11" Vex 32 1 2 0 Some(17) r(3) = compare(Compare::Lt, F64).0;
    "vpternlogq zmm1,zmm2,zmm3,212" "62f3ed4825cbd4" Evex 64 1 2 0 Some(212) r(3) = choice_of_bits(8);
    "vrangepd zmm1,zmm2,zmm3,5" "62f3ed4850cb05" Evex 64 1 2 0 Some(5) r(3) = range(8);
    "vaddps zmm1,zmm2,zmm3" "62f16c4858cb" Evex 64 1 2 0 None r(3) = binary(Binary::Add, F32).unwrap();
    "vaddps ymm1,ymm2,ymm3" "c4e16c58cb" Vex 32 1 2 0 None r(3) = binary(Binary::Add, F32).unwrap();
    "vsubps zmm1,zmm2,zmm3" "62f16c485ccb" Evex 64 1 2 0 None r(3) = binary(Binary::Sub, F32).unwrap();
    "vsubps ymm1,ymm2,ymm3" "c4e16c5ccb" Vex 32 1 2 0 None r(3) = binary(Binary::Sub, F32).unwrap();
    "vmulps zmm1,zmm2,zmm3" "62f16c4859cb" Evex 64 1 2 0 None r(3) = binary(Binary::Mul, F32).unwrap();
    "vmulps ymm1,ymm2,ymm3" "c4e16c59cb" Vex 32 1 2 0 None r(3) = binary(Binary::Mul, F32).unwrap();
    "vdivps zmm1,zmm2,zmm3" "62f16c485ecb" Evex 64 1 2 0 None r(3) = binary(Binary::Div, F32).unwrap();
    "vdivps ymm1,ymm2,ymm3" "c4e16c5ecb" Vex 32 1 2 0 None r(3) = binary(Binary::Div, F32).unwrap();
    "vminps zmm1,zmm2,zmm3" "62f16c485dcb" Evex 64 1 2 0 None r(3) = extremum(true, 4);
    "vminps ymm1,ymm2,ymm3" "c4e16c5dcb" Vex 32 1 2 0 None r(3) = extremum(true, 4);
    "vmaxps zmm1,zmm2,zmm3" "62f16c485fcb" Evex 64 1 2 0 None r(3) = extremum(false, 4);
    "vmaxps ymm1,ymm2,ymm3" "c4e16c5fcb" Vex 32 1 2 0 None r(3) = extremum(false, 4);
    "vandps zmm1,zmm2,zmm3" "62f16c4854cb" Evex 64 1 2 0 None r(3) = float_and(4);
    "vandps ymm1,ymm2,ymm3" "c4e16c54cb" Vex 32 1 2 0 None r(3) = float_and(4);
    "vorps zmm1,zmm2,zmm3" "62f16c4856cb" Evex 64 1 2 0 None r(3) = float_or(4);
    "vorps ymm1,ymm2,ymm3" "c4e16c56cb" Vex 32 1 2 0 None r(3) = float_or(4);
    "vxorps zmm1,zmm2,zmm3" "62f16c4857cb" Evex 64 1 2 0 None r(3) = float_xor(4);
    "vxorps ymm1,ymm2,ymm3" "c4e16c57cb" Vex 32 1 2 0 None r(3) = float_xor(4);
    "vfmadd213ps zmm1,zmm2,zmm3" "62f26d48a8cb" Evex 64 1 2 0 None r(3) = multiply_add(4);
    "vfmadd213ps ymm1,ymm2,ymm3" "c4e26da8cb" Vex 32 1 2 0 None r(3) = multiply_add(4);
    "vsqrtps zmm1,zmm3" "62f17c4851cb" Evex 64 1 0 0 None r(3) = square_root(4);
    "vsqrtps ymm1,ymm3" "c4e17c51cb" Vex 32 1 0 0 None r(3) = square_root(4);
    "vrndscaleps zmm1,zmm3,9" "62f37d4808cb09" Evex 64 1 0 0 Some(9) r(3) = round(4);
    "vroundps ymm1,ymm3,9" "c4e37d08cb09" Vex 32 1 0 0 Some(9) r(3) = round(4);
    "vblendmps zmm1{k3},zmm2,zmm3" "62f26d4b65cb" Evex 64 1 2 3 None r(3) = blend(F32);
    "vcmpps k1,zmm2,zmm3,0x11" "62f16c48c2cb11" Evex 64 1 2 0 Some(17) r(3) = compare(Compare::Lt, F32).0;
    "vcmpps ymm1,ymm2,ymm3,0x11" "c4e16cc2cb11" Vex 32 1 2 0 Some(17) r(3) = compare(Compare::Lt, F32).0;
    "vpternlogd zmm1,zmm2,zmm3,212" "62f36d4825cbd4" Evex 64 1 2 0 Some(212) r(3) = choice_of_bits(4);
    "vrangeps zmm1,zmm2,zmm3,4" "62f36d4850cb04" Evex 64 1 2 0 Some(4) r(3) = range(4);
    "vpaddb zmm1,zmm2,zmm3" "62f16d48fccb" Evex 64 1 2 0 None r(3) = binary(Binary::Add, I8).unwrap();
    "vpaddb ymm1,ymm2,ymm3" "c4e16dfccb" Vex 32 1 2 0 None r(3) = binary(Binary::Add, I8).unwrap();
    "vpsubb zmm1,zmm2,zmm3" "62f16d48f8cb" Evex 64 1 2 0 None r(3) = binary(Binary::Sub, I8).unwrap();
    "vpsubb ymm1,ymm2,ymm3" "c4e16df8cb" Vex 32 1 2 0 None r(3) = binary(Binary::Sub, I8).unwrap();
    "vpand ymm1,ymm2,ymm3" "c4e16ddbcb" Vex 32 1 2 0 None r(3) = binary(Binary::And, I8).unwrap();
    "vpor ymm1,ymm2,ymm3" "c4e16debcb" Vex 32 1 2 0 None r(3) = binary(Binary::Or, I8).unwrap();
    "vpxor ymm1,ymm2,ymm3" "c4e16defcb" Vex 32 1 2 0 None r(3) = binary(Binary::Xor, I8).unwrap();
    "vpminsb zmm1,zmm2,zmm3" "62f26d4838cb" Evex 64 1 2 0 None r(3) = binary(Binary::Min, I8).unwrap();
    "vpminsb ymm1,ymm2,ymm3" "c4e26d38cb" Vex 32 1 2 0 None r(3) = binary(Binary::Min, I8).unwrap();
    "vpminub zmm1,zmm2,zmm3" "62f16d48dacb" Evex 64 1 2 0 None r(3) = binary(Binary::Min, U8).unwrap();
    "vpminub ymm1,ymm2,ymm3" "c4e16ddacb" Vex 32 1 2 0 None r(3) = binary(Binary::Min, U8).unwrap();
    "vpmaxsb zmm1,zmm2,zmm3" "62f26d483ccb" Evex 64 1 2 0 None r(3) = binary(Binary::Max, I8).unwrap();
    "vpmaxsb ymm1,ymm2,ymm3" "c4e26d3ccb" Vex 32 1 2 0 None r(3) = binary(Binary::Max, I8).unwrap();
    "vpmaxub zmm1,zmm2,zmm3" "62f16d48decb" Evex 64 1 2 0 None r(3) = binary(Binary::Max, U8).unwrap();
    "vpmaxub ymm1,ymm2,ymm3" "c4e16ddecb" Vex 32 1 2 0 None r(3) = binary(Binary::Max, U8).unwrap();
    "vpabsb zmm1,zmm3" "62f27d481ccb" Evex 64 1 0 0 None r(3) = magnitude(1);
    "vpabsb ymm1,ymm3" "c4e27d1ccb" Vex 32 1 0 0 None r(3) = magnitude(1);
    "vptestmb k1,zmm2,zmm3" "62f26d4826cb" Evex 64 1 2 0 None r(3) = test(1);
    "vpcmpb k1,zmm2,zmm3,2" "62f36d483fcb02" Evex 64 1 2 0 Some(2) r(3) = compare(Compare::Le, I8).0;
    "vpcmpub k1,zmm2,zmm3,2" "62f36d483ecb02" Evex 64 1 2 0 Some(2) r(3) = compare(Compare::Le, U8).0;
    "vpcmpeqb ymm1,ymm2,ymm3" "c4e16d74cb" Vex 32 1 2 0 None r(3) = compare_vectors(true, 1);
    "vpcmpgtb ymm1,ymm2,ymm3" "c4e16d64cb" Vex 32 1 2 0 None r(3) = compare_vectors(false, 1);
    "vpbroadcastb zmm1,xmm3" "62f27d4878cb" Evex 64 1 0 0 None r(3) = broadcast(1);
    "vpbroadcastb ymm1,xmm3" "c4e27d78cb" Vex 32 1 0 0 None r(3) = broadcast(1);
    "vpblendmb zmm1{k3},zmm2,zmm3" "62f26d4b66cb" Evex 64 1 2 3 None r(3) = blend(I8);
    "vpaddw zmm1,zmm2,zmm3" "62f16d48fdcb" Evex 64 1 2 0 None r(3) = binary(Binary::Add, I16).unwrap();
    "vpaddw ymm1,ymm2,ymm3" "c4e16dfdcb" Vex 32 1 2 0 None r(3) = binary(Binary::Add, I16).unwrap();
    "vpsubw zmm1,zmm2,zmm3" "62f16d48f9cb" Evex 64 1 2 0 None r(3) = binary(Binary::Sub, I16).unwrap();
    "vpsubw ymm1,ymm2,ymm3" "c4e16df9cb" Vex 32 1 2 0 None r(3) = binary(Binary::Sub, I16).unwrap();
    "vpand ymm1,ymm2,ymm3" "c4e16ddbcb" Vex 32 1 2 0 None r(3) = binary(Binary::And, I16).unwrap();
    "vpor ymm1,ymm2,ymm3" "c4e16debcb" Vex 32 1 2 0 None r(3) = binary(Binary::Or, I16).unwrap();
    "vpxor ymm1,ymm2,ymm3" "c4e16defcb" Vex 32 1 2 0 None r(3) = binary(Binary::Xor, I16).unwrap();
    "vpminsw zmm1,zmm2,zmm3" "62f16d48eacb" Evex 64 1 2 0 None r(3) = binary(Binary::Min, I16).unwrap();
    "vpminsw ymm1,ymm2,ymm3" "c4e16deacb" Vex 32 1 2 0 None r(3) = binary(Binary::Min, I16).unwrap();
    "vpminuw zmm1,zmm2,zmm3" "62f26d483acb" Evex 64 1 2 0 None r(3) = binary(Binary::Min, U16).unwrap();
    "vpminuw ymm1,ymm2,ymm3" "c4e26d3acb" Vex 32 1 2 0 None r(3) = binary(Binary::Min, U16).unwrap();
    "vpmaxsw zmm1,zmm2,zmm3" "62f16d48eecb" Evex 64 1 2 0 None r(3) = binary(Binary::Max, I16).unwrap();
    "vpmaxsw ymm1,ymm2,ymm3" "c4e16deecb" Vex 32 1 2 0 None r(3) = binary(Binary::Max, I16).unwrap();
    "vpmaxuw zmm1,zmm2,zmm3" "62f26d483ecb" Evex 64 1 2 0 None r(3) = binary(Binary::Max, U16).unwrap();
    "vpmaxuw ymm1,ymm2,ymm3" "c4e26d3ecb" Vex 32 1 2 0 None r(3) = binary(Binary::Max, U16).unwrap();
    "vpmullw zmm1,zmm2,zmm3" "62f16d48d5cb" Evex 64 1 2 0 None r(3) = binary(Binary::Mul, I16).unwrap();
    "vpmullw ymm1,ymm2,ymm3" "c4e16dd5cb" Vex 32 1 2 0 None r(3) = binary(Binary::Mul, I16).unwrap();
    "vpsllvw zmm1,zmm2,zmm3" "62f2ed4812cb" Evex 64 1 2 0 None r(3) = binary(Binary::Shl, I16).unwrap();
    "vpsrlvw zmm1,zmm2,zmm3" "62f2ed4810cb" Evex 64 1 2 0 None r(3) = binary(Binary::Shr, U16).unwrap();
    "vpsravw zmm1,zmm2,zmm3" "62f2ed4811cb" Evex 64 1 2 0 None r(3) = binary(Binary::Shr, I16).unwrap();
    "vpabsw zmm1,zmm3" "62f27d481dcb" Evex 64 1 0 0 None r(3) = magnitude(2);
    "vpabsw ymm1,ymm3" "c4e27d1dcb" Vex 32 1 0 0 None r(3) = magnitude(2);
    "vptestmw k1,zmm2,zmm3" "62f2ed4826cb" Evex 64 1 2 0 None r(3) = test(2);
    "vpcmpw k1,zmm2,zmm3,2" "62f3ed483fcb02" Evex 64 1 2 0 Some(2) r(3) = compare(Compare::Le, I16).0;
    "vpcmpuw k1,zmm2,zmm3,2" "62f3ed483ecb02" Evex 64 1 2 0 Some(2) r(3) = compare(Compare::Le, U16).0;
    "vpcmpeqw ymm1,ymm2,ymm3" "c4e16d75cb" Vex 32 1 2 0 None r(3) = compare_vectors(true, 2);
    "vpcmpgtw ymm1,ymm2,ymm3" "c4e16d65cb" Vex 32 1 2 0 None r(3) = compare_vectors(false, 2);
    "vpbroadcastw zmm1,xmm3" "62f27d4879cb" Evex 64 1 0 0 None r(3) = broadcast(2);
    "vpbroadcastw ymm1,xmm3" "c4e27d79cb" Vex 32 1 0 0 None r(3) = broadcast(2);
    "vpblendmw zmm1{k3},zmm2,zmm3" "62f2ed4b66cb" Evex 64 1 2 3 None r(3) = blend(I16);
    "vpaddd zmm1,zmm2,zmm3" "62f16d48fecb" Evex 64 1 2 0 None r(3) = binary(Binary::Add, I32).unwrap();
    "vpaddd ymm1,ymm2,ymm3" "c4e16dfecb" Vex 32 1 2 0 None r(3) = binary(Binary::Add, I32).unwrap();
    "vpsubd zmm1,zmm2,zmm3" "62f16d48facb" Evex 64 1 2 0 None r(3) = binary(Binary::Sub, I32).unwrap();
    "vpsubd ymm1,ymm2,ymm3" "c4e16dfacb" Vex 32 1 2 0 None r(3) = binary(Binary::Sub, I32).unwrap();
    "vpandd zmm1,zmm2,zmm3" "62f16d48dbcb" Evex 64 1 2 0 None r(3) = binary(Binary::And, I32).unwrap();
    "vpand ymm1,ymm2,ymm3" "c4e16ddbcb" Vex 32 1 2 0 None r(3) = binary(Binary::And, I32).unwrap();
    "vpord zmm1,zmm2,zmm3" "62f16d48ebcb" Evex 64 1 2 0 None r(3) = binary(Binary::Or, I32).unwrap();
    "vpor ymm1,ymm2,ymm3" "c4e16debcb" Vex 32 1 2 0 None r(3) = binary(Binary::Or, I32).unwrap();
    "vpxord zmm1,zmm2,zmm3" "62f16d48efcb" Evex 64 1 2 0 None r(3) = binary(Binary::Xor, I32).unwrap();
    "vpxor ymm1,ymm2,ymm3" "c4e16defcb" Vex 32 1 2 0 None r(3) = binary(Binary::Xor, I32).unwrap();
    "vpminsd zmm1,zmm2,zmm3" "62f26d4839cb" Evex 64 1 2 0 None r(3) = binary(Binary::Min, I32).unwrap();
    "vpminsd ymm1,ymm2,ymm3" "c4e26d39cb" Vex 32 1 2 0 None r(3) = binary(Binary::Min, I32).unwrap();
    "vpminud zmm1,zmm2,zmm3" "62f26d483bcb" Evex 64 1 2 0 None r(3) = binary(Binary::Min, U32).unwrap();
    "vpminud ymm1,ymm2,ymm3" "c4e26d3bcb" Vex 32 1 2 0 None r(3) = binary(Binary::Min, U32).unwrap();
    "vpmaxsd zmm1,zmm2,zmm3" "62f26d483dcb" Evex 64 1 2 0 None r(3) = binary(Binary::Max, I32).unwrap();
    "vpmaxsd ymm1,ymm2,ymm3" "c4e26d3dcb" Vex 32 1 2 0 None r(3) = binary(Binary::Max, I32).unwrap();
    "vpmaxud zmm1,zmm2,zmm3" "62f26d483fcb" Evex 64 1 2 0 None r(3) = binary(Binary::Max, U32).unwrap();
    "vpmaxud ymm1,ymm2,ymm3" "c4e26d3fcb" Vex 32 1 2 0 None r(3) = binary(Binary::Max, U32).unwrap();
    "vpmulld zmm1,zmm2,zmm3" "62f26d4840cb" Evex 64 1 2 0 None r(3) = binary(Binary::Mul, I32).unwrap();
    "vpmulld ymm1,ymm2,ymm3" "c4e26d40cb" Vex 32 1 2 0 None r(3) = binary(Binary::Mul, I32).unwrap();
    "vpsllvd zmm1,zmm2,zmm3" "62f26d4847cb" Evex 64 1 2 0 None r(3) = binary(Binary::Shl, I32).unwrap();
    "vpsllvd ymm1,ymm2,ymm3" "c4e26d47cb" Vex 32 1 2 0 None r(3) = binary(Binary::Shl, I32).unwrap();
    "vpsrlvd zmm1,zmm2,zmm3" "62f26d4845cb" Evex 64 1 2 0 None r(3) = binary(Binary::Shr, U32).unwrap();
    "vpsrlvd ymm1,ymm2,ymm3" "c4e26d45cb" Vex 32 1 2 0 None r(3) = binary(Binary::Shr, U32).unwrap();
    "vpsravd zmm1,zmm2,zmm3" "62f26d4846cb" Evex 64 1 2 0 None r(3) = binary(Binary::Shr, I32).unwrap();
    "vpsravd ymm1,ymm2,ymm3" "c4e26d46cb" Vex 32 1 2 0 None r(3) = binary(Binary::Shr, I32).unwrap();
    "vpabsd zmm1,zmm3" "62f27d481ecb" Evex 64 1 0 0 None r(3) = magnitude(4);
    "vpabsd ymm1,ymm3" "c4e27d1ecb" Vex 32 1 0 0 None r(3) = magnitude(4);
    "vptestmd k1,zmm2,zmm3" "62f26d4827cb" Evex 64 1 2 0 None r(3) = test(4);
    "vpcmpd k1,zmm2,zmm3,2" "62f36d481fcb02" Evex 64 1 2 0 Some(2) r(3) = compare(Compare::Le, I32).0;
    "vpcmpud k1,zmm2,zmm3,2" "62f36d481ecb02" Evex 64 1 2 0 Some(2) r(3) = compare(Compare::Le, U32).0;
    "vpcmpeqd ymm1,ymm2,ymm3" "c4e16d76cb" Vex 32 1 2 0 None r(3) = compare_vectors(true, 4);
    "vpcmpgtd ymm1,ymm2,ymm3" "c4e16d66cb" Vex 32 1 2 0 None r(3) = compare_vectors(false, 4);
    "vpbroadcastd zmm1,xmm3" "62f27d4858cb" Evex 64 1 0 0 None r(3) = broadcast(4);
    "vpbroadcastd ymm1,xmm3" "c4e27d58cb" Vex 32 1 0 0 None r(3) = broadcast(4);
    "vpblendmd zmm1{k3},zmm2,zmm3" "62f26d4b64cb" Evex 64 1 2 3 None r(3) = blend(I32);
    "vpaddq zmm1,zmm2,zmm3" "62f1ed48d4cb" Evex 64 1 2 0 None r(3) = binary(Binary::Add, I64).unwrap();
    "vpaddq ymm1,ymm2,ymm3" "c4e16dd4cb" Vex 32 1 2 0 None r(3) = binary(Binary::Add, I64).unwrap();
    "vpsubq zmm1,zmm2,zmm3" "62f1ed48fbcb" Evex 64 1 2 0 None r(3) = binary(Binary::Sub, I64).unwrap();
    "vpsubq ymm1,ymm2,ymm3" "c4e16dfbcb" Vex 32 1 2 0 None r(3) = binary(Binary::Sub, I64).unwrap();
    "vpandq zmm1,zmm2,zmm3" "62f1ed48dbcb" Evex 64 1 2 0 None r(3) = binary(Binary::And, I64).unwrap();
    "vpand ymm1,ymm2,ymm3" "c4e16ddbcb" Vex 32 1 2 0 None r(3) = binary(Binary::And, I64).unwrap();
    "vporq zmm1,zmm2,zmm3" "62f1ed48ebcb" Evex 64 1 2 0 None r(3) = binary(Binary::Or, I64).unwrap();
    "vpor ymm1,ymm2,ymm3" "c4e16debcb" Vex 32 1 2 0 None r(3) = binary(Binary::Or, I64).unwrap();
    "vpxorq zmm1,zmm2,zmm3" "62f1ed48efcb" Evex 64 1 2 0 None r(3) = binary(Binary::Xor, I64).unwrap();
    "vpxor ymm1,ymm2,ymm3" "c4e16defcb" Vex 32 1 2 0 None r(3) = binary(Binary::Xor, I64).unwrap();
    "vpminsq zmm1,zmm2,zmm3" "62f2ed4839cb" Evex 64 1 2 0 None r(3) = binary(Binary::Min, I64).unwrap();
    "vpminuq zmm1,zmm2,zmm3" "62f2ed483bcb" Evex 64 1 2 0 None r(3) = binary(Binary::Min, U64).unwrap();
    "vpmaxsq zmm1,zmm2,zmm3" "62f2ed483dcb" Evex 64 1 2 0 None r(3) = binary(Binary::Max, I64).unwrap();
    "vpmaxuq zmm1,zmm2,zmm3" "62f2ed483fcb" Evex 64 1 2 0 None r(3) = binary(Binary::Max, U64).unwrap();
    "vpmullq zmm1,zmm2,zmm3" "62f2ed4840cb" Evex 64 1 2 0 None r(3) = binary(Binary::Mul, I64).unwrap();
    "vpsllvq zmm1,zmm2,zmm3" "62f2ed4847cb" Evex 64 1 2 0 None r(3) = binary(Binary::Shl, I64).unwrap();
    "vpsllvq ymm1,ymm2,ymm3" "c4e2ed47cb" Vex 32 1 2 0 None r(3) = binary(Binary::Shl, I64).unwrap();
    "vpsrlvq zmm1,zmm2,zmm3" "62f2ed4845cb" Evex 64 1 2 0 None r(3) = binary(Binary::Shr, U64).unwrap();
    "vpsrlvq ymm1,ymm2,ymm3" "c4e2ed45cb" Vex 32 1 2 0 None r(3) = binary(Binary::Shr, U64).unwrap();
    "vpsravq zmm1,zmm2,zmm3" "62f2ed4846cb" Evex 64 1 2 0 None r(3) = binary(Binary::Shr, I64).unwrap();
    "vpabsq zmm1,zmm3" "62f2fd481fcb" Evex 64 1 0 0 None r(3) = magnitude(8);
    "vptestmq k1,zmm2,zmm3" "62f2ed4827cb" Evex 64 1 2 0 None r(3) = test(8);
    "vpcmpq k1,zmm2,zmm3,2" "62f3ed481fcb02" Evex 64 1 2 0 Some(2) r(3) = compare(Compare::Le, I64).0;
    "vpcmpuq k1,zmm2,zmm3,2" "62f3ed481ecb02" Evex 64 1 2 0 Some(2) r(3) = compare(Compare::Le, U64).0;
    "vpcmpeqq ymm1,ymm2,ymm3" "c4e26d29cb" Vex 32 1 2 0 None r(3) = compare_vectors(true, 8);
    "vpcmpgtq ymm1,ymm2,ymm3" "c4e26d37cb" Vex 32 1 2 0 None r(3) = compare_vectors(false, 8);
    "vpbroadcastq zmm1,xmm3" "62f2fd4859cb" Evex 64 1 0 0 None r(3) = broadcast(8);
    "vpbroadcastq ymm1,xmm3" "c4e27d59cb" Vex 32 1 0 0 None r(3) = broadcast(8);
    "vpblendmq zmm1{k3},zmm2,zmm3" "62f2ed4b64cb" Evex 64 1 2 3 None r(3) = blend(I64);
    "vpmovsxbw zmm1,ymm3" "62f27d4820cb" Evex 64 1 0 0 None r(3) = resize(1, 2, true);
    "vpmovsxbw ymm1,xmm3" "c4e27d20cb" Vex 32 1 0 0 None r(3) = resize(1, 2, true);
    "vpmovzxbw zmm1,ymm3" "62f27d4830cb" Evex 64 1 0 0 None r(3) = resize(1, 2, false);
    "vpmovzxbw ymm1,xmm3" "c4e27d30cb" Vex 32 1 0 0 None r(3) = resize(1, 2, false);
    "vpmovwb ymm3,zmm1" "62f27e4830cb" Evex 64 1 0 0 None r(3) = resize(2, 1, true);
    "vpmovsxbd zmm1,xmm3" "62f27d4821cb" Evex 64 1 0 0 None r(3) = resize(1, 4, true);
    "vpmovsxbd ymm1,xmm3" "c4e27d21cb" Vex 32 1 0 0 None r(3) = resize(1, 4, true);
    "vpmovzxbd zmm1,xmm3" "62f27d4831cb" Evex 64 1 0 0 None r(3) = resize(1, 4, false);
    "vpmovzxbd ymm1,xmm3" "c4e27d31cb" Vex 32 1 0 0 None r(3) = resize(1, 4, false);
    "vpmovdb xmm3,zmm1" "62f27e4831cb" Evex 64 1 0 0 None r(3) = resize(4, 1, true);
    "vpmovsxbq zmm1,xmm3" "62f27d4822cb" Evex 64 1 0 0 None r(3) = resize(1, 8, true);
    "vpmovsxbq ymm1,xmm3" "c4e27d22cb" Vex 32 1 0 0 None r(3) = resize(1, 8, true);
    "vpmovzxbq zmm1,xmm3" "62f27d4832cb" Evex 64 1 0 0 None r(3) = resize(1, 8, false);
    "vpmovzxbq ymm1,xmm3" "c4e27d32cb" Vex 32 1 0 0 None r(3) = resize(1, 8, false);
    "vpmovqb xmm3,zmm1" "62f27e4832cb" Evex 64 1 0 0 None r(3) = resize(8, 1, true);
    "vpmovsxwd zmm1,ymm3" "62f27d4823cb" Evex 64 1 0 0 None r(3) = resize(2, 4, true);
    "vpmovsxwd ymm1,xmm3" "c4e27d23cb" Vex 32 1 0 0 None r(3) = resize(2, 4, true);
    "vpmovzxwd zmm1,ymm3" "62f27d4833cb" Evex 64 1 0 0 None r(3) = resize(2, 4, false);
    "vpmovzxwd ymm1,xmm3" "c4e27d33cb" Vex 32 1 0 0 None r(3) = resize(2, 4, false);
    "vpmovdw ymm3,zmm1" "62f27e4833cb" Evex 64 1 0 0 None r(3) = resize(4, 2, true);
    "vpmovsxwq zmm1,xmm3" "62f27d4824cb" Evex 64 1 0 0 None r(3) = resize(2, 8, true);
    "vpmovsxwq ymm1,xmm3" "c4e27d24cb" Vex 32 1 0 0 None r(3) = resize(2, 8, true);
    "vpmovzxwq zmm1,xmm3" "62f27d4834cb" Evex 64 1 0 0 None r(3) = resize(2, 8, false);
    "vpmovzxwq ymm1,xmm3" "c4e27d34cb" Vex 32 1 0 0 None r(3) = resize(2, 8, false);
    "vpmovqw xmm3,zmm1" "62f27e4834cb" Evex 64 1 0 0 None r(3) = resize(8, 2, true);
    "vpmovsxdq zmm1,ymm3" "62f27d4825cb" Evex 64 1 0 0 None r(3) = resize(4, 8, true);
    "vpmovsxdq ymm1,xmm3" "c4e27d25cb" Vex 32 1 0 0 None r(3) = resize(4, 8, true);
    "vpmovzxdq zmm1,ymm3" "62f27d4835cb" Evex 64 1 0 0 None r(3) = resize(4, 8, false);
    "vpmovzxdq ymm1,xmm3" "c4e27d35cb" Vex 32 1 0 0 None r(3) = resize(4, 8, false);
    "vpmovqd ymm3,zmm1" "62f27e4835cb" Evex 64 1 0 0 None r(3) = resize(8, 4, true);
    "vcvtps2pd zmm1,ymm3" "62f17c485acb" Evex 64 1 0 0 None r(3) = convert(F32, F64).unwrap();
    "vcvtpd2ps ymm1,zmm3" "62f1fd485acb" Evex 64 1 0 0 None r(3) = convert(F64, F32).unwrap();
    "vcvtdq2pd zmm1,ymm3" "62f17e48e6cb" Evex 64 1 0 0 None r(3) = convert(I32, F64).unwrap();
    "vcvtdq2ps zmm1,zmm3" "62f17c485bcb" Evex 64 1 0 0 None r(3) = convert(I32, F32).unwrap();
    "vcvtudq2pd zmm1,ymm3" "62f17e487acb" Evex 64 1 0 0 None r(3) = convert(U32, F64).unwrap();
    "vcvtudq2ps zmm1,zmm3" "62f17f487acb" Evex 64 1 0 0 None r(3) = convert(U32, F32).unwrap();
    "vcvtqq2pd zmm1,zmm3" "62f1fe48e6cb" Evex 64 1 0 0 None r(3) = convert(I64, F64).unwrap();
    "vcvtqq2ps ymm1,zmm3" "62f1fc485bcb" Evex 64 1 0 0 None r(3) = convert(I64, F32).unwrap();
    "vcvtuqq2pd zmm1,zmm3" "62f1fe487acb" Evex 64 1 0 0 None r(3) = convert(U64, F64).unwrap();
    "vcvtuqq2ps ymm1,zmm3" "62f1ff487acb" Evex 64 1 0 0 None r(3) = convert(U64, F32).unwrap();
    "vcvttpd2qq zmm1,zmm3" "62f1fd487acb" Evex 64 1 0 0 None r(3) = convert(F64, I64).unwrap();
    "vcvttps2qq zmm1,ymm3" "62f17d487acb" Evex 64 1 0 0 None r(3) = convert(F32, I64).unwrap();
    "vcvtps2pd ymm1,xmm3" "c4e17c5acb" Vex 32 1 0 0 None r(3) = convert(F32, F64).unwrap();
    "vcvtpd2ps xmm1,ymm3" "c4e17d5acb" Vex 32 1 0 0 None r(3) = convert(F64, F32).unwrap();
    "vcvtdq2pd ymm1,xmm3" "c4e17ee6cb" Vex 32 1 0 0 None r(3) = convert(I32, F64).unwrap();
    "vcvtdq2ps ymm1,ymm3" "c4e17c5bcb" Vex 32 1 0 0 None r(3) = convert(I32, F32).unwrap();
    "kandq k1,k2,k3" "c4e1ec41cb" Evex 8 1 2 0 None r(3) = MASK_AND;
    "kandnq k1,k2,k3" "c4e1ec42cb" Evex 8 1 2 0 None r(3) = MASK_AND_NOT;
    "korq k1,k2,k3" "c4e1ec45cb" Evex 8 1 2 0 None r(3) = MASK_OR;
    "kxorq k1,k2,k3" "c4e1ec47cb" Evex 8 1 2 0 None r(3) = MASK_XOR;
    "knotq k1,k3" "c4e1f844cb" Evex 8 1 0 0 None r(3) = MASK_NOT;
    "vextracti128 xmm3,ymm1,1" "c4e37d39cb01" Vex 32 1 0 0 Some(1) r(3) = UPPER_HALF;
    "vpacksswb xmm1,xmm2,xmm3" "c4e16963cb" Vex 16 1 2 0 None r(3) = pack(1, true);
    "vpackuswb xmm1,xmm2,xmm3" "c4e16967cb" Vex 16 1 2 0 None r(3) = pack(1, false);
    "vpackssdw xmm1,xmm2,xmm3" "c4e1696bcb" Vex 16 1 2 0 None r(3) = pack(2, true);
    "vpackusdw xmm1,xmm2,xmm3" "c4e2692bcb" Vex 16 1 2 0 None r(3) = pack(2, false);
    "vshufps xmm1,xmm2,xmm3,136" "c4e168c6cb88" Vex 16 1 2 0 Some(136) r(3) = pack(4, false);
    "vblendvpd ymm1,ymm2,ymm3,ymm4" "c4e36d4bcb40" Vex 32 1 2 4 None r(3) = blend_vectors(F64);
    "vblendvps ymm1,ymm2,ymm3,ymm4" "c4e36d4acb40" Vex 32 1 2 4 None r(3) = blend_vectors(F32);
    "vpblendvb ymm1,ymm2,ymm3,ymm4" "c4e36d4ccb40" Vex 32 1 2 4 None r(3) = blend_vectors(I16);
    "vandnpd ymm1,ymm2,ymm3" "c4e16d55cb" Vex 32 1 2 0 None r(3) = VECTOR_AND_NOT;
    "vpbroadcastq zmm1,rbx" "62f2fd487ccb" Evex 64 1 0 0 None r(3) = BROADCAST_GENERAL;
    "vmovq xmm1,rbx" "c4e1f96ecb" Vex 16 1 0 0 None r(3) = MOVE_GENERAL;
    "vmovupd zmm1,zmm3" "62f1fd4810cb" Evex 64 1 0 0 None r(3) = MOVE;
    "vmovupd ymm1,ymm3" "c4e17d10cb" Vex 32 1 0 0 None r(3) = MOVE;
    "vmovupd zmm1,[rsi+rax*8+0x40]" "62f1fd48104cc601" Evex 64 1 0 0 None m(6, Some(8), 64, 64, false) = load(64);
    "vmovq xmm1,[rsi+rax*1+0x40]" "62f1fe087e4c0608" Evex 8 1 0 0 None m(6, Some(1), 64, 8, false) = load(8);
    "vmovd xmm1,[rsi+rax*1+0x44]" "c4e1796e4c0644" Vex 4 1 0 0 None m(6, Some(1), 68, 4, false) = load(4);
    "vpinsrw xmm1,xmm1,[rsi+rax*2+0x44],0" "c4e171c44c464400" Vex 2 1 1 0 Some(0) m(6, Some(2), 68, 2, false) = load(2);
    "vpinsrb xmm1,xmm1,[r13+rax*1+0],0" "c4c371204c050000" Vex 1 1 1 0 Some(0) m(13, Some(1), 0, 1, false) = load(1);
    "vmovupd [r12+rax*8],zmm25" "6241fd48110cc4" Evex 64 25 0 0 None m(12, Some(8), 0, 64, false) = store(64);
    "vmovq [rdx+0x200],xmm9" "c46179d68a00020000" Vex 8 9 0 0 None m(2, None, 512, 8, false) = store(8);
    "vmovd [rsi+rax*1+0x44],xmm1" "c4e1797e4c0644" Vex 4 1 0 0 None m(6, Some(1), 68, 4, false) = store(4);
    "vpextrw [rsi+rax*2+0x44],xmm1,0" "c4e379154c464400" Vex 2 1 0 0 Some(0) m(6, Some(2), 68, 2, false) = store(2);
    "vpextrb [rsi+rax*1],xmm1,0" "c4e379140c0600" Vex 1 1 0 0 Some(0) m(6, Some(1), 0, 1, false) = store(1);
    "vmovupd zmm17{k7}{z},[r9+rax*8+0x80]" "62c1fdcf104cc102" Evex 64 17 0 7 None m(9, Some(8), 128, 64, false) = load_some(8);
    "vmovupd [r9+rax*8+0x81]{k7},zmm17" "62c1fd4f118cc181000000" Evex 64 17 0 7 None m(9, Some(8), 129, 64, false) = store_some(8);
    "vmovups zmm17{k7}{z},[r9+rax*4+0x80]" "62c17ccf104c8102" Evex 64 17 0 7 None m(9, Some(4), 128, 64, false) = load_some(4);
    "vmovups [r9+rax*4+0x81]{k7},zmm17" "62c17c4f118c8181000000" Evex 64 17 0 7 None m(9, Some(4), 129, 64, false) = store_some(4);
    "vmovdqu16 zmm17{k7}{z},[r9+rax*2+0x80]" "62c1ffcf6f4c4102" Evex 64 17 0 7 None m(9, Some(2), 128, 64, false) = load_some(2);
    "vmovdqu16 [r9+rax*2+0x81]{k7},zmm17" "62c1ff4f7f8c4181000000" Evex 64 17 0 7 None m(9, Some(2), 129, 64, false) = store_some(2);
    "vmovdqu8 zmm17{k7}{z},[r9+rax*1+0x80]" "62c17fcf6f4c0102" Evex 64 17 0 7 None m(9, Some(1), 128, 64, false) = load_some(1);
    "vmovdqu8 [r9+rax*1+0x81]{k7},zmm17" "62c17f4f7f8c0181000000" Evex 64 17 0 7 None m(9, Some(1), 129, 64, false) = store_some(1);
    "vaddpd zmm30,zmm17,QWORD PTR [rdx+0x18]{1to8}" "6261f550587203" Evex 64 30 17 0 None m(2, None, 24, 64, true) = binary(Binary::Add, F64).unwrap();
    "vaddps ymm30,ymm17,DWORD PTR [rdx+0x400]{1to8}" "6261743058b200040000" Evex 32 30 17 0 None m(2, None, 1024, 32, true) = binary(Binary::Add, F32).unwrap();
    "vaddpd ymm14,ymm9,[r15+rax*8+0x20]" "c441355874c720" Vex 32 14 9 0 None m(15, Some(8), 32, 32, false) = binary(Binary::Add, F64).unwrap();
    "vpbroadcastb xmm5{k3}{z},[rdx+8]" "62f27d8b786a08" Evex 16 5 0 3 None m(2, None, 8, 1, false) = broadcast(1);
    "kmovq k5,[rdi+0x28]" "c4e1f8906f28" Evex 8 5 0 0 None m(7, None, 40, 8, false) = MASK_LOAD;
    "kmovq [rdx+0x400],k5" "c4e1f891aa00040000" Evex 8 5 0 0 None m(2, None, 1024, 8, false) = MASK_STORE;
}
