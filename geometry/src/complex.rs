//! A simplicial complex without boundary: cells, each with a neighbour behind every facet.

/// No cell, or a facet of the boundary of a hole.
const FRESH: u32 = 1 << 31;

/// A cell: its vertices in an order that gives it its orientation, and behind the facet opposite to each the neighbour.
#[derive(Clone, Copy)]
pub struct Cell<const V: usize> {
    /// Numbers of points.
    pub vertices: [u32; V],
    /// Numbers of cells.
    pub neighbors: [u32; V],
}

/// Cells, some of which may be free for new ones.
pub struct Complex<const V: usize> {
    /// All cells; what the free ones hold means nothing.
    pub cells: Vec<Cell<V>>,
    /// Of each the last search that marked it; `u32::MAX` says that it is free.
    marks: Vec<u32>,
    free: Vec<u32>,
    search: u32,
    /// The cells that the last `replace` made.
    pub made: Vec<u32>,
    boundary: Vec<(u32, usize)>,
}

impl<const V: usize> Complex<V> {
    /// The boundary of a simplex: from V + 1 vertices, of which cell `i` lacks the one at `i`.
    ///
    /// The first V of them, in their order, are the last cell.
    pub fn boundary_of(vertices: &[u32]) -> Self {
        assert!(vertices.len() == V + 1, "the boundary of a simplex of {V} + 1 vertices");
        let cells = (0..=V)
            .map(|lacking| {
                let others: Vec<usize> = (0..=V).filter(|i| *i != lacking).collect();
                let mut cell = Cell { vertices: [0; V], neighbors: [0; V] };
                for (slot, other) in others.iter().enumerate() {
                    cell.vertices[slot] = vertices[*other];
                    cell.neighbors[slot] = *other as u32;
                }
                // Every second one would be turned round.
                if (V - lacking) % 2 == 1 {
                    cell.vertices.swap(0, 1);
                    cell.neighbors.swap(0, 1);
                }
                cell
            })
            .collect();
        Self { cells, marks: vec![0; V + 1], free: Vec::new(), search: 0, made: Vec::new(), boundary: Vec::new() }
    }

    /// Whether this number is a cell.
    pub fn is_cell(&self, cell: u32) -> bool {
        self.marks[cell as usize] != u32::MAX
    }

    /// The numbers of all cells.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.cells.len() as u32).filter(|cell| self.is_cell(*cell))
    }

    /// Where the neighbour behind a facet of `cell` has it.
    pub fn facet_of(&self, neighbor: u32, cell: u32) -> usize {
        self.cells[neighbor as usize].neighbors.iter().position(|n| *n == cell).unwrap_or(0)
    }

    /// All cells that can be reached from `first` through cells for which `belongs` holds.
    pub fn region(&mut self, first: u32, region: &mut Vec<u32>, mut belongs: impl FnMut(&Self, u32) -> bool) {
        self.search += 1;
        region.clear();
        region.push(first);
        self.marks[first as usize] = self.search;
        let mut at = 0;
        while at < region.len() {
            for neighbor in self.cells[region[at] as usize].neighbors {
                if self.marks[neighbor as usize] != self.search && belongs(self, neighbor) {
                    self.marks[neighbor as usize] = self.search;
                    region.push(neighbor);
                }
            }
            at += 1;
        }
    }

    /// Replaces the cells that the last `region` found by those from its boundary to a new vertex.
    pub fn replace(&mut self, region: &[u32], apex: u32) {
        self.made.clear();
        self.boundary.clear();
        for cell in region {
            for facet in 0..V {
                let behind = self.cells[*cell as usize].neighbors[facet];
                if self.marks[behind as usize] != self.search {
                    self.boundary.push((*cell, facet));
                }
            }
        }
        for at in 0..self.boundary.len() {
            let (cell, facet) = self.boundary[at];
            let mut made = self.cells[cell as usize];
            let behind = made.neighbors[facet];
            made.vertices[facet] = apex;
            let number = self.free.pop().unwrap_or_else(|| {
                self.cells.push(made);
                self.marks.push(0);
                self.cells.len() as u32 - 1
            });
            self.cells[number as usize] = made;
            self.marks[number as usize] = 0;
            let back = self.facet_of(behind, cell);
            self.cells[behind as usize].neighbors[back] = number;
            self.made.push(number);
        }
        // The facets of the hole lead to the new cells from now on.
        for at in 0..self.boundary.len() {
            let (cell, facet) = self.boundary[at];
            self.cells[cell as usize].neighbors[facet] = self.made[at] | FRESH;
        }
        for at in 0..self.boundary.len() {
            let ((cell, facet), number) = (self.boundary[at], self.made[at]);
            for other in 0..V {
                if other != facet {
                    let found = self.around(cell, facet, other);
                    self.cells[number as usize].neighbors[other] = found;
                }
            }
        }
        for cell in region {
            self.marks[*cell as usize] = u32::MAX;
            self.free.push(*cell);
        }
    }

    /// The new cell that shares a ridge with that of a facet: turns round the ridge through the hole.
    fn around(&self, cell: u32, facet: usize, other: usize) -> u32 {
        let mut at = &self.cells[cell as usize];
        let (mut leave, mut keep) = (other, at.vertices[facet]);
        loop {
            let behind = at.neighbors[leave];
            if behind & FRESH != 0 {
                return behind & !FRESH;
            }
            // Of the ridge's two other vertices one is left behind, and the next cell has another one.
            let left = at.vertices[leave];
            let next = &self.cells[behind as usize];
            let ridge_and_keep = |vertex: u32| at.vertices.contains(&vertex) && vertex != left;
            let fresh = next.vertices.iter().copied().find(|vertex| !ridge_and_keep(*vertex)).unwrap_or(keep);
            leave = next.vertices.iter().position(|vertex| *vertex == keep).unwrap_or(0);
            keep = fresh;
            at = next;
        }
    }
}
