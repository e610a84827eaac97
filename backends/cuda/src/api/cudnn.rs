//! cuDNN 9: the functions on descriptors that it keeps beside its graphs.

use std::ffi::{CStr, c_char, c_double, c_float, c_int, c_uint, c_ulonglong, c_void};

use cuproxide_gpu::loader::Wanted;
use cuproxide_gpu::table;
use cuproxide_hal::Error;

/// The library, whose parts lie beside it.
pub(crate) const WANTED: Wanted = Wanted {
    name: "cuDNN",
    sonames: &["libcudnn.so.9"],
    wheel: "cudnn",
    probe: "cudnnGetVersion",
    hint: "pip install nvidia-cudnn-cu13 (CUDA 13) or nvidia-cudnn-cu12 (CUDA 12)",
};

/// Any handle or descriptor.
pub(crate) type Raw = *mut c_void;
/// The address of a factor: float64 for float64 tensors, float32 for all others.
pub(crate) type Factor = *const c_void;

/// `cudnnConvolutionFwdAlgoPerf_t`, and those of the gradients, which are laid out alike.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Performance {
    pub algorithm: c_int,
    pub status: c_int,
    pub time: c_float,
    pub memory: usize,
    pub determinism: c_int,
    pub math: c_int,
    reserved: [c_int; 3],
}

table! {
    /// The functions.
    CudnnTable {
        fn create = cudnnCreate(handle: *mut Raw);
        fn set_stream = cudnnSetStream(handle: Raw, stream: u64);

        fn tensor_create = cudnnCreateTensorDescriptor(made: *mut Raw);
        fn tensor_destroy = cudnnDestroyTensorDescriptor(raw: Raw);
        fn tensor_set = cudnnSetTensorNdDescriptor(
            raw: Raw, dtype: c_int, count: c_int, lengths: *const c_int, strides: *const c_int,
        );
        fn filter_create = cudnnCreateFilterDescriptor(made: *mut Raw);
        fn filter_destroy = cudnnDestroyFilterDescriptor(raw: Raw);
        fn filter_set = cudnnSetFilterNdDescriptor(
            raw: Raw, dtype: c_int, format: c_int, count: c_int, lengths: *const c_int,
        );
        fn convolution_create = cudnnCreateConvolutionDescriptor(made: *mut Raw);
        fn convolution_destroy = cudnnDestroyConvolutionDescriptor(raw: Raw);
        fn convolution_set = cudnnSetConvolutionNdDescriptor(
            raw: Raw, count: c_int, padding: *const c_int, strides: *const c_int, dilation: *const c_int, mode: c_int,
            compute: c_int,
        );
        fn convolution_groups = cudnnSetConvolutionGroupCount(raw: Raw, groups: c_int);
        fn convolution_math = cudnnSetConvolutionMathType(raw: Raw, math: c_int);
        fn pooling_create = cudnnCreatePoolingDescriptor(made: *mut Raw);
        fn pooling_destroy = cudnnDestroyPoolingDescriptor(raw: Raw);
        fn pooling_set = cudnnSetPoolingNdDescriptor(
            raw: Raw, mode: c_int, nan: c_int, count: c_int, lengths: *const c_int, padding: *const c_int,
            strides: *const c_int,
        );
        fn activation_create = cudnnCreateActivationDescriptor(made: *mut Raw);
        fn activation_destroy = cudnnDestroyActivationDescriptor(raw: Raw);
        fn activation_set = cudnnSetActivationDescriptor(raw: Raw, mode: c_int, nan: c_int, coefficient: c_double);
        fn dropout_create = cudnnCreateDropoutDescriptor(made: *mut Raw);
        fn dropout_destroy = cudnnDestroyDropoutDescriptor(raw: Raw);
        fn dropout_set = cudnnSetDropoutDescriptor(
            raw: Raw, handle: Raw, ratio: c_float, states: u64, bytes: usize, seed: c_ulonglong,
        );
        fn dropout_restore = cudnnRestoreDropoutDescriptor(
            raw: Raw, handle: Raw, ratio: c_float, states: u64, bytes: usize, seed: c_ulonglong,
        );
        fn network_create = cudnnCreateRNNDescriptor(made: *mut Raw);
        fn network_destroy = cudnnDestroyRNNDescriptor(raw: Raw);
        fn network_set = cudnnSetRNNDescriptor_v8(
            raw: Raw, algorithm: c_int, cell: c_int, bias: c_int, direction: c_int, input: c_int, dtype: c_int,
            compute: c_int, math: c_int, inputs: i32, units: i32, projection: i32, layers: i32, dropout: Raw,
            flags: c_uint,
        );
        fn sequences_create = cudnnCreateRNNDataDescriptor(made: *mut Raw);
        fn sequences_destroy = cudnnDestroyRNNDataDescriptor(raw: Raw);
        fn sequences_set = cudnnSetRNNDataDescriptor(
            raw: Raw, dtype: c_int, layout: c_int, steps: c_int, batch: c_int, width: c_int, lengths: *const c_int,
            fill: *mut c_void,
        );

        fn activation_forward = cudnnActivationForward(
            handle: Raw, activation: Raw, alpha: Factor, x: Raw, x_at: u64, beta: Factor, y: Raw, y_at: u64,
        );
        fn activation_backward = cudnnActivationBackward(
            handle: Raw, activation: Raw, alpha: Factor, y: Raw, y_at: u64, dy: Raw, dy_at: u64, x: Raw, x_at: u64,
            beta: Factor, dx: Raw, dx_at: u64,
        );
        fn softmax_forward = cudnnSoftmaxForward(
            handle: Raw, algorithm: c_int, mode: c_int, alpha: Factor, x: Raw, x_at: u64, beta: Factor, y: Raw,
            y_at: u64,
        );
        fn softmax_backward = cudnnSoftmaxBackward(
            handle: Raw, algorithm: c_int, mode: c_int, alpha: Factor, y: Raw, y_at: u64, dy: Raw, dy_at: u64,
            beta: Factor, dx: Raw, dx_at: u64,
        );
        fn pooling_forward = cudnnPoolingForward(
            handle: Raw, pooling: Raw, alpha: Factor, x: Raw, x_at: u64, beta: Factor, y: Raw, y_at: u64,
        );
        fn pooling_backward = cudnnPoolingBackward(
            handle: Raw, pooling: Raw, alpha: Factor, y: Raw, y_at: u64, dy: Raw, dy_at: u64, x: Raw, x_at: u64,
            beta: Factor, dx: Raw, dx_at: u64,
        );

        fn convolution_forward = cudnnConvolutionForward(
            handle: Raw, alpha: Factor, x: Raw, x_at: u64, w: Raw, w_at: u64, convolution: Raw, algorithm: c_int,
            scratch: u64, bytes: usize, beta: Factor, y: Raw, y_at: u64,
        );
        fn convolution_data = cudnnConvolutionBackwardData(
            handle: Raw, alpha: Factor, w: Raw, w_at: u64, dy: Raw, dy_at: u64, convolution: Raw, algorithm: c_int,
            scratch: u64, bytes: usize, beta: Factor, dx: Raw, dx_at: u64,
        );
        fn convolution_filter = cudnnConvolutionBackwardFilter(
            handle: Raw, alpha: Factor, x: Raw, x_at: u64, dy: Raw, dy_at: u64, convolution: Raw, algorithm: c_int,
            scratch: u64, bytes: usize, beta: Factor, dw: Raw, dw_at: u64,
        );
        fn convolution_forward_get = cudnnGetConvolutionForwardAlgorithm_v7(
            handle: Raw, x: Raw, w: Raw, convolution: Raw, y: Raw, most: c_int, count: *mut c_int,
            found: *mut Performance,
        );
        fn convolution_data_get = cudnnGetConvolutionBackwardDataAlgorithm_v7(
            handle: Raw, w: Raw, dy: Raw, convolution: Raw, dx: Raw, most: c_int, count: *mut c_int,
            found: *mut Performance,
        );
        fn convolution_filter_get = cudnnGetConvolutionBackwardFilterAlgorithm_v7(
            handle: Raw, x: Raw, dy: Raw, convolution: Raw, dw: Raw, most: c_int, count: *mut c_int,
            found: *mut Performance,
        );
        fn convolution_forward_find = cudnnFindConvolutionForwardAlgorithmEx(
            handle: Raw, x: Raw, x_at: u64, w: Raw, w_at: u64, convolution: Raw, y: Raw, y_at: u64, most: c_int,
            count: *mut c_int, found: *mut Performance, scratch: u64, bytes: usize,
        );
        fn convolution_data_find = cudnnFindConvolutionBackwardDataAlgorithmEx(
            handle: Raw, w: Raw, w_at: u64, dy: Raw, dy_at: u64, convolution: Raw, dx: Raw, dx_at: u64, most: c_int,
            count: *mut c_int, found: *mut Performance, scratch: u64, bytes: usize,
        );
        fn convolution_filter_find = cudnnFindConvolutionBackwardFilterAlgorithmEx(
            handle: Raw, x: Raw, x_at: u64, dy: Raw, dy_at: u64, convolution: Raw, dw: Raw, dw_at: u64, most: c_int,
            count: *mut c_int, found: *mut Performance, scratch: u64, bytes: usize,
        );

        fn normalization_training = cudnnBatchNormalizationForwardTraining(
            handle: Raw, mode: c_int, alpha: Factor, beta: Factor, x: Raw, x_at: u64, y: Raw, y_at: u64,
            parameters: Raw, scale: u64, offset: u64, factor: c_double, running_mean: u64, running_variance: u64,
            epsilon: c_double, mean: u64, inverse: u64,
        );
        fn normalization_inference = cudnnBatchNormalizationForwardInference(
            handle: Raw, mode: c_int, alpha: Factor, beta: Factor, x: Raw, x_at: u64, y: Raw, y_at: u64,
            parameters: Raw, scale: u64, offset: u64, mean: u64, variance: u64, epsilon: c_double,
        );
        fn normalization_backward = cudnnBatchNormalizationBackward(
            handle: Raw, mode: c_int, alpha: Factor, beta: Factor, alpha_parameters: Factor, beta_parameters: Factor,
            x: Raw, x_at: u64, dy: Raw, dy_at: u64, dx: Raw, dx_at: u64, parameters: Raw, scale: u64, dscale: u64,
            doffset: u64, epsilon: c_double, mean: u64, inverse: u64,
        );

        fn dropout_states = cudnnDropoutGetStatesSize(handle: Raw, bytes: *mut usize);
        fn dropout_reserve = cudnnDropoutGetReserveSpaceSize(x: Raw, bytes: *mut usize);
        fn dropout_forward = cudnnDropoutForward(
            handle: Raw, dropout: Raw, x: Raw, x_at: u64, y: Raw, y_at: u64, reserve: u64, bytes: usize,
        );
        fn dropout_backward = cudnnDropoutBackward(
            handle: Raw, dropout: Raw, dy: Raw, dy_at: u64, dx: Raw, dx_at: u64, reserve: u64, bytes: usize,
        );

        fn network_weights = cudnnGetRNNWeightSpaceSize(handle: Raw, network: Raw, bytes: *mut usize);
        fn network_memory = cudnnGetRNNTempSpaceSizes(
            handle: Raw, network: Raw, mode: c_int, x: Raw, scratch: *mut usize, reserve: *mut usize,
        );
        fn network_place = cudnnGetRNNWeightParams(
            handle: Raw, network: Raw, layer: i32, bytes: usize, weights: u64, number: i32, matrix: Raw,
            matrix_at: *mut u64, bias: Raw, bias_at: *mut u64,
        );
        fn network_forward = cudnnRNNForward(
            handle: Raw, network: Raw, mode: c_int, lengths: u64, x: Raw, x_at: u64, y: Raw, y_at: u64, h: Raw,
            hx: u64, hy: u64, c: Raw, cx: u64, cy: u64, weight_bytes: usize, weights: u64, scratch_bytes: usize,
            scratch: u64, reserve_bytes: usize, reserve: u64,
        );
        fn network_data = cudnnRNNBackwardData_v8(
            handle: Raw, network: Raw, lengths: u64, y: Raw, y_at: u64, dy: u64, x: Raw, dx: u64, h: Raw, hx: u64,
            dhy: u64, dhx: u64, c: Raw, cx: u64, dcy: u64, dcx: u64, weight_bytes: usize, weights: u64,
            scratch_bytes: usize, scratch: u64, reserve_bytes: usize, reserve: u64,
        );
        fn network_gradient = cudnnRNNBackwardWeights_v8(
            handle: Raw, network: Raw, add: c_int, lengths: u64, x: Raw, x_at: u64, h: Raw, hx: u64, y: Raw, y_at: u64,
            weight_bytes: usize, dweights: u64, scratch_bytes: usize, scratch: u64, reserve_bytes: usize,
            reserve: u64,
        );
    }
}

/// Statuses from here on, up to the next thousand, say that something is not supported.
const NOT_SUPPORTED: i32 = 3000;

impl CudnnTable {
    /// The library's version, as it counts since 9: major * 10000 + minor * 100 + patch level.
    pub fn version(&self) -> usize {
        let Some(address) = self.library.symbol("cudnnGetVersion") else { return 0 };
        // SAFETY: the function takes nothing and returns a number.
        unsafe { std::mem::transmute::<*const c_void, unsafe extern "C" fn() -> usize>(address)() }
    }

    /// The error for a status that is not success, with the library's own words on it.
    #[cold]
    pub fn failure(&self, call: &'static str, code: i32) -> Error {
        let name = match self.library.symbol("cudnnGetErrorString") {
            // SAFETY: the function takes a status and returns a static string.
            Some(address) => unsafe {
                let text = std::mem::transmute::<*const c_void, unsafe extern "C" fn(c_int) -> *const c_char>(address);
                CStr::from_ptr(text(code)).to_string_lossy().into_owned()
            },
            None => "unknown".to_owned(),
        };
        let message = match self.library.symbol("cudnnGetLastErrorString") {
            // SAFETY: the function writes a text of at most so many bytes, with a zero byte at its end.
            Some(address) => unsafe {
                let last = std::mem::transmute::<*const c_void, unsafe extern "C" fn(*mut c_char, usize)>(address);
                let mut text = [0 as c_char; 512];
                last(text.as_mut_ptr(), text.len() - 1);
                CStr::from_ptr(text.as_ptr()).to_string_lossy().trim().to_owned()
            },
            None => String::new(),
        };
        if (NOT_SUPPORTED..NOT_SUPPORTED + 1000).contains(&code) {
            return Error::unsupported("cuda", format!("{call} of these arguments ({name}): {message}"));
        }
        let message = if message.is_empty() { "the library gives no explanation".to_owned() } else { message };
        Error::Call { call, code: code.into(), name, message }
    }
}
