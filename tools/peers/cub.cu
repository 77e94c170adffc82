// CUB's own reduction, scan and histogram, as C functions for warpbook.peer("cub").
//
// nvcc -O1 -std=c++17 -shared -Xcompiler -fPIC -arch=sm_90 -o cub.so cub.cu
//
// All pointers are to device memory, but bytes. Each function is called twice: with temp = null
// it writes to bytes how much temporary memory it needs; then it launches. It returns a
// cudaError_t, 0 for success.
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

extern "C" {

int cub_sum(void* temp, size_t* bytes, const float* in, float* out, int n, cudaStream_t stream)
{
    return cub::DeviceReduce::Sum(temp, *bytes, in, out, n, stream);
}

int cub_argmax(
    void* temp, size_t* bytes, const float* in, float* most, long long* where, int n,
    cudaStream_t stream)
{
#if CUB_VERSION >= 200800
    return cub::DeviceReduce::ArgMax(temp, *bytes, in, most, where, n, stream);
#else
    return cudaErrorNotSupported;  // before CUDA 12.9 it wrote pairs
#endif
}

int cub_scan_float(
    void* temp, size_t* bytes, const float* in, float* out, int n, cudaStream_t stream)
{
    return cub::DeviceScan::InclusiveSum(temp, *bytes, in, out, n, stream);
}

int cub_scan_int(void* temp, size_t* bytes, const int* in, int* out, int n, cudaStream_t stream)
{
    return cub::DeviceScan::InclusiveSum(temp, *bytes, in, out, n, stream);
}

int cub_histogram_bytes(
    void* temp, size_t* bytes, const unsigned char* in, int* counts, int bins, int low, int high,
    int n, cudaStream_t stream)
{
    return cub::DeviceHistogram::HistogramEven(
        temp, *bytes, in, counts, bins + 1, low, high, n, stream);
}

int cub_histogram_floats(
    void* temp, size_t* bytes, const float* in, int* counts, int bins, float low, float high,
    int n, cudaStream_t stream)
{
    return cub::DeviceHistogram::HistogramEven(
        temp, *bytes, in, counts, bins + 1, low, high, n, stream);
}

}
