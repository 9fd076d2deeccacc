/* Functions that are compiled twice, with AVX2 and without; the right one is chosen when the program starts. The
 * thread sanitizer build compiles them once, because the choice is made before the sanitizer is ready. */
#ifndef ISOLAB_BASE_CLONES_H
#define ISOLAB_BASE_CLONES_H

#ifdef __SANITIZE_THREAD__
#define ISO_CLONES
#else
#define ISO_CLONES __attribute__((target_clones("avx2", "default")))
#endif

/* Marks a function whose loops should become vector code. clang does that at -O2 without a mark. */
#ifdef __clang__
#define ISO_VECTOR ISO_CLONES
#else
#define ISO_VECTOR ISO_CLONES __attribute__((optimize("O3")))
#endif

#endif
