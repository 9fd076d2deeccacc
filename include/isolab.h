/* isolab: does this history satisfy this isolation level?
 *
 * The public interface. Every handle is opaque and owned by the caller, who frees it with the function of
 * its name. There is no global state: two threads may use two handles at once, never one.
 */
#ifndef ISOLAB_H
#define ISOLAB_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ISOLAB_VERSION "0.1.0"

/* Codes are also the exit statuses of the programs. */
enum {
    ISOLAB_OK = 0,
    ISOLAB_E_LIMIT = 2,     /* a time or memory limit was reached: the answer is unknown */
    ISOLAB_E_USAGE = 64,    /* the caller asked for something that does not exist */
    ISOLAB_E_INPUT = 65,    /* malformed input: the error says where */
    ISOLAB_E_INTERNAL = 70, /* a bug in isolab */
    ISOLAB_E_IO = 74        /* the system refused to read or write */
};

#define ISOLAB_NO_OFFSET UINT64_MAX

/* One error type for everything. line counts from 1, and 0 means that the input has no lines or the error
 * no place; offset counts bytes from 0, and ISOLAB_NO_OFFSET means that it is not known. */
typedef struct isolab_error {
    int code;
    uint64_t line;
    uint64_t offset;
    char file[256];
    char message[512];
} isolab_error;

typedef enum { ISOLAB_SATISFIED = 0, ISOLAB_VIOLATED = 1, ISOLAB_UNKNOWN = 2 } isolab_verdict;

typedef struct isolab_history isolab_history;

#ifdef __cplusplus
}
#endif
#endif
