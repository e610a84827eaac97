//! What is asked of a linkage: a binary tree whose leaves are the observations.

use crate::pause::pause;

/// The merges of a tree: two clusters, their distance, and how many observations they have together. The first clusters
/// are the observations, further ones the merges in their order.
pub struct Linkage {
    /// One for each merge.
    pub rows: Vec<[f64; 4]>,
}

/// Flat clusters that are not subtrees: the merge at which that is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotSubtrees(pub usize);

impl Linkage {
    /// A linkage from its elements. Each cluster is made before it is used.
    pub fn new(elements: &[f64]) -> Self {
        Self { rows: elements.as_chunks().0.to_vec() }
    }

    /// How many observations there are.
    fn count(&self) -> usize {
        self.rows.len() + 1
    }

    /// Both parts of a merge.
    fn parts(&self, merge: usize) -> [usize; 2] {
        [self.rows[merge][0] as usize, self.rows[merge][1] as usize]
    }

    /// The observations from left to right.
    pub fn leaves(&self) -> Vec<i32> {
        self.leaves_of(2 * self.count() - 2)
    }

    fn leaves_of(&self, cluster: usize) -> Vec<i32> {
        let (mut found, mut pending) = (Vec::new(), vec![cluster]);
        while let Some(cluster) = pending.pop() {
            match cluster.checked_sub(self.count()) {
                None => found.push(cluster as i32),
                Some(merge) => {
                    let [left, right] = self.parts(merge);
                    pending.extend([right, left]);
                }
            }
        }
        found
    }

    /// For each pair of observations, in the order of a condensed matrix, the distance at which they are merged.
    pub fn cophenetic(&self) -> Vec<f64> {
        let count = self.count();
        let mut found = vec![0.0; count * (count - 1) / 2];
        let order = self.leaves();
        // Each cluster is a range of that order.
        let mut first = vec![0_usize; 2 * count - 1];
        let mut size = vec![1_usize; 2 * count - 1];
        for merge in 0..count - 1 {
            let [left, right] = self.parts(merge);
            size[count + merge] = size[left] + size[right];
        }
        for merge in (0..count - 1).rev() {
            let [left, right] = self.parts(merge);
            first[left] = first[count + merge];
            first[right] = first[left] + size[left];
        }
        for (merge, row) in self.rows.iter().enumerate() {
            pause();
            let [left, right] = self.parts(merge);
            for i in &order[first[left]..first[left] + size[left]] {
                for j in &order[first[right]..first[right] + size[right]] {
                    let (i, j) = ((*i).min(*j) as usize, (*i).max(*j) as usize);
                    found[count * i - i * (i + 1) / 2 + j - i - 1] = row[2];
                }
            }
        }
        found
    }

    /// For each merge the mean and the standard deviation of the distances of merges down to a depth, their number, and
    /// how many deviations its own one is above the mean.
    pub fn inconsistent(&self, depth: usize) -> Vec<f64> {
        let count = self.count();
        let (mut result, mut heights, mut pending) = (Vec::with_capacity(4 * count), Vec::new(), Vec::new());
        for merge in 0..count - 1 {
            heights.clear();
            pending.push((merge, 1));
            while let Some((at, level)) = pending.pop() {
                heights.push(self.rows[at][2]);
                if level < depth {
                    let below = self.parts(at).into_iter().filter_map(|part| part.checked_sub(count));
                    pending.extend(below.map(|merge| (merge, level + 1)));
                }
            }
            let number = heights.len() as f64;
            let mean = heights.iter().sum::<f64>() / number;
            let squares = heights.iter().map(|h| (h - mean) * (h - mean)).sum::<f64>();
            let deviation = if heights.len() > 1 { (squares / (number - 1.0)).sqrt() } else { 0.0 };
            let above = if deviation > 0.0 { (self.rows[merge][2] - mean) / deviation } else { 0.0 };
            result.extend([mean, deviation, number, above]);
        }
        result
    }

    /// For each merge the largest value of it and those below it.
    pub fn largest(&self, values: &[f64]) -> Vec<f64> {
        let count = self.count();
        let mut found = values.to_vec();
        for merge in 0..count - 1 {
            for part in self.parts(merge) {
                if let Some(below) = part.checked_sub(count) {
                    found[merge] = found[merge].max(found[below]);
                }
            }
        }
        found
    }

    /// Flat clusters, numbered from 1 from left to right: the largest subtrees whose criterion is at most `limit`.
    pub fn flat(&self, criterion: &[f64], limit: f64) -> Vec<i32> {
        let count = self.count();
        let mut clusters = vec![0; count];
        let mut number = 0;
        let mut pending = vec![(2 * count - 2, false)];
        while let Some((cluster, within)) = pending.pop() {
            let Some(merge) = cluster.checked_sub(count) else {
                if !within {
                    number += 1;
                }
                clusters[cluster] = number;
                continue;
            };
            let joined = within || criterion[merge] <= limit;
            if joined && !within {
                number += 1;
            }
            let [left, right] = self.parts(merge);
            // Parts that are merges come first, as in SciPy.
            let (mut leaves, mut merges) = (Vec::new(), Vec::new());
            for part in [left, right] {
                let kind = if part < count { &mut leaves } else { &mut merges };
                kind.push(part);
            }
            pending.extend(leaves.into_iter().rev().chain(merges.into_iter().rev()).map(|part| (part, joined)));
        }
        clusters
    }

    /// How many flat clusters there are for a limit.
    fn flat_count(&self, criterion: &[f64], limit: f64) -> usize {
        let (mut number, mut pending) = (0, vec![2 * self.count() - 2]);
        while let Some(cluster) = pending.pop() {
            match cluster.checked_sub(self.count()) {
                Some(merge) if criterion[merge] > limit => pending.extend(self.parts(merge)),
                _ => number += 1,
            }
        }
        number
    }

    /// At most so many flat clusters, by the lowest limit among the criteria, which ascend.
    pub fn flat_at_most(&self, criterion: &[f64], most: i64) -> Vec<i32> {
        if most >= self.count() as i64 {
            // In the order of the observations, as SciPy has it.
            return (1..=self.count() as i32).collect();
        }
        // The criteria before `low` give too many clusters.
        let (mut low, mut high) = (0, self.rows.len() - 1);
        while low < high {
            let middle = (low + high) / 2;
            if self.flat_count(criterion, criterion[middle]) as i64 > most {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        self.flat(criterion, criterion[high])
    }

    /// The subtrees that flat clusters are, and the numbers of the latter.
    pub fn leaders(&self, clusters: &[i32]) -> Result<(Vec<i32>, Vec<i32>), NotSubtrees> {
        let count = self.count();
        let mut distinct = clusters.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let mut of: Vec<Option<i32>> = clusters.iter().copied().map(Some).collect();
        of.resize(2 * count - 1, None);
        let (mut leaders, mut numbers) = (Vec::new(), Vec::new());
        let mut add = |cluster: usize, number: Option<i32>, merge: usize| match number {
            Some(_) if leaders.len() == distinct.len() => Err(NotSubtrees(merge)),
            Some(number) => {
                leaders.push(cluster as i32);
                numbers.push(number);
                Ok(())
            }
            None => Ok(()),
        };
        for merge in self.after_parts() {
            let [left, right] = self.parts(merge);
            if of[left] == of[right] {
                of[count + merge] = of[left];
            } else {
                add(left, of[left], count + merge)?;
                add(right, of[right], count + merge)?;
            }
        }
        add(2 * count - 2, of[2 * count - 2], 2 * count - 2)?;
        Ok((leaders, numbers))
    }

    /// The merges, each after its parts, from left to right.
    fn after_parts(&self) -> Vec<usize> {
        let (mut order, mut pending) = (Vec::new(), vec![self.rows.len() - 1]);
        while let Some(merge) = pending.pop() {
            order.push(merge);
            pending.extend(self.parts(merge).into_iter().filter_map(|part| part.checked_sub(self.count())));
        }
        order.reverse();
        order
    }

    /// For each number of merges done, in the order of their distances, the clusters of all observations.
    ///
    /// `wanted` are such numbers; each gives a row.
    pub fn cut(&self, wanted: &[i64]) -> Vec<i64> {
        let count = self.count();
        let mut order: Vec<usize> = (0..count - 1).collect();
        order.sort_by(|a, b| self.rows[*a][2].total_cmp(&self.rows[*b][2]));
        let mut groups: Vec<i64> = (0..count as i64).collect();
        let mut result = vec![0; wanted.len() * count];
        let mut keep = |done: usize, groups: &[i64]| {
            for (row, _) in wanted.iter().enumerate().filter(|(_, number)| **number == done as i64) {
                result[row * count..(row + 1) * count].copy_from_slice(groups);
            }
        };
        keep(0, &groups);
        for (done, merge) in order.into_iter().enumerate() {
            pause();
            let leaves = self.leaves_of(count + merge);
            let of = |leaf: &i32| groups[*leaf as usize];
            let least = leaves.iter().map(of).min().unwrap_or(0);
            let most = leaves.iter().map(of).max().unwrap_or(0);
            for leaf in &leaves {
                groups[*leaf as usize] = least;
            }
            for group in &mut groups {
                *group -= i64::from(*group > most);
            }
            keep(done + 1, &groups);
        }
        result
    }

    /// The same tree with parts exchanged such that the sum of the distances of neighbouring leaves is least
    /// (Bar-Joseph, Gifford and Jaakkola, 2001). `distances` are condensed.
    pub fn ordered(&self, distances: &[f64]) -> Self {
        let count = self.count();
        let distance = |i: usize, j: usize| {
            let (i, j) = (i.min(j), i.max(j));
            distances[count * i - i * (i + 1) / 2 + j - i - 1]
        };
        // The least sum of the subtree in which two leaves are the outer ones.
        let mut costs = vec![0.0_f64; count * count];
        let leaves: Vec<Vec<usize>> = (0..2 * count - 1)
            .map(|cluster| self.leaves_of(cluster).into_iter().map(|leaf| leaf as usize).collect())
            .collect();
        // Of a leaf of a cluster those that can be at the other end: the ones of the other part.
        let ends = |cluster: usize, leaf: usize| -> &[usize] {
            let Some(merge) = cluster.checked_sub(count) else { return &leaves[cluster] };
            let [left, right] = self.parts(merge);
            if leaves[left].contains(&leaf) { &leaves[right] } else { &leaves[left] }
        };
        for merge in 0..count - 1 {
            let [left, right] = self.parts(merge);
            for u in &leaves[left] {
                pause();
                let inner = ends(left, *u);
                let reach: Vec<f64> = leaves[right]
                    .iter()
                    .map(|k| {
                        inner.iter().map(|m| costs[u * count + m] + distance(*m, *k)).fold(f64::INFINITY, f64::min)
                    })
                    .collect();
                for w in &leaves[right] {
                    let allowed = ends(right, *w);
                    let least = leaves[right]
                        .iter()
                        .zip(&reach)
                        .filter(|(k, _)| allowed.len() == leaves[right].len() || allowed.contains(k))
                        .map(|(k, cost)| cost + costs[k * count + w])
                        .fold(f64::INFINITY, f64::min);
                    costs[u * count + w] = least;
                    costs[w * count + u] = least;
                }
            }
        }
        let top = self.parts(count - 2);
        let mut best = (leaves[top[0]][0], leaves[top[1]][0]);
        for u in &leaves[top[0]] {
            for w in &leaves[top[1]] {
                if costs[u * count + w] < costs[best.0 * count + best.1] {
                    best = (*u, *w);
                }
            }
        }
        let mut rows = self.rows.clone();
        let mut pending = vec![(2 * count - 2, best.0, best.1)];
        while let Some((cluster, first, last)) = pending.pop() {
            let Some(merge) = cluster.checked_sub(count) else { continue };
            let [mut left, mut right] = self.parts(merge);
            if !leaves[left].contains(&first) {
                std::mem::swap(&mut left, &mut right);
                rows[merge].swap(0, 1);
            }
            let (mut found, mut least) = ((first, last), f64::INFINITY);
            for m in ends(left, first) {
                for k in ends(right, last) {
                    let cost = costs[first * count + m] + distance(*m, *k) + costs[k * count + last];
                    if cost < least {
                        (found, least) = ((*m, *k), cost);
                    }
                }
            }
            pending.extend([(left, first, found.0), (right, found.1, last)]);
        }
        Self { rows }
    }
}
