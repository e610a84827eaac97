//! Attributes of devices by the driver's numbers, which keep their meaning in every release.

pub(crate) const WARP_SIZE: i32 = 10;
pub(crate) const PROCESSORS: i32 = 16;
pub(crate) const MAJOR: i32 = 75;
pub(crate) const MINOR: i32 = 76;

/// Attributes that are reported: the names that the runtime's properties have, the driver's numbers.
pub(crate) const ATTRIBUTES: [(&str, i32); 36] = [
    ("MaxThreadsPerBlock", 1),
    ("MaxBlockDimX", 2),
    ("MaxBlockDimY", 3),
    ("MaxBlockDimZ", 4),
    ("MaxGridDimX", 5),
    ("MaxGridDimY", 6),
    ("MaxGridDimZ", 7),
    ("MaxSharedMemoryPerBlock", 8),
    ("MaxSharedMemoryPerBlockOptin", 97),
    ("MaxSharedMemoryPerMultiprocessor", 81),
    ("TotalConstantMemory", 9),
    ("WarpSize", 10),
    ("MaxRegistersPerBlock", 12),
    ("MaxRegistersPerMultiprocessor", 82),
    ("MaxThreadsPerMultiprocessor", 39),
    ("MaxBlocksPerMultiprocessor", 106),
    ("MultiprocessorCount", 16),
    ("ClockRate", 13),
    ("MemoryClockRate", 36),
    ("GlobalMemoryBusWidth", 37),
    ("L2CacheSize", 38),
    ("Integrated", 18),
    ("ConcurrentKernels", 31),
    ("AsyncEngineCount", 40),
    ("ComputeMode", 20),
    ("EccEnabled", 32),
    ("UnifiedAddressing", 41),
    ("ManagedMemory", 83),
    ("ConcurrentManagedAccess", 89),
    ("PageableMemoryAccess", 88),
    ("CooperativeLaunch", 95),
    ("PciBusId", 33),
    ("PciDeviceId", 34),
    ("PciDomainId", 50),
    ("ComputeCapabilityMajor", 75),
    ("ComputeCapabilityMinor", 76),
];
