// Included before everything else of llama.cpp on a processor with AMX (see scripts/install).
// GCC 12 takes _tile_loadconfig to read 8 of a configuration's 64 bytes, leaves the others unwritten,
// and the first AMX instruction after it is an illegal one (seen with ggml 0.25.3).
#if defined(__AMX_TILE__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>
#define _tile_loadconfig(configuration) \
    __asm__ volatile("ldtilecfg\t%0" ::"m"(*(const char(*)[64])(configuration)))
#endif
