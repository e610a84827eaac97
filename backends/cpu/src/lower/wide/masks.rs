//! Truth values: in AVX-512 a bit for each lane in registers of their own, in AVX2 vectors whose lanes are zero or all ones.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Binary, Compare, Unary};

use super::encode::{Form, Row};
use super::rows;
use super::select::{Id, Selector, Step};

impl Selector<'_, '_> {
    /// The lanes where a comparison holds.
    pub(super) fn compare(&mut self, op: Compare, dtype: DType, x: Id, y: Id) -> Id {
        if dtype == DType::Bool {
            return self.compare_masks(op, x, y);
        }
        let size = dtype.size();
        if self.form == Form::Vex && !dtype.is_float() {
            return self.compare_integers(op, dtype, x, y);
        }
        let (row, predicate) = rows::compare(op, dtype);
        let out = self.mask(size);
        let step = Step::new(row, out, size);
        self.step(Step { first: Some(x), second: Some(y), immediate: Some(predicate), ..step });
        out
    }

    /// AVX2 has two comparisons of integers, equal and greater, the latter of signed ones.
    fn compare_integers(&mut self, op: Compare, dtype: DType, x: Id, y: Id) -> Id {
        let size = dtype.size();
        let (equal, swap, not) = match op {
            Compare::Eq => (true, false, false),
            Compare::Ne => (true, false, true),
            Compare::Gt => (false, false, false),
            Compare::Lt => (false, true, false),
            Compare::Le => (false, false, true),
            Compare::Ge => (false, true, true),
        };
        let (mut x, mut y) = if swap { (y, x) } else { (x, y) };
        if !equal && !dtype.is_signed() {
            // Moved by half their range, unsigned numbers are ordered as signed ones.
            let half = self.signs(size, true);
            (x, y) = (self.make(rows::integer_xor(size), size, Some(x), half), self.flipped(y, half, size));
        }
        let holds = self.make(rows::compare_vectors(equal, size), size, Some(x), y);
        if not { self.not(holds) } else { holds }
    }

    fn flipped(&mut self, a: Id, half: Id, size: usize) -> Id {
        self.make(rows::integer_xor(size), size, Some(a), half)
    }

    fn compare_masks(&mut self, op: Compare, x: Id, y: Id) -> Id {
        match op {
            Compare::Eq => {
                let differ = self.masks(Binary::Xor, x, y);
                self.not(differ)
            }
            Compare::Ne => self.masks(Binary::Xor, x, y),
            Compare::Lt => self.but_not(y, x),
            Compare::Gt => self.but_not(x, y),
            Compare::Le | Compare::Ge => {
                let (x, y) = if op == Compare::Le { (x, y) } else { (y, x) };
                let not = self.not(x);
                self.masks(Binary::Or, not, y)
            }
        }
    }

    /// An operator on masks.
    pub(super) fn masks(&mut self, op: Binary, x: Id, y: Id) -> Id {
        let (x, y, size) = self.alike(x, y);
        let row = match self.form {
            Form::Evex => rows::of_masks(op),
            Form::Vex => rows::of_vector_masks(op),
        };
        self.of_masks(row, Some(x), y, size)
    }

    /// Where the first holds and the second does not.
    pub(super) fn but_not(&mut self, x: Id, y: Id) -> Id {
        let (x, y, size) = self.alike(x, y);
        let row = if self.form == Form::Evex { rows::MASK_AND_NOT } else { rows::VECTOR_AND_NOT };
        self.of_masks(row, Some(y), x, size)
    }

    pub(super) fn not(&mut self, x: Id) -> Id {
        if self.form == Form::Evex {
            return self.of_masks(rows::MASK_NOT, None, x, 1);
        }
        let size = self.code.values[x.0 as usize].size;
        let ones = self.ones(size);
        self.of_masks(rows::of_vector_masks(Binary::Xor), Some(x), ones, size)
    }

    fn of_masks(&mut self, row: Row, first: Option<Id>, second: Id, size: usize) -> Id {
        let out = self.mask(size);
        self.step(Step { first, second: Some(second), ..Step::new(row, out, size) });
        out
    }

    /// Masks with lanes of the narrower, and their width.
    fn alike(&mut self, x: Id, y: Id) -> (Id, Id, usize) {
        let width = |selector: &Self, id: Id| selector.code.values[id.0 as usize].size;
        let size = width(self, x).min(width(self, y));
        (self.mask_of(x, size), self.mask_of(y, size), size)
    }

    /// A mask for lanes of another width.
    fn mask_of(&mut self, mask: Id, size: usize) -> Id {
        let mut current = self.code.values[mask.0 as usize].size;
        if self.form == Form::Evex || current == size {
            return mask;
        }
        if current < size {
            return self.resized(mask, current, size, true);
        }
        let mut mask = mask;
        while current > size {
            current /= 2;
            mask = self.halves(mask, current, rows::pack(current, true));
        }
        mask
    }

    /// The lanes of a vector in half the width by an instruction that takes two registers, this one's halves or twice the same.
    pub(super) fn halves(&mut self, a: Id, size: usize, row: Row) -> Id {
        let upper = if 2 * size * self.lanes > 16 {
            let upper = self.vector(size);
            let step = Step::new(rows::UPPER_HALF, upper, 2 * size);
            self.step(Step { second: Some(a), immediate: Some(1), ..step });
            upper
        } else {
            a
        };
        let out = self.vector(size);
        let immediate = (size == 4).then_some(0x88);
        self.step(Step { first: Some(a), second: Some(upper), immediate, ..Step::new(row, out, size) });
        out
    }

    /// The second where the mask holds, else the third.
    pub(super) fn select(&mut self, dtype: DType, cond: Id, yes: Id, no: Id) -> Id {
        if dtype == DType::Bool {
            let yes = self.masks(Binary::And, cond, yes);
            let no = self.but_not(no, cond);
            return self.masks(Binary::Or, yes, no);
        }
        let size = dtype.size();
        let mask = self.mask_of(cond, size);
        let row = if self.form == Form::Evex { rows::blend(dtype) } else { rows::blend_vectors(dtype) };
        let out = self.vector(size);
        self.step(Step { first: Some(no), second: Some(yes), mask: Some(mask), ..Step::new(row, out, size) });
        out
    }

    /// The lanes that are not zero.
    pub(super) fn truth(&mut self, a: Id, dtype: DType) -> Id {
        if dtype.is_float() || self.form == Form::Vex {
            let zero = self.number(dtype, 0.0);
            return self.compare(Compare::Ne, dtype, a, zero);
        }
        let size = dtype.size();
        let out = self.mask(size);
        self.step(Step { first: Some(a), second: Some(a), ..Step::new(rows::test(size), out, size) });
        out
    }

    /// 1 in the lanes of a mask, else 0.
    pub(super) fn number_of(&mut self, mask: Id, dtype: DType) -> Id {
        let size = dtype.size();
        let one = self.number(dtype, 1.0);
        if self.form == Form::Vex {
            let mask = self.mask_of(mask, size);
            return self.make(rows::of_vector_masks(Binary::And), size, Some(mask), one);
        }
        let out = self.vector(size);
        let step = Step::new(rows::broadcast(size), out, size);
        self.step(Step { second: Some(one), mask: Some(mask), ..step });
        out
    }

    /// An operator on bools.
    pub(super) fn unary_truth(&mut self, op: Unary, a: Id) -> Option<Id> {
        (op == Unary::Not).then(|| self.not(a))
    }
}
