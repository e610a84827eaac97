"""The numbers of the run-time interface: kinds, flags, modes and attributes."""

from __future__ import annotations

__all__ = [
    "cudaAddressModeBorder",
    "cudaAddressModeClamp",
    "cudaAddressModeMirror",
    "cudaAddressModeWrap",
    "cudaArrayDefault",
    "cudaArraySurfaceLoadStore",
    "cudaChannelFormatKindFloat",
    "cudaChannelFormatKindSigned",
    "cudaChannelFormatKindUnsigned",
    "cudaDevAttrComputeCapabilityMajor",
    "cudaDevAttrComputeCapabilityMinor",
    "cudaDevAttrConcurrentManagedAccess",
    "cudaDevAttrCooperativeLaunch",
    "cudaDevAttrMaxSharedMemoryPerBlock",
    "cudaDevAttrMaxSharedMemoryPerBlockOptin",
    "cudaDevAttrMaxThreadsPerBlock",
    "cudaDevAttrMemoryPoolsSupported",
    "cudaDevAttrMultiProcessorCount",
    "cudaDevAttrWarpSize",
    "cudaFilterModeLinear",
    "cudaFilterModePoint",
    "cudaIpcMemLazyEnablePeerAccess",
    "cudaLimitMallocHeapSize",
    "cudaLimitPrintfFifoSize",
    "cudaLimitStackSize",
    "cudaMemAdviseSetAccessedBy",
    "cudaMemAdviseSetPreferredLocation",
    "cudaMemAdviseSetReadMostly",
    "cudaMemAdviseUnsetAccessedBy",
    "cudaMemAdviseUnsetPreferredLocation",
    "cudaMemAdviseUnsetReadMostly",
    "cudaReadModeElementType",
    "cudaReadModeNormalizedFloat",
    "cudaResourceTypeArray",
    "cudaResourceTypeLinear",
    "cudaResourceTypePitch2D",
    "deviceAttributeComputeCapabilityMajor",
    "deviceAttributeComputeCapabilityMinor",
    "errorContextIsDestroyed",
    "errorInvalidResourceHandle",
    "errorInvalidValue",
    "errorMemoryAllocation",
    "errorPeerAccessAlreadyEnabled",
    "eventBlockingSync",
    "eventDefault",
    "eventDisableTiming",
    "eventInterprocess",
    "hostAllocDefault",
    "hostAllocMapped",
    "hostAllocPortable",
    "hostAllocWriteCombined",
    "memAttachGlobal",
    "memAttachHost",
    "memAttachSingle",
    "memcpyDefault",
    "memcpyDeviceToDevice",
    "memcpyDeviceToHost",
    "memcpyHostToDevice",
    "memcpyHostToHost",
    "memoryTypeDevice",
    "memoryTypeHost",
    "memoryTypeManaged",
    "memoryTypeUnregistered",
    "streamCaptureModeGlobal",
    "streamCaptureModeRelaxed",
    "streamCaptureModeThreadLocal",
    "streamCaptureStatusActive",
    "streamCaptureStatusInvalidated",
    "streamCaptureStatusNone",
    "streamDefault",
    "streamLegacy",
    "streamNonBlocking",
    "streamPerThread",
]

memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice, memcpyDefault = range(5)
streamDefault, streamNonBlocking = 0, 1
streamLegacy, streamPerThread = 1, 2
streamCaptureModeGlobal, streamCaptureModeThreadLocal, streamCaptureModeRelaxed = range(3)
streamCaptureStatusNone, streamCaptureStatusActive, streamCaptureStatusInvalidated = range(3)
eventDefault, eventBlockingSync, eventDisableTiming, eventInterprocess = 0, 1, 2, 4
hostAllocDefault, hostAllocPortable, hostAllocMapped, hostAllocWriteCombined = 0, 1, 2, 4
memAttachGlobal, memAttachHost, memAttachSingle = 1, 2, 4
memoryTypeUnregistered, memoryTypeHost, memoryTypeDevice, memoryTypeManaged = range(4)
cudaMemAdviseSetReadMostly, cudaMemAdviseUnsetReadMostly = 1, 2
cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation = 3, 4
cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy = 5, 6
cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize = range(3)
cudaIpcMemLazyEnablePeerAccess = 1
cudaDevAttrMaxThreadsPerBlock, cudaDevAttrMaxSharedMemoryPerBlock, cudaDevAttrWarpSize = 1, 8, 10
cudaDevAttrMultiProcessorCount, cudaDevAttrConcurrentManagedAccess = 16, 89
cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor = 75, 76
cudaDevAttrCooperativeLaunch, cudaDevAttrMaxSharedMemoryPerBlockOptin = 95, 97
cudaDevAttrMemoryPoolsSupported = 115
cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder = range(4)
cudaFilterModePoint, cudaFilterModeLinear = range(2)
cudaReadModeElementType, cudaReadModeNormalizedFloat = range(2)
cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat = range(3)
cudaResourceTypeArray, cudaResourceTypeLinear, cudaResourceTypePitch2D = 0, 2, 3
cudaArrayDefault, cudaArraySurfaceLoadStore = 0, 2
deviceAttributeComputeCapabilityMajor, deviceAttributeComputeCapabilityMinor = 75, 76
# What the attribute `status` of a `CUDARuntimeError` is compared with. The driver's numbers are the same.
errorInvalidValue, errorMemoryAllocation, errorInvalidResourceHandle = 1, 2, 400
errorPeerAccessAlreadyEnabled, errorContextIsDestroyed = 704, 709
# What a stream or event answers whose work is not done, and the number that the host has among devices.
NOT_READY = 600
HOST = -1
