// Words of Philox4x32-10 (Salmon, Moraes, Dror and Shaw, 2011): a block of four words for each number from `first` on.

enum { THREADS = 256 };

struct Words {
    u64* out;
    u64 first, count;    // blocks
    u32 key[2];
};

ENTRY(THREADS) void philox(ARGUMENT Words a) {
    for (u64 i = (u64)block() * THREADS + thread(); i < a.count; i += (u64)blocks() * THREADS) {
        const u64 number = a.first + i;
        u32 c0 = (u32)number, c1 = (u32)(number >> 32), c2 = 0, c3 = 0, k0 = a.key[0], k1 = a.key[1];
        UNROLLED
        for (u32 round = 0; round < 10; ++round) {
            const u32 low0 = 0xD2511F53u * c0, low2 = 0xCD9E8D57u * c2;
            const u32 high0 = multiply_high(0xD2511F53u, c0), high2 = multiply_high(0xCD9E8D57u, c2);
            c0 = high2 ^ c1 ^ k0;
            c1 = low2;
            c2 = high0 ^ c3 ^ k1;
            c3 = low0;
            k0 += 0x9E3779B9u;
            k1 += 0xBB67AE85u;
        }
        a.out[2 * i] = (u64)c1 << 32 | c0;
        a.out[2 * i + 1] = (u64)c3 << 32 | c2;
    }
}
