/* The limits of a run. See limits.h. */
#include "cli/limits.h"

#include <gmp.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/machine.h"

/* Memory that is added at a time, and (or four times --memory) in all: the tables of a solver double. */
#define LOAN ((rlim_t)64 << 20)
#define MOST_LENT ((rlim_t)512 << 20)

/* Without --memory an eighth of the machine's memory is reserved for other programs; half of that may be added. */
#define OTHERS 8

/* std::set_new_handler(): sets the function that C++ calls when it finds no memory. */
void (*set_new_handler(void (*handler)(void)))(void) __asm__("_ZSt15set_new_handlerPFvvE");

static iso_limits *limits;
static struct rlimit before; /* at the start of the program */
static rlim_t bound;         /* 0: no bound of ours */
static rlim_t most_lent;
static atomic_ulong lent;

static void move_bound(rlim_t to) {
    struct rlimit now = {to < before.rlim_cur ? to : before.rlim_cur, before.rlim_max};
    setrlimit(RLIMIT_DATA, &now);
}

/* Called when a library finds no memory. Adds some, and ends the work soon. If there is no bound of ours, or more was
 * added than one step of a solver needs, the program ends. Any thread may call it. */
static void lend(void) {
    static const char reached[] = "isolab: memory limit reached\n", none[] = "isolab: out of memory\n";
    atomic_store(&limits->exhausted, 1);
    rlim_t now = atomic_fetch_add(&lent, LOAN) + LOAN;
    if (bound == 0 || now > most_lent) {
        const char *line = bound == 0 ? none : reached;
        ssize_t n = write(STDERR_FILENO, line, bound == 0 ? sizeof none - 1 : sizeof reached - 1);
        _exit(n >= 0 ? ISOLAB_E_LIMIT : ISOLAB_E_IO);
    }
    move_bound(bound + now);
}

static void *gmp_new(size_t size) {
    void *p;
    while ((p = malloc(size)) == NULL) {
        lend();
    }
    return p;
}

static void *gmp_resize(void *block, size_t old, size_t size) {
    void *p;
    (void)old;
    while ((p = realloc(block, size)) == NULL) {
        lend();
    }
    return p;
}

static void gmp_free(void *block, size_t size) {
    (void)size;
    free(block);
}

void iso_limits_install(iso_limits *of) {
    limits = of;
    getrlimit(RLIMIT_DATA, &before);
    of->data_outside = before.rlim_cur;
    set_new_handler(lend);
    mp_set_memory_functions(gmp_new, gmp_resize, gmp_free);
}

/* Returns the private writable memory of the process, which RLIMIT_DATA counts; 0: not known, or sanitizers reserve
 * terabytes. */
static uint64_t private_bytes(void) {
    unsigned long long pages = 0;
#if !defined(__SANITIZE_ADDRESS__)
    FILE *f = fopen("/proc/self/statm", "re");
    if (f != NULL && fscanf(f, "%*u %*u %*u %*u %*u %llu", &pages) != 1) {
        pages = 0;
    }
    if (f != NULL) {
        fclose(f);
    }
#endif
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void iso_limits_apply(iso_cli *cli, bool on) {
    iso_limits *l = cli->env.limits;
    l->deadline = on && cli->timeout != 0 ? iso_now() + cli->timeout : 0;
    static uint64_t has; /* computed once, since there may be many files */
    bool usual = on && cli->memory == 0;
    has = usual && has == 0 ? iso_machine_memory() : has;
    uint64_t machine = usual ? has : 0;
    l->memory = !on ? 0 : cli->memory != 0 ? cli->memory : machine - machine / OTHERS;
    atomic_store(&l->exhausted, 0);
    atomic_store(&lent, 0);
    uint64_t now = l->memory != 0 ? private_bytes() : 0;
    bound = 0;
    if (now != 0 && l->memory < RLIM_INFINITY / 8) {
        most_lent = machine != 0 ? machine / OTHERS / 2 : l->memory > MOST_LENT / 4 ? 4 * l->memory : MOST_LENT;
        bound = now + l->memory + ISO_CLI_SPARE;
        move_bound(bound);
    } else {
        setrlimit(RLIMIT_DATA, &before);
    }
}

uint64_t iso_limits_enough(const char *path, const isolab_history *h) {
    enum { OF_HISTORY = 10, OF_NAMED = 9, OF_FILE = 20 };
    const char *extension = strrchr(path, '.');
    extension = extension != NULL ? extension : "";
    bool packed = strcmp(extension, ".gz") == 0 || strcmp(extension, ".xz") == 0 || strcmp(extension, ".zst") == 0;
    bool named = strncmp(extension, ".json", 5) == 0 || strcmp(extension, ".edn") == 0; /* each item has a name */
    struct stat s;
    if (h == NULL && (packed || stat(path, &s) != 0 || !S_ISREG(s.st_mode))) {
        return 0;
    }
    uint64_t most = h != NULL ? OF_HISTORY * (iso_history_op_bytes(h) + iso_history_txn_bytes(h))
                              : (uint64_t)s.st_size * (named ? OF_NAMED : OF_FILE);
    return ((most >> 20) + 1) << 20;
}

void iso_limits_repay(void) {
    atomic_store(&limits->exhausted, 0);
    if (bound != 0) {
        atomic_store(&lent, 0);
        malloc_trim(0); /* memory that the last checker's libraries freed counts until the system has it */
        move_bound(bound);
    }
}
