//! MIOpen: what it has of cuDNN's functions on descriptors, for float16 and float32. Written by its header, which has had these
//! signatures since ROCm 5; enumerations are numbers, and addresses of devices are, too.

use std::ffi::{CStr, c_char, c_double, c_float, c_int, c_void};

use cuproxide_gpu::table;
use cuproxide_hal::Error;

/// Any handle or descriptor.
pub(crate) type Raw = *mut c_void;
/// The address of a factor, which is float32 for every type.
pub(crate) type Factor = *const c_float;

/// `miopenConvAlgoPerf_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Performance {
    pub algorithm: c_int,
    pub time: c_float,
    pub memory: usize,
}

table! {
    /// The functions.
    MiopenTable {
        fn create = miopenCreate(handle: *mut Raw);
        fn set_stream = miopenSetStream(handle: Raw, stream: u64);
        fn version = miopenGetVersion(major: *mut usize, minor: *mut usize, patch: *mut usize);

        fn tensor_create = miopenCreateTensorDescriptor(made: *mut Raw);
        fn tensor_destroy = miopenDestroyTensorDescriptor(raw: Raw);
        fn tensor_set = miopenSetTensorDescriptor(
            raw: Raw, dtype: c_int, count: c_int, lengths: *const c_int, strides: *const c_int,
        );
        fn convolution_create = miopenCreateConvolutionDescriptor(made: *mut Raw);
        fn convolution_destroy = miopenDestroyConvolutionDescriptor(raw: Raw);
        fn convolution_set = miopenInitConvolutionNdDescriptor(
            raw: Raw, count: c_int, padding: *const c_int, strides: *const c_int, dilation: *const c_int, mode: c_int,
        );
        fn convolution_groups = miopenSetConvolutionGroupCount(raw: Raw, groups: c_int);
        fn convolution_attribute = miopenSetConvolutionAttribute(raw: Raw, attribute: c_int, value: c_int);
        fn pooling_create = miopenCreatePoolingDescriptor(made: *mut Raw);
        fn pooling_destroy = miopenDestroyPoolingDescriptor(raw: Raw);
        fn pooling_set = miopenSetNdPoolingDescriptor(
            raw: Raw, mode: c_int, count: c_int, lengths: *const c_int, padding: *const c_int, strides: *const c_int,
        );
        fn activation_create = miopenCreateActivationDescriptor(made: *mut Raw);
        fn activation_destroy = miopenDestroyActivationDescriptor(raw: Raw);
        fn activation_set = miopenSetActivationDescriptor(
            raw: Raw, mode: c_int, alpha: c_double, beta: c_double, gamma: c_double,
        );

        fn activation_forward = miopenActivationForward(
            handle: Raw, activation: Raw, alpha: Factor, x: Raw, x_at: u64, beta: Factor, y: Raw, y_at: u64,
        );
        fn activation_backward = miopenActivationBackward(
            handle: Raw, activation: Raw, alpha: Factor, y: Raw, y_at: u64, dy: Raw, dy_at: u64, x: Raw, x_at: u64,
            beta: Factor, dx: Raw, dx_at: u64,
        );
        fn softmax_forward = miopenSoftmaxForward_V2(
            handle: Raw, alpha: Factor, x: Raw, x_at: u64, beta: Factor, y: Raw, y_at: u64, algorithm: c_int,
            mode: c_int,
        );
        fn softmax_backward = miopenSoftmaxBackward_V2(
            handle: Raw, alpha: Factor, y: Raw, y_at: u64, dy: Raw, dy_at: u64, beta: Factor, dx: Raw, dx_at: u64,
            algorithm: c_int, mode: c_int,
        );
        fn pooling_forward = miopenPoolingForward(
            handle: Raw, pooling: Raw, alpha: Factor, x: Raw, x_at: u64, beta: Factor, y: Raw, y_at: u64,
            gradient: bool, scratch: u64, bytes: usize,
        );

        fn convolution_forward = miopenConvolutionForward(
            handle: Raw, alpha: Factor, x: Raw, x_at: u64, w: Raw, w_at: u64, convolution: Raw, algorithm: c_int,
            beta: Factor, y: Raw, y_at: u64, scratch: u64, bytes: usize,
        );
        fn convolution_data = miopenConvolutionBackwardData(
            handle: Raw, alpha: Factor, dy: Raw, dy_at: u64, w: Raw, w_at: u64, convolution: Raw, algorithm: c_int,
            beta: Factor, dx: Raw, dx_at: u64, scratch: u64, bytes: usize,
        );
        fn convolution_filter = miopenConvolutionBackwardWeights(
            handle: Raw, alpha: Factor, dy: Raw, dy_at: u64, x: Raw, x_at: u64, convolution: Raw, algorithm: c_int,
            beta: Factor, dw: Raw, dw_at: u64, scratch: u64, bytes: usize,
        );
        fn convolution_forward_find = miopenFindConvolutionForwardAlgorithm(
            handle: Raw, x: Raw, x_at: u64, w: Raw, w_at: u64, convolution: Raw, y: Raw, y_at: u64, most: c_int,
            count: *mut c_int, found: *mut Performance, scratch: u64, bytes: usize, exhaustive: bool,
        );
        fn convolution_data_find = miopenFindConvolutionBackwardDataAlgorithm(
            handle: Raw, dy: Raw, dy_at: u64, w: Raw, w_at: u64, convolution: Raw, dx: Raw, dx_at: u64, most: c_int,
            count: *mut c_int, found: *mut Performance, scratch: u64, bytes: usize, exhaustive: bool,
        );
        fn convolution_filter_find = miopenFindConvolutionBackwardWeightsAlgorithm(
            handle: Raw, dy: Raw, dy_at: u64, x: Raw, x_at: u64, convolution: Raw, dw: Raw, dw_at: u64, most: c_int,
            count: *mut c_int, found: *mut Performance, scratch: u64, bytes: usize, exhaustive: bool,
        );

        fn normalization_training = miopenBatchNormalizationForwardTraining(
            handle: Raw, mode: c_int, alpha: Factor, beta: Factor, x: Raw, x_at: u64, y: Raw, y_at: u64,
            parameters: Raw, scale: u64, offset: u64, factor: c_double, running_mean: u64, running_variance: u64,
            epsilon: c_double, mean: u64, inverse: u64,
        );
        fn normalization_inference = miopenBatchNormalizationForwardInference(
            handle: Raw, mode: c_int, alpha: Factor, beta: Factor, x: Raw, x_at: u64, y: Raw, y_at: u64,
            parameters: Raw, scale: u64, offset: u64, mean: u64, variance: u64, epsilon: c_double,
        );
        fn normalization_backward = miopenBatchNormalizationBackward(
            handle: Raw, mode: c_int, alpha: Factor, beta: Factor, alpha_parameters: Factor, beta_parameters: Factor,
            x: Raw, x_at: u64, dy: Raw, dy_at: u64, dx: Raw, dx_at: u64, parameters: Raw, scale: u64, dscale: u64,
            doffset: u64, epsilon: c_double, mean: u64, inverse: u64,
        );
    }
}

const NOT_IMPLEMENTED: i32 = 6;
const UNSUPPORTED: i32 = 8;

impl MiopenTable {
    /// The error for a status that is not success.
    #[cold]
    pub fn failure(&self, call: &'static str, code: i32) -> Error {
        let name = match self.library.symbol("miopenGetErrorString") {
            // SAFETY: the function takes a status and returns a static string.
            Some(address) => unsafe {
                let text = std::mem::transmute::<*const c_void, unsafe extern "C" fn(c_int) -> *const c_char>(address);
                CStr::from_ptr(text(code)).to_string_lossy().into_owned()
            },
            None => "unknown".to_owned(),
        };
        if matches!(code, NOT_IMPLEMENTED | UNSUPPORTED) {
            return Error::unsupported("hip", format!("{call} of these arguments ({name})"));
        }
        Error::Call { call, code: code.into(), name, message: "the library gives no explanation".to_owned() }
    }
}
