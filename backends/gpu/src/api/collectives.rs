//! Collective communication: NCCL, and RCCL, which has its names, numbers and signatures.

use std::ffi::{CStr, c_char, c_int, c_void};

use cuproxide_hal::Error;

use crate::table;

/// `ncclUniqueId`, which is passed by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct UniqueId(
    /// Its bytes.
    pub [u8; 128],
);

/// `ncclComm_t`.
pub type Comm = *mut c_void;

table! {
    /// The functions of both.
    CollectivesTable {
        fn version = ncclGetVersion(version: *mut c_int);
        fn unique_id = ncclGetUniqueId(id: *mut UniqueId);
        fn init_rank = ncclCommInitRank(comm: *mut Comm, size: c_int, id: UniqueId, rank: c_int);
        fn init_all = ncclCommInitAll(comms: *mut Comm, count: c_int, devices: *const c_int);
        fn split = ncclCommSplit(comm: Comm, color: c_int, key: c_int, new: *mut Comm, config: *mut c_void);
        fn destroy = ncclCommDestroy(comm: Comm);
        fn abort = ncclCommAbort(comm: Comm);
        fn async_error = ncclCommGetAsyncError(comm: Comm, error: *mut c_int);
        fn count = ncclCommCount(comm: Comm, count: *mut c_int);
        fn device = ncclCommCuDevice(comm: Comm, device: *mut c_int);
        fn rank = ncclCommUserRank(comm: Comm, rank: *mut c_int);
        fn group_start = ncclGroupStart();
        fn group_end = ncclGroupEnd();
        fn all_reduce = ncclAllReduce(src: u64, dst: u64, count: usize, dtype: c_int, op: c_int, comm: Comm, stream: u64);
        fn reduce = ncclReduce(
            src: u64, dst: u64, count: usize, dtype: c_int, op: c_int, root: c_int, comm: Comm, stream: u64,
        );
        fn broadcast = ncclBroadcast(src: u64, dst: u64, count: usize, dtype: c_int, root: c_int, comm: Comm, stream: u64);
        fn reduce_scatter = ncclReduceScatter(
            src: u64, dst: u64, count: usize, dtype: c_int, op: c_int, comm: Comm, stream: u64,
        );
        fn all_gather = ncclAllGather(src: u64, dst: u64, count: usize, dtype: c_int, comm: Comm, stream: u64);
        fn send = ncclSend(src: u64, count: usize, dtype: c_int, peer: c_int, comm: Comm, stream: u64);
        fn receive = ncclRecv(dst: u64, count: usize, dtype: c_int, peer: c_int, comm: Comm, stream: u64);
    }
}

impl CollectivesTable {
    /// The error for a status that is not success.
    #[cold]
    pub fn failure(&self, call: &'static str, code: i32) -> Error {
        let name = match code {
            1 => "ncclUnhandledCudaError",
            2 => "ncclSystemError",
            3 => "ncclInternalError",
            4 => "ncclInvalidArgument",
            5 => "ncclInvalidUsage",
            6 => "ncclRemoteError",
            7 => "ncclInProgress",
            _ => "unknown",
        };
        let message = match self.library.symbol("ncclGetErrorString") {
            // SAFETY: the function takes a status and returns a static string.
            Some(address) => unsafe {
                let text = std::mem::transmute::<*const c_void, unsafe extern "C" fn(c_int) -> *const c_char>(address);
                CStr::from_ptr(text(code)).to_string_lossy().into_owned()
            },
            None => "the library gives no explanation".to_owned(),
        };
        Error::Call { call, code: code.into(), name: name.to_owned(), message }
    }
}
