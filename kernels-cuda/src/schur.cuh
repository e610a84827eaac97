// Schur forms by the QR algorithm with small bulges, one block for each matrix; compiled after dense.cuh. Double shifts
// for real matrices, single ones for complex ones (Golub and Van Loan, section 7.5, with the criteria of Ahues and
// Tisseur for negligible elements).

struct Form {
    Element* h;
    Element* basis;
    u32 n;
    DEVICE_MEMBER Element& at(u32 row, u32 column) const { return h[row + (u64)column * n]; }
};

// Whether the subdiagonal element of row k may be set to zero. What is below `least` is lost in sums with elements of the
// order of 1, to which matrices are scaled, and its square underflows.
DEVICE bool falls_apart(const Form& f, u32 k) {
    const Real least = (Real)TINY * (Real)f.n;
    const Real below = size(f.at(k, k - 1)), above = size(f.at(k - 1, k));
    const Element upper = f.at(k - 1, k - 1), lower = f.at(k, k);
    if (below <= least) return true;
    Real around = size(upper) + size(lower);
    if (around == (Real)0) {
        if (k > 1) around = size(f.at(k - 1, k - 2));
        if (k + 1 < f.n) around = around + size(f.at(k + 1, k));
    }
    if (!(below <= (Real)EPSILON * around)) return false;
    const Real more = larger(below, above), less = smaller(below, above);
    const Real last = size(lower), difference = size(upper - lower);
    const Real wide = larger(last, difference), narrow = smaller(last, difference), sum = wide + more;
    return sum == (Real)0 || less * (more / sum) <= larger(least, (Real)EPSILON * (narrow * (wide / sum)));
}

// The first row of the last block that does not fall apart.
DEVICE u32 deflated(const Form& f, u32 last) {
    u32 found = 0;
    for (u32 k = 1 + thread(); k <= last; k += block_size()) {
        if (falls_apart(f, k)) found = k;
    }
    // Positions as numbers: matrices are far smaller than a float32 counts.
    const u32 start = (u32)largest_of_all((Real)found);
    if (thread() == 0 && start > 0) f.at(start, start - 1) = make(0);
    barrier();
    return start;
}

#if COMPLEX

DEVICE Element shift_of(const Form& f, u32 start, u32 last, u32 step) {
    if (step % (2 * EXCEPTIONAL) == 0) return make((Real)0.75 * size(f.at(last, last - 1))) + f.at(last, last);
    if (step % EXCEPTIONAL == 0) return make((Real)0.75 * size(f.at(start + 1, start))) + f.at(start, start);
    const Element corner = f.at(last, last);
    const Element product = square_root(f.at(last - 1, last)) * square_root(f.at(last, last - 1));
    if (size(product) == (Real)0) return corner;
    const Element x = (f.at(last - 1, last - 1) - corner) * (Real)0.5;
    const Real scale = larger(size(product), size(x));
    const Element xs = x * ((Real)1 / scale), us = product * ((Real)1 / scale);
    Element y = square_root(xs * xs + us * us) * scale;
    // Of x itself the products would underflow, and x + y could be 0.
    if (xs.re * y.re + xs.im * y.im < (Real)0) y = y * (Real)-1;
    return corner - product * (product / (x + y));
}

DEVICE void sweep(const Form& f, u32 start, u32 last, u32 step) {
    const Element shift = shift_of(f, start, last, step);
    for (u32 k = start; k < last; k++) {
        const Element head = k > start ? f.at(k, k - 1) : f.at(k, k) - shift;
        const Element next = k > start ? f.at(k + 1, k - 1) : f.at(k + 1, k);
        const Reflection made = reflection(head, modulus(next));
        const Element z = next / made.divisor;
        barrier();
        if (thread() == 0 && k > start) {
            f.at(k, k - 1) = made.beta;
            f.at(k + 1, k - 1) = make(0);
        }
        reflect_rows(&f.at(k, k), f.n, f.n - k, &z, 1, made.tau);
        barrier();
        reflect_columns(&f.at(0, k), f.n, k + 3 < last + 1 ? k + 3 : last + 1, &z, 1, made.tau);
        reflect_columns(f.basis + (u64)k * f.n, f.n, f.n, &z, 1, made.tau);
        barrier();
    }
}

DEVICE i32 iterate(const Form& f) {
    for (u32 end = f.n; end > 0; end--) {
        u32 steps = 0;
        for (;;) {
            const u32 start = deflated(f, end - 1);
            if (start + 1 == end) break;
            if (steps == ATTEMPTS * (f.n > 10 ? f.n : 10)) return (i32)end;
            steps++;
            sweep(f, start, end - 1, steps);
        }
    }
    return 0;
}

#else

struct Shifts {
    Real re[2], im[2];
};

DEVICE Shifts shifts_of(const Form& f, u32 start, u32 last, u32 step) {
    Real a, b, c, d;
    if (step % EXCEPTIONAL == 0) {
        const bool low = step % (2 * EXCEPTIONAL) == 0;
        const u32 i = low ? last : start + 2;
        const Real amount = size(f.at(i, i - 1)) + size(f.at(i - 1, i - 2));
        a = d = (Real)0.75 * amount + (low ? f.at(last, last) : f.at(start, start));
        b = (Real)-0.4375 * amount;
        c = amount;
    } else {
        a = f.at(last - 1, last - 1);
        b = f.at(last - 1, last);
        c = f.at(last, last - 1);
        d = f.at(last, last);
    }
    Shifts result = {{0, 0}, {0, 0}};
    const Real whole = absolute(a) + absolute(b) + absolute(c) + absolute(d);
    if (whole == (Real)0) return result;
    a = a / whole;
    b = b / whole;
    c = c / whole;
    d = d / whole;
    const Real middle = (a + d) * (Real)0.5, determinant = (a - middle) * (d - middle) - b * c;
    const Real distance = root(absolute(determinant));
    if (determinant >= (Real)0) {
        result.re[0] = result.re[1] = middle * whole;
        result.im[0] = distance * whole;
        result.im[1] = -(distance * whole);
    } else {
        const Real more = middle + distance, less = middle - distance;
        result.re[0] = result.re[1] = (absolute(more - d) <= absolute(less - d) ? more : less) * whole;
    }
    return result;
}

struct Three {
    Real v[3];
};

// The first column of the double shift at row i, up to a factor.
DEVICE Three begin_at(const Form& f, const Shifts& s, u32 i) {
    const Real here = f.at(i, i), next = f.at(i + 1, i + 1), below = f.at(i + 1, i);
    const Real whole = absolute(here - s.re[1]) + absolute(s.im[1]) + absolute(below), ratio = below / whole;
    Three t;
    t.v[0] = ratio * f.at(i, i + 1) + (here - s.re[0]) * ((here - s.re[1]) / whole) - s.im[0] * (s.im[1] / whole);
    t.v[1] = ratio * (here + next - s.re[0] - s.re[1]);
    t.v[2] = ratio * f.at(i + 2, i + 1);
    const Real total = absolute(t.v[0]) + absolute(t.v[1]) + absolute(t.v[2]);
    for (u32 j = 0; j < 3; j++) t.v[j] = t.v[j] / total;
    return t;
}

DEVICE void sweep(const Form& f, u32 start, u32 last, u32 step) {
    const Shifts shifts = shifts_of(f, start, last, step);
    // Two small neighbours on the subdiagonal let the bulge begin below them.
    u32 found = start;
    for (u32 i = start + 1 + thread(); i + 2 <= last; i += block_size()) {
        const Three t = begin_at(f, shifts, i);
        const Real around = absolute(f.at(i - 1, i - 1)) + absolute(f.at(i, i)) + absolute(f.at(i + 1, i + 1));
        const Real size_of_rest = absolute(f.at(i, i - 1)) * (absolute(t.v[1]) + absolute(t.v[2]));
        if (size_of_rest <= (Real)EPSILON * absolute(t.v[0]) * around) found = i;
    }
    const u32 first = (u32)largest_of_all((Real)found);
    Three t = begin_at(f, shifts, first);
    for (u32 k = first; k < last; k++) {
        const u32 width = last - k + 1 < 3 ? last - k + 1 : 3;
        if (k > first) {
            for (u32 i = 0; i < width; i++) t.v[i] = f.at(k + i, k - 1);
        }
        const Real tail = width == 3 ? hypotenuse(t.v[1], t.v[2]) : absolute(t.v[1]);
        const Reflection made = reflection(t.v[0], tail);
        Real x[2] = {t.v[1] / made.divisor, t.v[2] / made.divisor};
        const Real old = k > 0 ? f.at(k, k - 1) : (Real)0;
        barrier();
        if (thread() == 0 && k > first) {
            f.at(k, k - 1) = made.beta;
            for (u32 i = 1; i < width; i++) f.at(k + i, k - 1) = 0;
        } else if (thread() == 0 && first > start) {
            f.at(k, k - 1) = old * ((Real)1 - made.tau);
        }
        reflect_rows(&f.at(k, k), f.n, f.n - k, x, width - 1, made.tau);
        barrier();
        reflect_columns(&f.at(0, k), f.n, k + 4 < last + 1 ? k + 4 : last + 1, x, width - 1, made.tau);
        reflect_columns(f.basis + (u64)k * f.n, f.n, f.n, x, width - 1, made.tau);
        barrier();
    }
}

// A rotation that brings a 2 x 2 block to standard form: triangular, or with equal diagonal elements and other elements
// of opposite signs.
struct Standard {
    Real a, b, c, d, cosine, sine;
};

DEVICE Standard standardize(Real a, Real b, Real c, Real d) {
    if (c == (Real)0) return Standard{a, b, c, d, 1, 0};
    if (b == (Real)0) return Standard{d, -c, 0, a, 0, 1};
    if (a == d && (b > (Real)0) != (c > (Real)0)) return Standard{a, b, c, d, 1, 0};
    const Real difference = a - d, p = (Real)0.5 * difference;
    const Real most = larger(absolute(b), absolute(c));
    const Real least = smaller(absolute(b), absolute(c)) * ((b > (Real)0) == (c > (Real)0) ? (Real)1 : (Real)-1);
    const Real scale = larger(absolute(p), most), gap = p / scale * p + most / scale * least;
    if (gap >= (Real)4 * (Real)EPSILON) {
        // Two real eigenvalues.
        const Real half_gap = root(scale) * root(gap), z = p + (p < (Real)0 ? -half_gap : half_gap);
        const Real length = hypotenuse(c, z);
        return Standard{d + z, b - c, 0, d - most / z * least, z / length, c / length};
    }
    // Complex or almost equal ones: make the diagonal elements equal.
    const Real sigma = b + c, length = hypotenuse(sigma, difference);
    Real cosine = root((Real)0.5 * ((Real)1 + absolute(sigma) / length));
    Real sine = -(p / (length * cosine)) * (sigma < (Real)0 ? (Real)-1 : (Real)1);
    const Real aa = a * cosine + b * sine, bb = -a * sine + b * cosine;
    const Real cc = c * cosine + d * sine, dd = -c * sine + d * cosine;
    a = aa * cosine + cc * sine;
    b = bb * cosine + dd * sine;
    c = -aa * sine + cc * cosine;
    d = -bb * sine + dd * cosine;
    const Real middle = (Real)0.5 * (a + d);
    if (c == (Real)0) return Standard{middle, b, c, middle, cosine, sine};
    if (b == (Real)0) return Standard{middle, -c, 0, middle, -sine, cosine};
    if ((b > (Real)0) != (c > (Real)0)) return Standard{middle, b, c, middle, cosine, sine};
    // Real after all.
    const Real above = root(absolute(b)), below = root(absolute(c));
    const Real q = c > (Real)0 ? above * below : -(above * below), inverse = (Real)1 / root(absolute(b + c));
    const Real more = above * inverse, turn = below * inverse;
    return Standard{middle + q, b - c, 0, middle - q, cosine * more - sine * turn, cosine * turn + sine * more};
}

DEVICE void rotate(Real* x, Real* y, u32 step, u32 count, Real cosine, Real sine) {
    for (u32 i = thread(); i < count; i += block_size()) {
        const Real first = x[(u64)i * step], second = y[(u64)i * step];
        x[(u64)i * step] = cosine * first + sine * second;
        y[(u64)i * step] = cosine * second - sine * first;
    }
}

// Brings the block of the rows k and k + 1 to standard form.
DEVICE void split(const Form& f, u32 k) {
    const Standard s = standardize(f.at(k, k), f.at(k, k + 1), f.at(k + 1, k), f.at(k + 1, k + 1));
    barrier();
    if (k + 2 < f.n) rotate(&f.at(k, k + 2), &f.at(k + 1, k + 2), f.n, f.n - k - 2, s.cosine, s.sine);
    rotate(&f.at(0, k), &f.at(0, k + 1), 1, k, s.cosine, s.sine);
    rotate(f.basis + (u64)k * f.n, f.basis + (u64)(k + 1) * f.n, 1, f.n, s.cosine, s.sine);
    if (thread() == 0) {
        f.at(k, k) = s.a;
        f.at(k, k + 1) = s.b;
        f.at(k + 1, k) = s.c;
        f.at(k + 1, k + 1) = s.d;
    }
    barrier();
}

DEVICE i32 iterate(const Form& f) {
    u32 end = f.n;
    while (end > 0) {
        u32 steps = 0, start;
        for (;;) {
            start = deflated(f, end - 1);
            if (start + 2 >= end) break;
            if (steps == ATTEMPTS * (f.n > 10 ? f.n : 10)) return (i32)end;
            steps++;
            sweep(f, start, end - 1, steps);
        }
        if (start + 2 == end) split(f, start);
        end = start;
    }
    return 0;
}

#endif

// Replaces a matrix by the Schur form of what it is in this unit, and finds the basis. Returns the info.
DEVICE i32 find_form(const Form& f, Real unit) {
    scale_all(f.h, (u64)f.n * f.n, (Real)1 / unit);
    reduce(f.h, f.basis, f.n);
    return iterate(f);
}

ENTRY(MOST_THREADS) void dense_schur(ARGUMENT Dense d) {
    const u32 n = (u32)d.n;
    const Form form = {d.a + (u64)block() * n * n, (Element*)d.b + (u64)block() * n * n, n};
    i32 info = 1;
    const u64 count = (u64)n * n;
    if (all_finite(form.h, count)) {
        const Real unit = unit_of(form.h, count);
        info = find_form(form, unit);
        scale_all(form.h, count, unit);
    }
    if (thread() == 0) d.info[block()] = info;
}
