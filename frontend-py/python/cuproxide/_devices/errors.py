"""The error of a call that failed, by the names and codes that programs for CuPy compare: CUDA's, on every backend.

The codes are part of CuPy's interface, as the names of its functions are, and say nothing of the device: HIP's and the
CPU's failures get them too. That is why they stand here, above the HAL, which passes on the names that vendors use.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from .._cuproxide import DeviceError, UnsupportedError

# The codes of CUDA's run-time interface; the driver's are the same where both know an error.
_CODES = """
1 InvalidValue 2 MemoryAllocation 3 InitializationError 4 CudartUnloading 5 ProfilerDisabled
6 ProfilerNotInitialized 7 ProfilerAlreadyStarted 8 ProfilerAlreadyStopped 9 InvalidConfiguration
12 InvalidPitchValue 13 InvalidSymbol 16 InvalidHostPointer 17 InvalidDevicePointer 18 InvalidTexture
19 InvalidTextureBinding 20 InvalidChannelDescriptor 21 InvalidMemcpyDirection 22 AddressOfConstant
23 TextureFetchFailed 24 TextureNotBound 25 SynchronizationError 26 InvalidFilterSetting 27 InvalidNormSetting
28 MixedDeviceExecution 31 NotYetImplemented 32 MemoryValueTooLarge 34 StubLibrary 35 InsufficientDriver
36 CallRequiresNewerDriver 37 InvalidSurface 43 DuplicateVariableName 44 DuplicateTextureName 45 DuplicateSurfaceName
46 DevicesUnavailable 49 IncompatibleDriverContext 52 MissingConfiguration 53 PriorLaunchFailure
65 LaunchMaxDepthExceeded 66 LaunchFileScopedTex 67 LaunchFileScopedSurf 68 SyncDepthExceeded
69 LaunchPendingCountExceeded 98 InvalidDeviceFunction 100 NoDevice 101 InvalidDevice 102 DeviceNotLicensed
103 SoftwareValidityNotEstablished 127 StartupFailure 200 InvalidKernelImage 201 DeviceUninitialized
205 MapBufferObjectFailed 206 UnmapBufferObjectFailed 207 ArrayIsMapped 208 AlreadyMapped 209 NoKernelImageForDevice
210 AlreadyAcquired 211 NotMapped 212 NotMappedAsArray 213 NotMappedAsPointer 214 ECCUncorrectable 215 UnsupportedLimit
216 DeviceAlreadyInUse 217 PeerAccessUnsupported 218 InvalidPtx 219 InvalidGraphicsContext 220 NvlinkUncorrectable
221 JitCompilerNotFound 222 UnsupportedPtxVersion 223 JitCompilationDisabled 224 UnsupportedExecAffinity
225 UnsupportedDevSideSync 226 Contained 300 InvalidSource 301 FileNotFound 302 SharedObjectSymbolNotFound
303 SharedObjectInitFailed 304 OperatingSystem 400 InvalidResourceHandle 401 IllegalState 402 LossyQuery
500 SymbolNotFound 600 NotReady 700 IllegalAddress 701 LaunchOutOfResources 702 LaunchTimeout
703 LaunchIncompatibleTexturing 704 PeerAccessAlreadyEnabled 705 PeerAccessNotEnabled 708 SetOnActiveProcess
709 ContextIsDestroyed 710 Assert 711 TooManyPeers 712 HostMemoryAlreadyRegistered 713 HostMemoryNotRegistered
714 HardwareStackError 715 IllegalInstruction 716 MisalignedAddress 717 InvalidAddressSpace 718 InvalidPc
719 LaunchFailure 720 CooperativeLaunchTooLarge 721 TensorMemoryLeak 800 NotPermitted 801 NotSupported
802 SystemNotReady 803 SystemDriverMismatch 804 CompatNotSupportedOnDevice 805 MpsConnectionFailed 806 MpsRpcFailure
807 MpsServerNotReady 808 MpsMaxClientsReached 809 MpsMaxConnectionsReached 810 MpsClientTerminated
811 CdpNotSupported 812 CdpVersionMismatch 900 StreamCaptureUnsupported 901 StreamCaptureInvalidated
902 StreamCaptureMerge 903 StreamCaptureUnmatched 904 StreamCaptureUnjoined 905 StreamCaptureIsolation
906 StreamCaptureImplicit 907 CapturedEvent 908 StreamCaptureWrongThread 909 Timeout 910 GraphExecUpdateFailure
911 ExternalDevice 912 InvalidClusterSize 913 FunctionNotLoaded 914 InvalidResourceType
915 InvalidResourceConfiguration 917 StreamDetached 999 Unknown
"""
# Names of the driver that the run-time interface has in other words; it spells the others alike.
_RENAMED = {
    "OUT_OF_MEMORY": "MemoryAllocation",
    "NOT_INITIALIZED": "InitializationError",
    "DEINITIALIZED": "CudartUnloading",
    "INVALID_IMAGE": "InvalidKernelImage",
    "INVALID_CONTEXT": "DeviceUninitialized",
    "MAP_FAILED": "MapBufferObjectFailed",
    "UNMAP_FAILED": "UnmapBufferObjectFailed",
    "NO_BINARY_FOR_GPU": "NoKernelImageForDevice",
    "ECC_UNCORRECTABLE": "ECCUncorrectable",
    "CONTEXT_ALREADY_IN_USE": "DeviceAlreadyInUse",
    "UNSUPPORTED_DEVSIDE_SYNC": "UnsupportedDevSideSync",
    "INVALID_HANDLE": "InvalidResourceHandle",
    "NOT_FOUND": "SymbolNotFound",
    "PRIMARY_CONTEXT_ACTIVE": "SetOnActiveProcess",
    "LAUNCH_FAILED": "LaunchFailure",
}
_OF_DRIVER = re.compile(r"\bCUDA_ERROR_([A-Z0-9_]+)\b")
# A call that failed names the code of its own library.
_OF_CALL = " failed with code "


@functools.cache
def _names() -> dict[int, str]:
    words = _CODES.split()
    return {int(code): name for code, name in zip(words[::2], words[1::2], strict=True)}


def _init(self: DeviceError, *args: Any) -> None:
    """`DeviceError(text)`, or `DeviceError(status)` with the code of an error, as programs for CuPy make one."""
    RuntimeError.__init__(self, *args)
    if len(args) == 1 and isinstance(args[0], int) and not isinstance(args[0], bool):
        self.status = args[0]


def _named(match: re.Match[str]) -> str:
    """The driver's name of an error, followed by that of the run-time interface."""
    name = match[1]
    return f"{match[0]}, cudaError{_RENAMED.get(name) or name.title().replace('_', '')}"


def _text(self: DeviceError) -> str:
    text, name = RuntimeError.__str__(self), _names().get(self.status or 0)
    if self.args == (self.status,):
        if name is None:
            return f"{text}: unrecognized error code"
        return f"cudaError{name}: {re.sub('(?<=[a-z])(?=[A-Z])', ' ', name).lower()}"
    if name is None or _OF_CALL in text or isinstance(self, UnsupportedError):
        return _OF_DRIVER.sub(_named, text, count=1)
    return f"{text} (cudaError{name})"


# The class belongs to the extension, which knows the driver's names only.
DeviceError.status = None
UnsupportedError.status = 801
DeviceError.__init__ = _init  # type: ignore[method-assign]
DeviceError.__str__ = _text  # type: ignore[method-assign]
