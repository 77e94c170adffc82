// Adds two arrays that NumPy has written, with the first kernel of the book, and
// writes the sum: main FOLDER reads n.bin, a.bin and b.bin, and writes c.bin.
//
// n.bin holds one int64, a.bin and b.bin n float32 each, all little-endian,
// which is what NumPy's tofile writes on the machines that CUDA runs on.
#include "vector_add/03_grid.cu"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// Every call of the runtime returns an error code; one that nobody reads is
// an error that nobody sees.
#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t error = (call);                                        \
        if (error != cudaSuccess) {                                        \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,        \
                         cudaGetErrorString(error));                       \
            std::exit(1);                                                  \
        }                                                                  \
    } while (0)

template <typename T>
std::vector<T> read(const std::string& path, std::size_t count)
{
    std::vector<T> values(count);
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (!file || std::fread(values.data(), sizeof(T), count, file) != count
        || std::fgetc(file) != EOF) {
        std::fprintf(stderr, "%s does not hold %zu values of %zu bytes\n",
                     path.c_str(), count, sizeof(T));
        std::exit(1);
    }
    std::fclose(file);
    return values;
}

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: add FOLDER\n");
        return 1;
    }
    std::string folder = std::string(argv[1]) + "/";
    int n = static_cast<int>(read<std::int64_t>(folder + "n.bin", 1)[0]);
    std::vector<float> a = read<float>(folder + "a.bin", n);
    std::vector<float> b = read<float>(folder + "b.bin", n);
    std::vector<float> c(n);
    std::size_t bytes = n * sizeof(float);

    float *a_device, *b_device, *c_device;
    CHECK(cudaMalloc(&a_device, bytes));
    CHECK(cudaMalloc(&b_device, bytes));
    CHECK(cudaMalloc(&c_device, bytes));
    CHECK(cudaMemcpy(a_device, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b_device, b.data(), bytes, cudaMemcpyHostToDevice));

    int block = 256, grid = (n + block - 1) / block;
    vector_add_grid<<<grid, block>>>(a_device, b_device, c_device, n);
    CHECK(cudaGetLastError());       // was the launch accepted?
    CHECK(cudaDeviceSynchronize());  // did the kernel run to its end?

    CHECK(cudaMemcpy(c.data(), c_device, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(a_device));
    CHECK(cudaFree(b_device));
    CHECK(cudaFree(c_device));

    std::FILE* file = std::fopen((folder + "c.bin").c_str(), "wb");
    if (!file || std::fwrite(c.data(), sizeof(float), n, file) != c.size()) {
        std::fprintf(stderr, "cannot write %sc.bin\n", folder.c_str());
        return 1;
    }
    std::fclose(file);
    std::printf("%d sums, the first one %g\n", n, c[0]);
    return 0;
}
