"""What can go wrong between processes."""

from __future__ import annotations

__all__ = ["CheckpointError", "DistributedError", "MismatchError", "PeerLostError", "RendezvousError"]


class DistributedError(RuntimeError):
    """Something that went wrong between the processes of a group; the base of the others."""


class RendezvousError(DistributedError):
    """The processes of a job did not find each other, or do not agree on who they are."""


class PeerLostError(DistributedError):
    """A process of the group ended, or did not answer in time, while others waited for it."""


class MismatchError(DistributedError, ValueError):
    """Processes made calls that do not belong together (`CUPROXIDE_DISTRIBUTED_CHECK=1`)."""


class CheckpointError(DistributedError):
    """A rank could not write or read its part of a checkpoint, or what it read is not what was written."""
