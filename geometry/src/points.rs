//! The points that are worked on: scaled, so that predicates neither overflow nor underflow.

/// Points of so many coordinates, one after another.
pub struct Points {
    /// The coordinates, multiplied by one power of two.
    pub coordinates: Vec<f64>,
    /// How many a point has.
    pub dimension: usize,
    /// Whether floating point arithmetic might underflow, so that integers must do.
    pub is_wide: bool,
    /// What a coordinate of one was.
    pub unit: f64,
    /// Of points on a paraboloid those below them, from which the last coordinate follows exactly.
    pub base: Option<Box<Points>>,
}

impl Points {
    /// Points with the largest coordinate about one.
    pub fn new(coordinates: &[f64], dimension: usize) -> Self {
        let most = coordinates.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        // Two steps, since the power itself may be out of bounds.
        let exponent = if most > 0.0 { most.log2().floor() as i32 } else { 0 };
        let half = -exponent / 2;
        let (first, second) = (2.0_f64.powi(half), 2.0_f64.powi(-exponent - half));
        let coordinates: Vec<f64> = coordinates.iter().map(|x| x * first * second).collect();
        let is_wide = coordinates.iter().any(|x| *x != 0.0 && x.abs() < 2.0_f64.powi(-100));
        let unit = 2.0_f64.powi(exponent);
        Self { coordinates, dimension, is_wide, unit, base: None }
    }

    /// These points with the square of their length as another coordinate.
    pub fn lifted(self) -> Self {
        let mut coordinates = Vec::with_capacity(self.coordinates.len() + self.count());
        for point in self.coordinates.chunks_exact(self.dimension) {
            coordinates.extend_from_slice(point);
            coordinates.push(point.iter().map(|x| x * x).sum());
        }
        let dimension = self.dimension + 1;
        Self { coordinates, dimension, is_wide: false, unit: 1.0, base: Some(Box::new(self)) }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.coordinates.len() / self.dimension
    }

    /// The coordinates of one.
    #[inline(always)]
    pub fn at(&self, point: u32) -> &[f64] {
        let first = point as usize * self.dimension;
        &self.coordinates[first..first + self.dimension]
    }
}
