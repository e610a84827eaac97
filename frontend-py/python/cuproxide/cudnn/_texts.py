"""Entries of parameters that docstrings of `cudnn` share; `_lib.texts` fills them in."""

TEXTS = {
    "_activation -> ndarray": "cuproxide.ndarray\n    Of the shape and dtype of `x`.",
    "_activation.x": "cuproxide.ndarray\n    float16, float32 or float64.",
    "_descriptors -> Descriptor": "Descriptor\n    With an attribute for each parameter.",
    "_normalization.eps": "float\n    Is added to the variance.",
    "_normalization.x": "cuproxide.ndarray\n"
    "    float16, float32 or float64; channels at axis 1, or last where `is_for_conv2d` is false.",
    "_recurrent -> ndarray": "cuproxide.ndarray\n    The gradient for `w`, of its shape and dtype.",
    "_recurrent.dys": "cuproxide.ndarray\n    The gradient for `ys`, of its shape.",
    "_recurrent.hx": "cuproxide.ndarray\n    First states (layers * directions, batch, units).",
    "_recurrent.states": "DropoutStates\n    Those of `rnn_forward_training`.",
    "_recurrent.ys": "cuproxide.ndarray\n    The results of all steps, as `rnn_forward_training` returned them.",
    "_recurrent: Raises": "TypeError\n"
    "    For arrays of other dtypes, or of different ones.\n"
    "ValueError\n"
    "    For modes, shapes and lengths that do not fit.",
    "auto_tune": "bool\n    Whether the library measures its algorithms for these shapes once, or goes by its own "
    "estimate. The algorithm\n    needs no more than `get_max_workspace_size()` bytes.",
    "cudnn_mode": "int\n"
    "    `CUDNN_BATCHNORM_SPATIAL` for one mean a channel, `CUDNN_BATCHNORM_PER_ACTIVATION` for one an element of an\n"
    "    image.",
    "d_layout": "int\n    `CUDNN_TENSOR_NHWC` for channels in the last axis.",
    "debug": "bool\n    Has no effect: nothing overflows silently here.",
    "deterministic": "bool\n"
    "    Whether a library is held to an algorithm that gives the same bits for the same input; own kernels "
    "always do. It\n"
    "    rules tensor cores out.",
    "direction_mode": "int\n    `CUDNN_UNIDIRECTIONAL` or `CUDNN_BIDIRECTIONAL`.",
    "format": "int\n    `CUDNN_TENSOR_NCHW`, or `CUDNN_TENSOR_NHWC` where channels are in the last axis.",
    "groups": "int\n    Channels and outputs are split into so many parts, which do not see each other.",
    "gy": "cuproxide.ndarray\n    The gradient for `y`, of its shape and dtype.",
    "handle": "None\n    Has no effect; CuPy's name for a library's handle.",
    "is_for_conv2d": "bool\n    Whether axes behind the channels are spatial.",
    "layer": "int\n    Which layer, where each direction counts: `2 * layer + direction` of a bidirectional network.",
    "lengths": "sequence of int\n    How many sequences reach each step: it never grows.",
    "lengths: Any": "sequence of int\n    How many steps each of the sequences has, from 1 to `steps`, in any order.",
    "reserve_space": "object\n    The reserve that it returned.",
    "rnn_desc": "Descriptor\n    The network, of `create_rnn_descriptor`.",
    "rnn_mode": "int\n    `CUDNN_RNN_RELU`, `CUDNN_RNN_TANH`, `CUDNN_LSTM` or `CUDNN_GRU`.",
    "states": "DropoutStates\n    Has no effect on the results: nothing is dropped.",
    "tensor_core": '{"auto", "always", "never"}\n    '
    'With "always" a library may round float32 to TF32; "auto" lets it for float16 only.',
    "w": "cuproxide.ndarray\n    All weights; "
    "`get_rnn_lin_layer_matrix_params` and `get_rnn_lin_layer_bias_params` say where each lies.",
    "w_desc": "object\n    Has no effect.",
    "x_desc": "Descriptor\n    Of an array (rows, inputs): its `shape[1]` is the number of inputs.",
    "xs": "cuproxide.ndarray\n    The inputs of all sequences (rows, inputs), step by step.",
    "ys": "cuproxide.ndarray\n    The results of all steps, as `rnn_forward_training_ex` returned them.",
}
