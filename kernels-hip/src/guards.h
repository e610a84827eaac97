// Read before texts of the user's that ask for CUDA's compiler and never for AMD's: what holds for it is what they mean. Of the
// architectures the first is named that adds doubles indivisibly, as these processors do, and has no instructions beyond theirs.

#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef __CUDACC_RTC__
#define __CUDACC_RTC__ 1
#endif
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 600
#endif
