/* Functions compiled twice, with AVX2 and without, and chosen when the program starts. Not under the thread
 * sanitizer: the choice is made before it is ready. */
#ifndef ISOLAB_BASE_CLONES_H
#define ISOLAB_BASE_CLONES_H

#ifdef __SANITIZE_THREAD__
#define ISO_CLONES
#else
#define ISO_CLONES __attribute__((target_clones("avx2", "default")))
#endif

/* For loops that are worth vectors. clang makes vectors at -O2 already. */
#ifdef __clang__
#define ISO_VECTOR ISO_CLONES
#else
#define ISO_VECTOR ISO_CLONES __attribute__((optimize("O3")))
#endif

#endif
