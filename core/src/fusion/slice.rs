//! Slices: the part of a group that some of its steps need, and its program.

use cuproxide_hal::{DType, Scalar};
use smallvec::SmallVec;

use super::group::MAX_OPERANDS;
use super::places::place_of;
use super::program::{Parts, Program};
use super::run::{Run, Target};
use super::step::{Ref, Step};
use crate::dispatch::Place;
use crate::fold;

/// Where a program reads an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// An operand of the group, by its number.
    Operand(u16),
    /// A step whose result is in memory.
    Made(u16),
}

/// The part of a group that some of its steps need, with steps, operands and scalars renumbered.
pub(super) struct Slice {
    pub steps: SmallVec<[Step; 4]>,
    pub operands: SmallVec<[Source; 8]>,
    /// The scalars, by their numbers in the group.
    pub scalars: SmallVec<[u16; 8]>,
    /// The value of each step of the group in this slice.
    pub renamed: SmallVec<[Ref; 8]>,
}

impl Slice {
    pub fn of(run: &Run<'_>, roots: impl Iterator<Item = u16>) -> Slice {
        const NONE: u16 = u16::MAX;
        let group = run.group;
        let needed = run.needed(roots);
        let mut slice = Slice {
            steps: SmallVec::new(),
            operands: SmallVec::new(),
            scalars: SmallVec::new(),
            renamed: SmallVec::from_elem(Ref::Step(NONE), group.steps.len()),
        };
        let mut operands: SmallVec<[u16; MAX_OPERANDS]> = SmallVec::from_elem(NONE, group.operands.len());
        let mut scalars: SmallVec<[u16; 16]> = SmallVec::from_elem(NONE, group.scalars.len());
        for (number, step) in group.steps.iter().enumerate().filter(|(number, _)| needed[*number]) {
            if run.made(number).is_some() {
                slice.renamed[number] = Ref::Operand(slice.operands.len() as u16);
                slice.operands.push(Source::Made(number as u16));
                continue;
            }
            let mut step = *step;
            for input in &mut step.inputs[..usize::from(step.count)] {
                *input = match *input {
                    Ref::Step(earlier) => slice.renamed[usize::from(earlier)],
                    Ref::Operand(operand) => {
                        let place = &mut operands[usize::from(operand)];
                        if *place == NONE {
                            *place = slice.operands.len() as u16;
                            slice.operands.push(Source::Operand(operand));
                        }
                        Ref::Operand(*place)
                    }
                    Ref::Scalar(scalar) => {
                        let place = &mut scalars[usize::from(scalar)];
                        if *place == NONE {
                            *place = slice.scalars.len() as u16;
                            slice.scalars.push(scalar);
                        }
                        Ref::Scalar(*place)
                    }
                };
            }
            slice.renamed[number] = Ref::Step(slice.steps.len() as u16);
            slice.steps.push(step);
        }
        slice
    }

    pub fn program(&self, run: &Run<'_>, stores: &[(Ref, DType)], fold: Option<fold::Key>) -> Program {
        let operands: SmallVec<[DType; MAX_OPERANDS]> = self.dtypes(run).collect();
        let scalars: Vec<DType> = self.scalars(run).map(|scalar| scalar.dtype).collect();
        Program::new(&Parts { operands: &operands, scalars: &scalars, steps: &self.steps, stores }, fold)
    }

    /// The program of the kernel that stores the targets.
    pub fn map_program(&self, run: &Run<'_>, targets: &[Target]) -> Program {
        let stores: SmallVec<[(Ref, DType); 8]> =
            targets.iter().map(|target| (self.reference(target.step), target.dtype)).collect();
        self.program(run, &stores, None)
    }

    /// The types of the operands.
    pub fn dtypes<'s>(&'s self, run: &'s Run<'_>) -> impl Iterator<Item = DType> + 's {
        self.operands.iter().map(|&source| source.dtype(run))
    }

    /// The places of the operands over the group's shape.
    pub fn places<'s>(&'s self, run: &'s Run<'_>) -> impl Iterator<Item = Place> + 's {
        self.operands.iter().map(|&source| source.place(run))
    }

    pub fn scalars<'s>(&'s self, run: &'s Run<'_>) -> impl Iterator<Item = Scalar> + 's {
        self.scalars.iter().map(|&scalar| run.group.scalars[usize::from(scalar)])
    }

    /// Whether this slice computes a step of the group.
    pub fn contains(&self, step: u16) -> bool {
        matches!(self.renamed[usize::from(step)], Ref::Step(number) if usize::from(number) < self.steps.len())
    }

    /// The value of a step of the group in this slice.
    pub fn reference(&self, step: u16) -> Ref {
        self.renamed[usize::from(step)]
    }

    /// Additions for each element, roughly.
    pub fn cost(&self) -> usize {
        self.steps.iter().filter_map(Step::call).map(|(ufunc, index, _)| usize::from(ufunc.cost(index))).sum()
    }

    /// Bytes of the distinct elements that are read.
    pub fn read_bytes(&self, run: &Run<'_>) -> usize {
        let distinct = |(place, dtype): (Place, DType)| {
            let lengths = run.group.shape.iter().zip(&place.strides).filter(|(_, stride)| **stride != 0);
            lengths.map(|(&length, _)| length).product::<usize>() * dtype.size()
        };
        self.places(run).zip(self.dtypes(run)).map(distinct).sum()
    }
}

impl Source {
    pub fn dtype(self, run: &Run<'_>) -> DType {
        match self {
            Source::Operand(operand) => run.group.operands[usize::from(operand)].dtype,
            Source::Made(step) => run.made(step.into()).expect("only what is made is read").dtype,
        }
    }

    pub fn place(self, run: &Run<'_>) -> Place {
        match self {
            Source::Operand(operand) => place_of(&run.group.operands[usize::from(operand)]),
            Source::Made(step) => run.made(step.into()).expect("only what is made is read").place.clone(),
        }
    }
}
