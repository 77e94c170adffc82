// A signal to the GPU, through a kernel and back, in two streams; then four ways to wait.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t error = (call);                                        \
        if (error != cudaSuccess) {                                        \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

__global__ void relax(const float* in, float* out, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float goal = in[i], x = goal;
        for (int round = 0; round < rounds; ++round)
            x = fmaf(0.5f, x, goal);
        out[i] = x;
    }
}

void heard(void* flag)   // must not call CUDA
{
    *static_cast<int*>(flag) = 1;
}

int main()
{
    const int n = 1 << 24, chunks = 2, part = n / chunks, rounds = 1000;
    const size_t bytes = part * sizeof(float);

    // create
    cudaStream_t stream[chunks];
    for (int c = 0; c < chunks; ++c)
        CHECK(cudaStreamCreateWithFlags(&stream[c], cudaStreamNonBlocking));
    float *source, *target, *in, *out;
    CHECK(cudaMallocHost(&source, n * sizeof(float)));   // pinned
    CHECK(cudaMallocHost(&target, n * sizeof(float)));
    CHECK(cudaMalloc(&in, n * sizeof(float)));
    CHECK(cudaMalloc(&out, n * sizeof(float)));
    for (int i = 0; i < n; ++i) {
        source[i] = i % 1000;
        target[i] = -1;
    }

    // chunk by chunk
    for (int c = 0; c < chunks; ++c) {
        int at = c * part;
        CHECK(cudaMemcpyAsync(in + at, source + at, bytes,
                              cudaMemcpyHostToDevice, stream[c]));
        relax<<<part / 256, 256, 0, stream[c]>>>(in + at, out + at, part, rounds);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(target + at, out + at, bytes,
                              cudaMemcpyDeviceToHost, stream[c]));
    }

    // query: asks, and does not wait
    cudaError_t state = cudaStreamQuery(stream[0]);
    printf("at once: %s\n", cudaGetErrorName(state));

    // wait: stream 0 for what stands in stream 1, and the host goes on
    cudaEvent_t done;
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    CHECK(cudaEventRecord(done, stream[1]));
    CHECK(cudaStreamWaitEvent(stream[0], done, 0));

    // host function: called by a thread of the driver, when the stream is there
    int flag = 0;
    CHECK(cudaLaunchHostFunc(stream[0], heard, &flag));
    CHECK(cudaStreamSynchronize(stream[0]));   // the host waits for a stream
    printf("flag: %d, then: %s\n", flag, cudaGetErrorName(cudaStreamQuery(stream[0])));

    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += target[i] != 2 * source[i];
    printf("wrong: %d\n", wrong);

    // destroy: returns at once; what is in the stream is still done
    relax<<<n / 256, 256, 0, stream[1]>>>(out, in, n, rounds);
    CHECK(cudaEventRecord(done, stream[1]));
    CHECK(cudaStreamDestroy(stream[1]));
    printf("destroyed: %s\n", cudaGetErrorName(cudaEventQuery(done)));
    CHECK(cudaEventSynchronize(done));         // the host waits for an event
    CHECK(cudaMemcpy(target, in, n * sizeof(float), cudaMemcpyDeviceToHost));
    wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += target[i] != 4 * source[i];
    printf("wrong after it: %d\n", wrong);

    CHECK(cudaStreamDestroy(stream[0]));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFreeHost(source));
    CHECK(cudaFreeHost(target));
}
