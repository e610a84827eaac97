"""Each rank says which device it took of how many; a stand-in driver shows as many as the variable names."""

import os

names = os.environ.get("CUDA_VISIBLE_DEVICES", "0,1")
os.environ["STANDIN_DEVICES"] = str(len(names.split(",")))

import cuproxide as cp  # noqa: E402
from cuproxide import distributed  # noqa: E402

group = distributed.init_process_group(backend="store", timeout=40)
device = cp.Device()
text = [group.rank, distributed.placement().local_rank, device.backend, device.id, cp.cuda.device_count()]
os.write(1, ("|".join(map(str, text)) + "\n").encode())
group.stop()
