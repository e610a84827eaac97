"""Libraries that have stand-ins: what they made is given back, also where calls fail."""

import gc

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import cutensor
from cuproxide.cuda import cusparselt as lt


def live(standin, kind):
    gc.collect()
    return standin.library.standin_live(kind.encode())


def contract():
    a, b = cp.asarray(np.ones((3, 4))), cp.asarray(np.ones((4, 5)))
    return cutensor.contraction(1.0, a, "ij", b, "jk", 0.0, cp.asarray(np.zeros((3, 5))), "ik")


def test_plans_of_tensors_are_given_back(standin):
    contract()
    cp._cuproxide.clear_tensor_plans()
    # The handle stays.
    assert live(standin, "tensors") == 1
    contract()
    made = live(standin, "tensors")
    assert made > 1
    contract()
    assert live(standin, "tensors") == made
    cp._cuproxide.clear_tensor_plans()
    assert live(standin, "tensors") == 1


def test_more_plans_than_are_kept(standin):
    for length in range(1, 140):
        a, out = cp.asarray(np.ones(length)), cp.asarray(np.zeros(()))
        cutensor.reduction(1.0, a, "i", 0.0, out, ())
    assert cp._cuproxide.tensor_plan_stats()[0] == 128
    cp._cuproxide.clear_tensor_plans()
    assert live(standin, "tensors") == 1


CREATING = [
    ("cutensorCreateTensorDescriptor:2", 3, "ALLOC_FAILED"),
    ("cutensorCreateContraction:1", 15, "NOT_SUPPORTED"),
    ("cutensorCreatePlanPreference:1", 14, "INTERNAL_ERROR"),
    ("cutensorEstimateWorkspaceSize:1", 7, "INVALID_VALUE"),
    ("cutensorCreatePlan:1", 15, "NOT_SUPPORTED"),
    ("cutensorPlanGetAttribute:1", 7, "INVALID_VALUE"),
    ("cutensorContract:1", 13, "EXECUTION_FAILED"),
]


@pytest.mark.parametrize("call, status, name", CREATING)
def test_tensor_calls_that_fail_leave_nothing(standin, call, status, name):
    contract()
    cp._cuproxide.clear_tensor_plans()
    # Twice: plans that are held make room for one that fails.
    plan = call.replace(":1", ":*") if "Plan" in call else call
    standin.fail(f"{plan}={status}")
    with pytest.raises(cp.cuda.cutensor.CuTensorError, match=name) as raised:
        contract()
    assert raised.value.status == status and call.split(":")[0] in str(raised.value)
    standin.fail("")
    cp._cuproxide.clear_tensor_plans()
    assert live(standin, "tensors") == 1
    assert contract().get().max() == 4


def test_scratch_memory_is_given_back(standin):
    before = standin.live()
    for _ in range(5):
        contract()
    cp._cuproxide.clear_tensor_plans()
    assert standin.live() == before


def matrices(handle):
    made = [lt.MatDescriptor() for _ in range(3)]
    lt.structuredDescriptorInit(handle, made[0], 32, 32, 32, 16, 2, 2, 0)
    for matrix in made[1:]:
        lt.denseDescriptorInit(handle, matrix, 32, 32, 32, 16, 2, 2)
    return made


def plan_of(handle, made):
    described, selection, plan = lt.MatmulDescriptor(), lt.MatmulAlgSelection(), lt.MatmulPlan()
    lt.matmulDescriptorInit(handle, described, 0, 0, *made, made[2], lt.CUSPARSE_COMPUTE_32F)
    lt.matmulAlgSelectionInit(handle, selection, described, 0)
    lt.matmulPlanInit(handle, plan, described, selection)
    return described, selection, plan


def test_structures_are_given_back(standin):
    before = live(standin, "structured")
    handle = lt.Handle()
    lt.init(handle)
    made = matrices(handle)
    described, selection, plan = plan_of(handle, made)
    assert live(standin, "structured") == before + 6
    # Another plan in its place.
    lt.matmulPlanInit(handle, plan, described, selection)
    assert live(standin, "structured") == before + 6
    # What a plan needs stays.
    for matrix in made:
        lt.matDescriptorDestroy(matrix)
    lt.matmulAlgSelectionDestroy(selection)
    lt.destroy(handle)
    del described
    assert live(standin, "structured") == before + 6
    lt.matmulPlanDestroy(plan)
    assert live(standin, "structured") == before


def test_structures_that_are_forgotten_are_given_back(standin):
    before = live(standin, "structured")

    def forgetful():
        handle = lt.Handle()
        lt.init(handle)
        return plan_of(handle, matrices(handle))[2].ptr

    assert forgetful() > 0
    assert live(standin, "structured") == before


@pytest.mark.parametrize(
    "call", ["cusparseLtStructuredDescriptorInit", "cusparseLtMatmulAlgSelectionInit", "cusparseLtMatmulPlanInit"]
)
def test_structured_calls_that_fail_leave_nothing(standin, call):
    before = live(standin, "structured")
    handle = lt.Handle()
    lt.init(handle)
    standin.fail(f"{call}:1=10")
    with pytest.raises(lt.CuSparseError, match="NOT_SUPPORTED.*operation not supported") as raised:
        plan_of(handle, matrices(handle))
    assert raised.value.status == 10 and call in str(raised.value)
    lt.destroy(handle)
    del raised
    assert live(standin, "structured") == before
