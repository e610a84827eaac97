//! Tables of the vendor functions that are used, with statuses as plain integers.

pub(crate) mod attributes;
pub(crate) mod cublas;
pub(crate) mod cudnn;
pub(crate) mod cudss;
pub(crate) mod cufft;
pub(crate) mod curand;
pub(crate) mod cusolver;
pub(crate) mod driver;
pub(crate) mod nccl;
pub(crate) mod nvrtc;

pub(crate) use cuproxide_gpu::table;
