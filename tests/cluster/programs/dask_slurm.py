"""A cluster of Dask whose workers are jobs of SLURM; blocks of this package's arrays live on them."""

import socket
import sys

import cuproxide as cp
import dask
import dask.array as da
from dask_jobqueue import SLURMCluster
from distributed import Client, wait


def here(block):
    return type(block).__module__.split(".")[0], socket.gethostname()


with (
    SLURMCluster(
        cores=1,
        processes=1,
        memory="500MB",
        walltime="00:05:00",
        interface="eth0",
        python=sys.executable,
        local_directory="/tmp",
        log_directory="/mnt/home",
        job_extra_directives=["--nodes=1", "--exclusive"],
        scheduler_options={"dashboard_address": None},
        worker_extra_args=["--no-dashboard"],
    ) as cluster,
    Client(cluster) as client,
):
    cluster.scale(jobs=2)
    client.wait_for_workers(2, timeout=60)
    with dask.config.set({"array.backend": "cuproxide"}):
        x = da.random.default_rng(1).normal(size=(400, 50), chunks=(50, 50)).persist()
        wait(x)
        blocks = client.gather([client.submit(here, block) for block in client.futures_of(x)])
        product = (x.T @ x).compute()
    whole = x.compute()
    assert isinstance(product, cp.ndarray) and bool(cp.allclose(product, whole.T @ whole))
    kinds, hosts = ({pair[index] for pair in blocks} for index in range(2))
    print("dask", *sorted(kinds), *sorted(hosts), flush=True)
