//! Reductions and scans as rows of a table.
