/* collectors/play.h: a play sees nothing of another play on the same database. collectors/derive.c: the scripts of a
 * history. */
#include "collectors/play.h"

#include <string.h>

#include "collectors/database.h"
#include "formats/format.h"
#include "tests/guarded.h"

typedef struct plays {
    iso_database db;
    iso_pool *pool;
    iso_script *script;
    iso_played first, second;
} plays;

static void play_twice(void *arg) {
    plays *p = arg;
    iso_play(p->pool, &p->db, p->script, 0, 200000000, &p->first);
    iso_play(p->pool, &p->db, p->script, p->script->n_keys, 200000000, &p->second);
}

static void keys(iso_pool *pool) {
    static const iso_option options[] = {{ISO_TEXT("level", NULL, "")},   {ISO_COUNT("lock-wait", "50", 0, 1e6, "")},
                                         {ISO_FLAG("durable", "no", "")}, {ISO_FLAG("spawn", "no", "")},
                                         {ISO_TEXT("folder", NULL, "")},  ISO_END};
    const iso_option *tables[ISO_ARG_TABLES] = {options, NULL};
    iso_args *args = ISO_NEW(pool, iso_args, 1);
    plays *p = ISO_ZNEW(pool, plays, 1);
    iso_args_init(args, pool, "sqlite", tables);
    iso_database_init(&p->db, iso_collector_find("sqlite"), args, &(iso_workload){.n_keys = 4});
    p->pool = pool;
    p->script = iso_script_parse(pool, "A begin\nA read x\nA read y\nA write x 1\nA write y 2\nA commit\n");
    iso_with_database(&p->db, play_twice, p);
    ok(p->first.left[0].value == 1 && p->first.left[1].value == 2, "a play leaves what it wrote");
    ok(p->second.steps[1].cell.value == ISO_NO_VALUE && p->second.steps[2].cell.value == ISO_NO_VALUE,
       "another play on the same database reads nothing of it");
}

static const isolab_history *history(iso_pool *pool, const char *text) {
    return iso_load_bytes(pool, text, strlen(text), iso_format_find("jsonl"));
}

/* A history of many sessions that no order of steps explains: the search ends, and each order has all steps. */
static void orders(iso_pool *pool) {
    static char text[40000];
    int n = 0;
    for (int i = 0; i < 120; i++) {
        n += snprintf(
            text + n, sizeof text - (size_t)n,
            "{\"session\":%d,\"id\":%d,\"status\":\"committed\",\"ops\":[[\"r\",\"x\",%d],[\"r\",\"y\",%d],[\"w\","
            "\"x\",%d],[\"w\",\"y\",%d]]}\n",
            i % 16, i, 1 + (i + 7) % 120, 1 + (i + 60) % 120, i + 1, i + 1);
    }
    bool all = true;
    for (const iso_script *s = iso_script_of(pool, history(pool, text)); s != NULL; s = s->next) {
        all &= s->n == 120 * 6;
    }
    ok(all, "a history that no order explains has orders of all its steps");
}

static void tests(void *arg) {
    keys(arg);
    orders(arg);
}

int main(void) {
    static iso_env env;
    return run_guarded(&env, tests);
}
