/* Reads histories for commands. See load.h. */
#include "cli/load.h"

#include "base/json.h"
#include "base/print.h"
#include "history/initial.h"
#include "history/torn.h"

static iso_initial_rule rule_of(const iso_cli_reading *reading) {
    iso_initial_rule rule = ISO_INITIAL_AUTO;
    if (reading->transaction != NULL) {
        iso_initial_rule_of(reading->transaction, &rule); /* one of the option's words */
    }
    return rule;
}

isolab_history *iso_cli_load(iso_cli *cli, iso_pool *pool, const char *path, const iso_cli_reading *reading) {
    return iso_load_as(pool, path, iso_cli_format(cli, reading->format),
                       &(const iso_reading){.initial = reading->initial,
                                            .rule = rule_of(reading),
                                            .truncated = reading->truncated,
                                            .threads = (unsigned)reading->threads});
}

void iso_cli_doubt(iso_cli *cli, const isolab_history *h, const char *path, const iso_cli_reading *reading) {
    char torn[ISO_TORN_SIZE];
    if (iso_torn_text(h, torn)[0] != '\0') {
        iso_say(stderr, "isolab: %s: %s\n", path, torn);
    }
    uint32_t alone =
        h->taken.n_txns == 0 && rule_of(reading) == ISO_INITIAL_AUTO ? iso_initial_alone(&cli->item, h) : ISO_NONE;
    if (alone != ISO_NONE) {
        char name[ISO_NAME_SIZE];
        iso_say(stderr,
                "isolab: %s: transaction %s writes the initial value of every key, and is not the first one: if the "
                "history "
                "began with it, say --initial-transaction yes\n",
                path, iso_txn_text(h, alone, name));
    }
    uint32_t n_keys;
    iso_atom number = reading->initial == NULL ? iso_initial_number(&cli->item, h, &n_keys) : iso_atom_nil();
    if (number.kind != ISO_ATOM_NIL) {
        char value[ISO_NAME_SIZE];
        iso_atom_text(h, number, value);
        iso_say(stderr,
                "isolab: %s: reads of %u key%s returned %s, which no transaction wrote: if registers begin at %s, say "
                "--initial %s\n",
                path, n_keys, n_keys == 1 ? "" : "s", value, value, value);
    }
}

void iso_cli_tell_initial(iso_cli *cli, const isolab_history *h, const char *path, const iso_cli_reading *reading) {
    char text[ISO_TAKEN_SIZE];
    if (iso_taken_text(h, text)[0] != '\0') {
        iso_say(stderr, "isolab: %s: %s\n", path, text);
    }
    iso_cli_doubt(cli, h, path, reading);
}

void iso_cli_tell_repeated(const isolab_history *h, const char *path) {
    if (h->twin_b != ISO_NONE) {
        iso_say(
            stderr,
            "isolab: %s: values are repeated (%u key%s, %u values), so that a read may be from several writes: this "
            "is slower, and finds less; with unique values every read names its write\n",
            path, h->n_keys, h->n_keys == 1 ? "" : "s", h->n_versions);
    }
}

void iso_cli_json_clock(iso_json *json, const isolab_history *h, const iso_clock *c) {
    char text[ISO_CLOCK_SIZE], name[ISO_NAME_SIZE];
    iso_json_open(json, "clock", '{');
    iso_json_text(json, "text", iso_clock_text(h, c, text));
    iso_json_count(json, "places", c->places);
    iso_json_count(json, "contradictions", c->contradictions);
    iso_json_text(json, "earlier", iso_txn_text(h, c->earlier, name));
    iso_json_text(json, "later", iso_txn_text(h, c->later, name));
    iso_json_close(json, '}');
}

void iso_cli_json_suspects(iso_json *json, const isolab_history *h, const iso_suspects *s) {
    char text[ISO_SUSPECT_SIZE], name[ISO_NAME_SIZE];
    if (s->n == 0) {
        return;
    }
    iso_json_open(json, "suspects", '[');
    for (int k = 0; k < ISO_SUSPECTS; k++) {
        const iso_suspicion *one = &s->of[k];
        if (one->places == 0) {
            continue;
        }
        iso_json_open(json, NULL, '{');
        iso_json_text(json, "name", iso_suspect_name((iso_suspect_kind)k));
        iso_json_text(json, "text", iso_suspect_text(h, s, (iso_suspect_kind)k, text));
        iso_json_text(json, "advice", iso_suspect_advice((iso_suspect_kind)k));
        iso_json_count(json, "places", one->places);
        iso_json_open(json, "transactions", '[');
        if (one->a != ISO_NONE) {
            iso_json_text(json, NULL, iso_txn_text(h, one->a, name));
        }
        if (one->b != ISO_NONE) {
            iso_json_text(json, NULL, iso_txn_text(h, one->b, name));
        }
        iso_json_close(json, ']');
        iso_json_text(json, "key", one->key != ISO_NONE ? iso_key_text(h, one->key, name) : NULL);
        iso_json_close(json, '}');
    }
    iso_json_close(json, ']');
}

void iso_cli_json_read(iso_json *json, const isolab_history *h) {
    const iso_taken *t = &h->taken;
    char name[ISO_NAME_SIZE], torn[ISO_TORN_SIZE];
    if (iso_torn_text(h, torn)[0] != '\0') {
        iso_json_open(json, "torn", '{');
        iso_json_text(json, "text", torn);
        iso_json_count(json, "reads", h->torn_reads);
        iso_json_close(json, '}');
    }
    iso_json_count(json, "initial_unwritten", t->n_unwritten);
    if (t->last_line != 0) {
        iso_json_count(json, "truncated", t->last_line);
    } else {
        iso_json_text(json, "truncated", NULL);
    }
    if (t->n_txns == 0) {
        iso_json_text(json, "initial_transaction", NULL);
        return;
    }
    iso_json_open(json, "initial_transaction", '{');
    iso_json_count(json, "transactions", t->n_txns);
    iso_json_text(json, "first", t->txn.kind != ISO_ATOM_NIL ? iso_atom_text(h, t->txn, name) : NULL);
    iso_json_text(json, "session", t->session.kind != ISO_ATOM_NIL ? iso_atom_text(h, t->session, name) : NULL);
    iso_json_count(json, "keys", t->n_keys);
    iso_json_close(json, '}');
}
