// Eigenvalues and right eigenvectors of general matrices, one block for each; compiled after schur.cuh. The vectors of the
// Schur form are found from the last to the first, each in the columns that it needs no longer, and then multiplied by the
// basis, in the same order and in place too.

// A vector in one column of elements, or in two: the real and the imaginary parts of a vector of a real matrix.
struct Vector {
    Element* first;
    Element* second;
#if COMPLEX
    DEVICE_MEMBER Complex at(u32 i) const { return first[i]; }
    DEVICE_MEMBER void set(u32 i, Complex x) const { first[i] = x; }
#else
    DEVICE_MEMBER Complex at(u32 i) const { return Complex{first[i], second ? second[i] : (Real)0}; }
    DEVICE_MEMBER void set(u32 i, Complex x) const {
        first[i] = x.re;
        if (second) second[i] = x.im;
    }
#endif
};

#if COMPLEX
DEVICE Complex widened(Element x) { return x; }
#else
DEVICE Complex widened(Element x) { return Complex{x, (Real)0}; }
#endif

// The first row of the diagonal block that ends with a row.
DEVICE u32 block_start(const Form& f, u32 last) {
#if COMPLEX
    return last;
#else
    return last > 0 && f.at(last, last - 1) != (Real)0 ? last - 1 : last;
#endif
}

// How a vector has to be scaled lest a part of it that is `above` over `below` exceeds 1.
DEVICE Real bounded(Complex above, Complex below) {
    const Real most = size(above), least = size(below);
    return most > least ? least / most : (Real)1;
}

DEVICE void scale_vector(Vector x, u32 count, Real factor) {
    if (factor == (Real)1) return;
    barrier();
    for (u32 i = thread(); i < count; i += block_size()) x.set(i, x.at(i) * factor);
    barrier();
}

// Replaces what stands in the rows before `rows` of a vector, b, by the solution of (t - value) x = b, and scales all
// `used` rows of the vector so that nothing overflows.
DEVICE void solve_above(const Form& f, Vector x, u32 rows, u32 used, Complex value) {
    const Real least = larger((Real)EPSILON * size(value), (Real)TINY);
    for (u32 end = rows; end > 0;) {
        const u32 last = end - 1, start = block_start(f, last);
        Complex upper = {0, 0}, lower = x.at(last), corner = widened(f.at(last, last)) - value;
        if (start < last) {
            // Two rows: the one with the larger first element is taken from the other.
            upper = x.at(start);
            Complex head = widened(f.at(start, start)) - value, beside = widened(f.at(start, last));
            Complex below = widened(f.at(last, start));
            if (size(below) > size(head)) {
                const Complex rows_swapped[3] = {head, beside, upper};
                head = below;
                beside = corner;
                upper = lower;
                below = rows_swapped[0];
                corner = rows_swapped[1];
                lower = rows_swapped[2];
            }
            const Complex ratio = below / head;
            corner = corner - ratio * beside;
            lower = lower - ratio * upper;
            if (size(corner) < least) corner = Complex{least, (Real)0};
            Real factor = bounded(lower, corner);
            lower = (lower * factor) / corner;
            upper = upper * factor - beside * lower;
            const Real more = bounded(upper, head);
            lower = lower * more;
            upper = (upper * more) / head;
            scale_vector(x, used, factor * more);
        } else {
            if (size(corner) < least) corner = Complex{least, (Real)0};
            const Real factor = bounded(lower, corner);
            lower = (lower * factor) / corner;
            scale_vector(x, used, factor);
        }
        barrier();
        if (thread() == 0) {
            x.set(last, lower);
            if (start < last) x.set(start, upper);
        }
        for (u32 i = thread(); i < start; i += block_size()) {
            Complex rest = x.at(i) - widened(f.at(i, last)) * lower;
            if (start < last) rest = rest - widened(f.at(i, start)) * upper;
            x.set(i, rest);
        }
        barrier();
        end = start;
    }
}

// Makes a vector one of length 1; of a complex one the largest element becomes real.
DEVICE void normalize(Vector x, u32 n) {
    Real length = norm_of(x.first, n);
    if (x.second) length = hypotenuse(length, norm_of(x.second, n));
    Complex turn = {(Real)1 / length, (Real)0};
    u32 largest = n;
    if (COMPLEX || x.second) {
        Real most = -1;
        u32 mine = 0;
        for (u32 i = thread(); i < n; i += block_size()) {
            const Real here = modulus(x.at(i));
            if (here > most) {
                most = here;
                mine = i;
            }
        }
        largest = position_of_largest(most, mine);
        const Complex element = x.at(largest);
        turn = conjugate(element) * ((Real)1 / modulus(element)) * turn.re;
    }
    barrier();
    for (u32 i = thread(); i < n; i += block_size()) {
        Complex turned = x.at(i) * turn;
        if (i == largest) turned.im = 0;
        x.set(i, turned);
    }
    barrier();
}

// Writes the eigenvalues that stand on the diagonal.
DEVICE void list_values(const Form& f, Complex* values) {
    for (u32 k = thread(); k < f.n; k += block_size()) {
        Complex value = widened(f.at(k, k));
#if !COMPLEX
        const bool ends = block_start(f, k) < k, begins = k + 1 < f.n && block_start(f, k + 1) == k;
        if (ends) value.im = -(root(absolute(f.at(k - 1, k))) * root(absolute(f.at(k, k - 1))));
        if (begins) value.im = root(absolute(f.at(k, k + 1))) * root(absolute(f.at(k + 1, k)));
#endif
        values[k] = value;
    }
    barrier();
}

// Replaces the form by its eigenvectors, column by column from the last, and the basis by those of the matrix.
DEVICE void find_vectors(const Form& f, const Complex* values) {
    for (u32 end = f.n; end > 0;) {
        const u32 last = end - 1, start = block_start(f, last);
        Element* const column = f.h + (u64)start * f.n;
        const Vector x = {column, start < last ? column + f.n : (Element*)0};
        const Complex value = values[start];
        // The vector of the block itself, which goes to the right-hand side with the columns above it.
        Complex tip = {(Real)1, (Real)0}, foot = {0, 0};
        if (start < last) {
            const Real above = real(f.at(start, last)), below = real(f.at(last, start));
            if (absolute(above) >= absolute(below)) {
                foot.im = value.im / above;
            } else {
                tip.re = -(value.im / below);
                foot.im = 1;
            }
        }
        barrier();
        for (u32 i = thread(); i < start; i += block_size()) {
            Complex right = widened(f.at(i, start)) * tip;
            if (start < last) right = right + widened(f.at(i, last)) * foot;
            x.set(i, Complex{-right.re, -right.im});
        }
        if (thread() == 0) {
            x.set(start, tip);
            if (start < last) x.set(last, foot);
        }
        barrier();
        solve_above(f, x, start, end, value);
        const Vector product = {f.basis + (u64)start * f.n, start < last ? f.basis + (u64)last * f.n : (Element*)0};
        for (u32 row = thread(); row < f.n; row += block_size()) {
            Complex sum = {0, 0};
            for (u32 i = 0; i < end; i++) sum = sum + x.at(i) * widened(f.basis[row + (u64)i * f.n]);
            product.set(row, sum);
        }
        barrier();
        normalize(product, f.n);
        end = start;
    }
}

ENTRY(MOST_THREADS) void dense_eigen(ARGUMENT Dense d) {
    const u32 n = (u32)d.n;
    const Form form = {d.a + (u64)block() * n * n, (Element*)d.c + (u64)block() * n * n, n};
    Complex* const values = (Complex*)d.b + (u64)block() * n;
    i32 info = 1;
    const u64 count = (u64)n * n;
    if (all_finite(form.h, count)) {
        const Real unit = unit_of(form.h, count);
        info = find_form(form, unit);
        if (info == 0) {
            list_values(form, values);
            if (d.count) find_vectors(form, values);
            for (u32 k = thread(); k < n; k += block_size()) values[k] = values[k] * unit;
        }
    }
    if (thread() == 0) d.info[block()] = info;
}
