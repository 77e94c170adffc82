"""CUDA C++ for the tests of mbarriers, clusters and copies: PTX under short names."""

# ruff: noqa: E501 (lines of CUDA C++ in strings)

HEAD = r"""
typedef unsigned long long u64;
typedef unsigned int u32;
__device__ __forceinline__ u32 at(const void* p) { return (u32)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void init(u64* b, u32 n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at(b)), "r"(n) : "memory"); }
__device__ __forceinline__ void fence_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ __forceinline__ void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ __forceinline__ u64 arrive(u64* b) { u64 t; asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(t) : "r"(at(b)) : "memory"); return t; }
__device__ __forceinline__ void expect(u64* b, u32 n) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(at(b)), "r"(n) : "memory"); }
__device__ __forceinline__ bool test(u64* b, u32 parity) {
    u32 done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at(b)), "r"(parity) : "memory");
    return done;
}
__device__ __forceinline__ void wait(u64* b, u32 parity) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @p bra done; bra again; done: }" :: "r"(at(b)), "r"(parity) : "memory");
}
__device__ __forceinline__ void wait_token(u64* b, u64 token) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.shared::cta.b64 p, [%0], %1; @!p bra again; }" :: "r"(at(b)), "l"(token) : "memory");
}
__device__ __forceinline__ void load(void* s, const void* g, u32 n, u64* b) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(at(s)), "l"(g), "r"(n), "r"(at(b)) : "memory");
}
__device__ __forceinline__ void store(void* g, const void* s, u32 n) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(g), "r"(at(s)), "r"(n) : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
__device__ __forceinline__ void wait_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
"""

CLUSTER = r"""
__device__ __forceinline__ u32 rank() { u32 r; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
__device__ __forceinline__ u32 map(const void* p, u32 r) { u32 a; asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(at(p)), "r"(r)); return a; }
__device__ __forceinline__ int ld(u32 a) { int v; asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(v) : "r"(a) : "memory"); return v; }
__device__ __forceinline__ void st(u32 a, int v) { asm volatile("st.shared::cluster.s32 [%0], %1;" :: "r"(a), "r"(v) : "memory"); }
__device__ __forceinline__ void red(u32 a, int v) { asm volatile("red.shared::cluster.add.s32 [%0], %1;" :: "r"(a), "r"(v) : "memory"); }
__device__ __forceinline__ void meet() { asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory"); }
__device__ __forceinline__ void arrive_at(u32 b) { asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(b) : "memory"); }
"""
