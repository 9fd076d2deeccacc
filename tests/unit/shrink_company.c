/* shrink/company.c: a slice with the writes that were made beside it. */
#include <string.h>

#include "formats/format.h"
#include "shrink/shrink.h"
#include "tests/guarded.h"

static const isolab_history *history(iso_pool *pool, const char *text) {
    return iso_load_bytes(pool, text, strlen(text), iso_format_find("jsonl"));
}

/* t1 writes x and reads an older value; t2 writes x at the same time, t3 later, t4 another key. */
static void tests(void *arg) {
    iso_pool *pool = arg;
    static const char all[] =
        "{\"session\":0,\"id\":1,\"status\":\"committed\",\"start\":10,\"end\":20,\"ops\":[[\"w\",\"x\",1],[\"r\","
        "\"x\",null]]}\n"
        "{\"session\":1,\"id\":2,\"status\":\"committed\",\"start\":11,\"end\":12,\"ops\":[[\"r\",\"y\",null],[\"w\","
        "\"x\",2]]}\n"
        "{\"session\":1,\"id\":3,\"status\":\"committed\",\"start\":21,\"end\":22,\"ops\":[[\"w\",\"x\",3]]}\n"
        "{\"session\":2,\"id\":4,\"status\":\"committed\",\"start\":11,\"end\":19,\"ops\":[[\"w\",\"y\",4],[\"r\","
        "\"x\",2]]}\n";
    static const char slice[] = "{\"session\":0,\"id\":1,\"status\":\"committed\",\"start\":10,\"end\":20,\"ops\":[["
                                "\"w\",\"x\",1],[\"r\",\"x\",null]]}\n";
    const isolab_history *h = iso_with_company(pool, history(pool, all), history(pool, slice));
    ok(h != NULL && h->n_txns == 2 && h->n_ops == 3,
       "a slice gets the writes of its keys at the same time, and no more");
    ok(iso_with_company(pool, history(pool, slice), history(pool, slice)) == NULL, "none where there are none");
}

int main(void) {
    static iso_env env;
    return run_guarded(&env, tests);
}
