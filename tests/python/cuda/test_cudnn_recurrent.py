"""Recurrent networks of `cuproxide.cudnn` beside NumPy, their gradients beside finite differences."""

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import cudnn
from networks import close, random, way  # noqa: F401
from recurrent import GATES, pack, parts, run

pytestmark = pytest.mark.usefixtures("way")

MODES = [cudnn.CUDNN_RNN_RELU, cudnn.CUDNN_RNN_TANH, cudnn.CUDNN_LSTM, cudnn.CUDNN_GRU]
LENGTHS, INPUTS, UNITS = [5, 3, 3, 1], 3, 4


class Problem:
    """A network with its numbers, on the host."""

    def __init__(self, mode, directions, layers, dtype="float64", lengths=LENGTHS, seed=0):
        self.mode, self.directions, self.layers = mode, directions, layers
        size = parts(np.zeros(10**6), mode, directions, layers, INPUTS, UNITS)[1]
        self.w = (random(size, "float64", seed) * 0.4).astype(dtype)
        self.sequences = [random((n, INPUTS), dtype, seed + 1 + k) for k, n in enumerate(lengths)]
        shape = layers * directions, len(lengths), UNITS
        self.hx, self.cx = random(shape, dtype, seed + 50), random(shape, dtype, seed + 51)

    @property
    def bidirectional(self):
        return self.directions - 1

    def wanted(self):
        return run(self.mode, self.directions, self.layers, self.w.astype(float), self.hx, self.cx, self.sequences)

    def cells(self):
        return cp.array(self.cx) if self.mode == cudnn.CUDNN_LSTM else None


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("layers", [1, 3])
def test_forward(layers, directions, mode):
    for dtype in ("float32", "float64", "float16"):
        problem = Problem(mode, directions, layers, dtype)
        hy, cy, results = problem.wanted()
        xs, sizes = pack(problem.sequences)
        arguments = (
            problem.bidirectional,
            mode,
            cp.array(problem.hx),
            problem.cells(),
            cp.array(problem.w),
            cp.array(xs),
            sizes,
        )
        states = cudnn.DropoutStates(None, 0)
        reserve, *made = cudnn.rnn_forward_training(states, *arguments)
        for ours, theirs in ((made, "training"), (cudnn.rnn_forward_inference(states, *arguments), "inference")):
            close(ours[0], hy, 4)
            close(ours[2], pack(results)[0], 4)
            if mode == cudnn.CUDNN_LSTM:
                close(ours[1], cy, 4)
            else:
                assert ours[1].size == 0, theirs
        assert reserve is not None


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("directions", "layers", "ratio"), [(1, 1, 0.0), (1, 2, 0.0), (2, 2, 0.0), (2, 3, 0.4)])
def test_gradients_are_slopes(directions, layers, ratio, mode):
    problem = Problem(mode, directions, layers, seed=7)
    xs, sizes = pack(problem.sequences)
    is_lstm = mode == cudnn.CUDNN_LSTM
    hx, cx, w, x = (cp.array(a) for a in (problem.hx, problem.cx, problem.w, xs))
    common = problem.bidirectional, mode

    def results(hx, cx, w, x):
        nonlocal states
        # The same elements are dropped each time.
        states = cudnn.DropoutStates(None, 3)
        states.set_dropout_ratio(ratio)
        reserve, *made = cudnn.rnn_forward_training(states, *common, hx, cx if is_lstm else None, w, x, sizes)
        return reserve, made

    states = None
    reserve, (hy, cy, ys) = results(hx, cx, w, x)
    dhy, dcy, dys = (cp.array(random(a.shape, "float64", 90 + k)) for k, a in enumerate((hy, cy, ys)))
    cells = (cx, dcy) if is_lstm else (None, None)
    dhx, dcx, dxs = cudnn.rnn_backward_data(states, *common, hx, cells[0], w, x, ys, reserve, dhy, cells[1], dys, sizes)
    dw = cudnn.rnn_backward_weights(states, *common, x, hx, ys, w, reserve, sizes)

    def loss(*arguments):
        _, (h, c, y) = results(*arguments)
        return float((h * dhy).sum() + (y * dys).sum() + ((c * dcy).sum() if is_lstm else 0))

    step = 1e-6
    gradients = (dhx, dcx, dw, dxs)
    for place, (value, gradient) in enumerate(zip((hx, cx, w, x), gradients, strict=True)):
        if gradient.size == 0:
            assert not is_lstm and place == 1
            continue
        assert gradient.shape == value.shape
        for seed in range(2):
            move = cp.array(random(value.shape, "float64", 200 + seed))
            moved = [[*(hx, cx, w, x)] for _ in range(2)]
            moved[0][place], moved[1][place] = value + step * move, value - step * move
            slope = (loss(*moved[0]) - loss(*moved[1])) / (2 * step)
            np.testing.assert_allclose(float((gradient * move).sum()), slope, rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("mode", MODES)
def test_padded_sequences_in_any_order(mode):
    order = [2, 0, 3, 1]
    problem = Problem(mode, 2, 2)
    hy, cy, results = problem.wanted()
    steps, batch = 6, len(LENGTHS)
    padded = np.full((steps, batch, INPUTS), 99.0)
    wanted = np.zeros((steps, batch, 2 * UNITS))
    for place, number in enumerate(order):
        padded[: LENGTHS[number], place] = problem.sequences[number]
        wanted[: LENGTHS[number], place] = results[number]
    lengths = np.array([LENGTHS[number] for number in order], np.int32)
    hx = cp.array(problem.hx[:, order])
    cx = cp.array(problem.cx[:, order]) if mode == cudnn.CUDNN_LSTM else None
    states, w, xs = cudnn.DropoutStates(None, 0), cp.array(problem.w), cp.array(padded)
    common = 1, mode
    reserve, own_hy, own_cy, ys = cudnn.rnn_forward_training_ex(states, *common, hx, cx, w, xs, lengths)
    close(own_hy, hy[:, order])
    close(ys, wanted)
    if cx is not None:
        close(own_cy, cy[:, order])
    for ours, theirs in zip(
        cudnn.rnn_forward_inference_ex(states, *common, hx, cx, w, xs, lengths), (own_hy, own_cy, ys), strict=True
    ):
        np.testing.assert_allclose(ours.get(), theirs.get(), rtol=1e-12, atol=1e-14)

    # The same gradients as those of packed sequences.
    dys, dhy = random(wanted.shape, "float64", 5), random(problem.hx.shape, "float64", 6)
    dhx, _, dxs = cudnn.rnn_backward_data_ex(
        states, *common, hx, cx, w, xs, ys, reserve, cp.array(dhy[:, order]), None, cp.array(dys), lengths
    )
    dw = cudnn.rnn_backward_weights_ex(states, *common, xs, hx, ys, w, reserve, lengths)
    packed, sizes = pack(problem.sequences)
    slopes = [dys[: LENGTHS[number], order.index(number)] for number in range(batch)]
    cells, ours = problem.cells(), [cp.array(a) for a in (problem.hx, packed, dhy, pack(slopes)[0])]
    again, _, _, flat = cudnn.rnn_forward_training(states, *common, ours[0], cells, w, ours[1], sizes)
    one = cudnn.rnn_backward_data(
        states, *common, ours[0], cells, w, ours[1], flat, again, ours[2], None, ours[3], sizes
    )
    close(dhx, one[0].get()[:, order])
    close(dw, cudnn.rnn_backward_weights(states, *common, ours[1], ours[0], flat, w, again, sizes).get())
    wanted_x = np.zeros(padded.shape)
    rows = iter(one[2].get())
    for t, size in enumerate(sizes):
        for number in range(size):
            wanted_x[t, order.index(number)] = next(rows)
    close(dxs, wanted_x)


def test_where_weights_lie():
    w = cp.arange(float(parts(np.zeros(10**6), cudnn.CUDNN_LSTM, 2, 2, INPUTS, UNITS)[1]))
    layout, size = parts(w.get(), cudnn.CUDNN_LSTM, 2, 2, INPUTS, UNITS)
    assert size == w.size
    rnn = cudnn.create_rnn_descriptor(
        UNITS, 2, None, 0, cudnn.CUDNN_BIDIRECTIONAL, cudnn.CUDNN_LSTM, cudnn.CUDNN_DATA_DOUBLE
    )
    x = cudnn.create_tensor_descriptor(cp.zeros((2, INPUTS, 1)))
    for layer, (matrices, biases) in enumerate(layout):
        for number in range(2 * GATES[cudnn.CUDNN_LSTM]):
            matrix = cudnn.get_rnn_lin_layer_matrix_params(None, rnn, layer, x, None, w, number)
            np.testing.assert_array_equal(matrix.get(), matrices[number].ravel())
            bias = cudnn.get_rnn_lin_layer_bias_params(None, rnn, layer, x, None, w, number)
            np.testing.assert_array_equal(bias.get(), biases[number])
    matrix[...] = -1.0
    assert float(w.min()) == -1.0, "a view"
    with pytest.raises(ValueError, match="lin_layer_id=8"):
        cudnn.get_rnn_lin_layer_matrix_params(None, rnn, 0, x, None, w, 8)


def test_dropout_between_layers():
    problem = Problem(cudnn.CUDNN_RNN_TANH, 1, 2)
    xs, sizes = pack(problem.sequences)
    arguments = 0, problem.mode, cp.array(problem.hx), None, cp.array(problem.w), cp.array(xs), sizes

    def results(ratio):
        states = cudnn.DropoutStates(None, 3)
        states.set_dropout_ratio(ratio)
        return states, cudnn.rnn_forward_training(states, *arguments), cudnn.rnn_forward_inference(states, *arguments)

    _, whole, _ = results(0.0)
    _, dropped, inference = results(0.5)
    _, again, _ = results(0.5)
    np.testing.assert_array_equal(dropped[3].get(), again[3].get())
    assert (dropped[3].get() != whole[3].get()).any()
    np.testing.assert_allclose(inference[2].get(), whole[3].get(), rtol=1e-12)
    np.testing.assert_allclose(
        dropped[1].get()[0], whole[1].get()[0], rtol=1e-12, err_msg="the first layer drops nothing"
    )


def test_arguments_that_do_not_fit():
    problem = Problem(cudnn.CUDNN_GRU, 1, 1)
    xs, sizes = pack(problem.sequences)
    states, hx, w, x = cudnn.DropoutStates(None, 0), cp.array(problem.hx), cp.array(problem.w), cp.array(xs)
    good = {"direction_mode": 0, "rnn_mode": 3, "hx": hx, "cx": None, "w": w, "xs": x, "lengths": sizes}
    cases = [
        ("rnn_mode .* got 4", {"rnn_mode": 4}), ("direction_mode .* got 2", {"direction_mode": 2}),
        ("w must have", {"w": w[:-1]}), ("lengths", {"lengths": sizes[::-1]}), ("lengths", {"lengths": sizes[:-1]}),
        ("lengths", {"lengths": [], "xs": x[:0]}),
        ("hx must have", {"hx": hx[0]}), ("xs must have", {"xs": x[0]}), ("cx must have", {"cx": hx[:, :2]}),
    ]  # fmt: skip
    for message, change in cases:
        with pytest.raises(ValueError, match=message):
            cudnn.rnn_forward_training(states, **{**good, **change})
    reserve, _, _, ys = cudnn.rnn_forward_training(states, **good)
    with pytest.raises(ValueError, match="before rnn_backward_weights"):
        cudnn.rnn_backward_weights(states, 0, 3, x, hx, ys, w, reserve, sizes)
    with pytest.raises(ValueError, match="numbers from 1 to 3"):
        cudnn.rnn_forward_inference_ex(states, 0, 3, hx, None, w, cp.zeros((3, 4, INPUTS)), [4, 1, 1, 1])
    with pytest.raises(ValueError, match="hx must have shape"):
        cudnn.rnn_forward_inference_ex(states, 0, 3, hx, None, w, cp.zeros((3, 2, INPUTS)), [3, 1])


def test_the_library_is_asked_for_all_of_it(way, monkeypatch):  # noqa: F811
    """What cuDNN has is not quietly left to own kernels."""
    from cuproxide import _cuproxide

    if way != "library" or cp.Device().backend != "cuda":
        pytest.skip("a matter of cuDNN")
    answers = {}
    run_by_library = _cuproxide.dnn_run

    def spy(name, operands, options):
        answers[name] = run_by_library(name, operands, options)
        return answers[name]

    monkeypatch.setattr(_cuproxide, "dnn_run", spy)
    x, ones = cp.ones((2, 4, 6, 6), "float32"), cp.ones(4, "float32")
    w, y, pooled = (
        cp.ones((4, 4, 3, 3), "float32"),
        cp.empty((2, 4, 6, 6), "float32"),
        cp.empty((2, 4, 3, 3), "float32"),
    )
    geometry, window = ((1, 1), (1, 1), (1, 1), 1), ((2, 2), (2, 2), (0, 0), 0)
    cudnn.activation_backward(x, cudnn.activation_forward(x, 1), x, 1)
    cudnn.softmax_backward(cudnn.softmax_forward(x, 1, 1), x, 1, 1)
    cudnn.pooling_backward(x, cudnn.pooling_forward(x, pooled, *window), pooled, *window)
    for tune in (False, True):
        options = {"auto_tune": tune, "tensor_core": "never"}
        cudnn.convolution_forward(x, w, None, y, *geometry, **options)
        cudnn.convolution_backward_data(w, y, None, x.copy(), *geometry, deterministic=False, **options)
        cudnn.convolution_backward_filter(x, y, w.copy(), *geometry, deterministic=False, **options)
    running = ones.copy(), ones.copy()
    _, mean, inverse = cudnn.batch_normalization_forward_training(
        x, ones, ones, *running, None, None, 1e-3, 0.9, True, 1, False
    )
    cudnn.batch_normalization_forward_inference(x, ones, ones, *running, 1e-3, True, 1)
    cudnn.batch_normalization_backward(x, ones, x, mean, inverse, 1e-3, True, 1, False)
    states = cudnn.DropoutStates(None, 1)
    states.backward(None, x, 0.5, states.forward(None, x, 0.5)[0])
    problem = Problem(cudnn.CUDNN_LSTM, 2, 2, "float32")
    xs, sizes = pack(problem.sequences)
    common = states, 1, cudnn.CUDNN_LSTM
    hx, cx, weights, inputs = (cp.array(a) for a in (problem.hx, problem.cx, problem.w, xs))
    reserve, hy, cy, ys = cudnn.rnn_forward_training(*common, hx, cx, weights, inputs, sizes)
    cudnn.rnn_backward_data(*common, hx, cx, weights, inputs, ys, reserve, hy, cy, ys, sizes)
    cudnn.rnn_backward_weights(*common, inputs, hx, ys, weights, reserve, sizes)
    assert len(answers) == 18, sorted(answers)
    assert all(answers.values()), answers
