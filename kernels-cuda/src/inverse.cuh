// 1 / x to some 20 bits.
DEVICE f64 approximate_inverse(f64 x) {
    f64 inverse;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(x));
    return inverse;
}
