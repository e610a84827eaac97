"""Which tests `CUPROXIDE_TEST_SMALL` keeps."""

import pytest
from effort import spread


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 100, 3295])
def test_spread(count):
    for most in (1, 2, 4, 8):
        kept = sorted(spread(count, most))
        assert len(kept) == min(count, most) and kept[0] == 0 and kept[-1] < count
        assert set(kept) <= spread(count, 2 * most)
        gaps = [after - before for before, after in zip(kept, [*kept[1:], count], strict=True)]
        assert max(gaps) - min(gaps) <= 1
    assert spread(count, 0) == set(range(count))


def test_the_suite_keeps_its_budget(request):
    """Before raising the budget, let tests with many sets of parameters draw a sample of them (`effort.sample`)."""
    assert len(request.session.items) <= 56_000
