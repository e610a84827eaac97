"""Hosts of one machine, and what a cluster runs on them."""

from .hosts import SHARED, SMALL, Host, Hosts, Outcome, bounded
from .slurm import Slurm

__all__ = ["SHARED", "SMALL", "Host", "Hosts", "Outcome", "Slurm", "bounded"]
