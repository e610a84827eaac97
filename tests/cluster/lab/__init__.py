"""Hosts of one machine, and what a cluster runs on them."""

from .hosts import SHARED, Host, Hosts, Outcome, bounded
from .slurm import Slurm

__all__ = ["SHARED", "Host", "Hosts", "Outcome", "Slurm", "bounded"]
