"""The laboratory itself: hosts that reach each other and nothing else."""


def test_hosts_have_names_addresses_and_folders(hosts):
    names = [host.run("hostname").out.strip() for host in hosts]
    assert names == ["node1", "node2", "node3"]
    hosts[0].run("touch", "/tmp/mine")
    assert hosts[1].run("ls", "/tmp/mine").status != 0
    hosts[0].run("touch", "/mnt/ours")
    assert hosts[1].run("ls", "/mnt/ours").status == 0


def test_slurm_runs_on_all_hosts(slurm):
    result = slurm.srun("-N", "3", "-n", "6", "--ntasks-per-node=2", "bash", "-c", "echo $SLURM_PROCID $(hostname)")
    assert sorted(result.out.splitlines()) == [f"{rank} node{1 + rank // 2}" for rank in range(6)], result
