"""Entries of parameters that docstrings of `cudnn` share; `_lib.texts` fills them in."""

TEXTS = {
    "auto_tune": "bool\n    Whether the library measures its algorithms for these shapes once, or goes by its own "
    "estimate. The algorithm\n    needs no more than `get_max_workspace_size()` bytes.",
    "d_layout": "int\n    `CUDNN_TENSOR_NHWC` for channels in the last axis.",
    "direction_mode": "int\n    `CUDNN_UNIDIRECTIONAL` or `CUDNN_BIDIRECTIONAL`.",
    "groups": "int\n    Channels and outputs are split into so many parts, which do not see each other.",
    "handle": "None\n    Has no effect; CuPy's name for a library's handle.",
    "is_for_conv2d": "bool\n    Whether axes behind the channels are spatial.",
    "lengths": "sequence of int\n    How many sequences reach each step: it never grows.",
    "lengths: Any": "sequence of int\n    How many steps each of the sequences has, from 1 to `steps`, in any order.",
    "rnn_mode": "int\n    `CUDNN_RNN_RELU`, `CUDNN_RNN_TANH`, `CUDNN_LSTM` or `CUDNN_GRU`.",
    "tensor_core": '{"auto", "always", "never"}\n    '
    'With "always" a library may round float32 to TF32; "auto" lets it for float16 only.',
    "w": "cuproxide.ndarray\n    All weights; "
    "`get_rnn_lin_layer_matrix_params` and `get_rnn_lin_layer_bias_params` say where each lies.",
    "xs": "cuproxide.ndarray\n    The inputs of all sequences (rows, inputs), step by step.",
}
