/* Lists what is wrong with a history, for programs: each anomaly as transactions, with their places in the file, and as
 * edges.
 *
 *     gcc anomalies.c -o anomalies $(pkg-config --cflags --libs isolab)
 *     ./anomalies history.jsonl        # the first anomaly of each violated level that has one of its own
 *     ./anomalies history.jsonl ra     # all anomalies at one level
 *
 * A line begins with what it tells, and tabs are between its columns:
 *
 *     anomaly      level  name
 *     happened     sentences, one in each line
 *     transaction  name  session  number in the session  line of the file  start  end
 *     operation    one of this transaction, as isolab text: w x 1
 *     edge         number of the step  kind  from  to  key
 *
 * The exit status is that of `isolab check`: 0 satisfied, 1 violated, 2 unknown, 64 and above for errors. */
#include <inttypes.h>
#include <isolab.h>
#include <stdio.h>

/* Prints a name of the input. Names may have any bytes; a tab or a newline would look like the end of a column. */
static void print_name(const char *text) {
    for (; *text != '\0'; text++) {
        putchar((unsigned char)*text < ' ' ? '?' : *text);
    }
}

static void print_time(int64_t time) {
    if (time == ISOLAB_NO_TIME) {
        printf("\t-");
    } else {
        printf("\t%" PRId64, time);
    }
}

static void print_transaction(const isolab_txn *t) {
    printf("transaction\t");
    print_name(t->name);
    printf("\t");
    print_name(t->session);
    printf("\t%" PRIu64 "\t", t->number_in_session);
    if (t->line != 0) {
        printf("%" PRIu64, t->line);
    } else {
        printf("-");
    }
    print_time(t->start);
    print_time(t->end);
    printf("\n");
}

/* Prints what a transaction of the history did. */
static void print_operations(isolab_reader *reader, uint64_t number) {
    const isolab_op *op;
    isolab_reader_transaction(reader, number);
    for (size_t i = 0; (op = isolab_reader_operation(reader, i)) != NULL; i++) {
        printf("operation\t");
        print_name(op->text);
        printf("\n");
    }
}

static void print_edge(const isolab_edge *e) {
    printf("edge\t%s\t%s\t", e->number, e->kind);
    print_name(e->from_name);
    printf("\t");
    print_name(e->to_name);
    printf("\t");
    print_name(e->key != NULL ? e->key : "-");
    printf("\n");
}

static void print_anomaly(isolab_reader *reader, const isolab_result *r, size_t a) {
    printf("anomaly\t%s\t%s\n", isolab_result_level(r), isolab_anomaly_name(r, a));
    int begins = 1;
    for (const char *at = isolab_anomaly_words(r, a); *at != '\0'; at++) {
        printf(begins ? "happened\t" : "");
        putchar(*at);
        begins = *at == '\n';
    }
    for (size_t i = 0; i < isolab_anomaly_transactions(r, a); i++) {
        print_transaction(isolab_anomaly_transaction(r, a, i));
        print_operations(reader, isolab_anomaly_transaction(r, a, i)->number);
    }
    for (size_t i = 0; i < isolab_anomaly_edges(r, a); i++) {
        print_edge(isolab_anomaly_edge(r, a, i));
    }
}

/* Returns the exit status, or -1: `error` says why there is none. */
static int one_level(const isolab_history *h, isolab_reader *reader, const char *level, isolab_error *error) {
    isolab_options *options = isolab_options_new();
    isolab_result *r = NULL;
    int status = -1;
    *error = (isolab_error){.code = ISOLAB_E_LIMIT, .message = "out of memory"};
    if (options != NULL && isolab_options_set(options, "all", "yes", error) == ISOLAB_OK) {
        r = isolab_check(h, level, options, error);
    }
    if (r != NULL) {
        status = (int)isolab_result_verdict(r);
        for (size_t a = 0; a < isolab_result_anomalies(r); a++) {
            print_anomaly(reader, r, a);
        }
    }
    isolab_result_free(r);
    isolab_options_free(options);
    return status;
}

static int all_levels(const isolab_history *h, isolab_reader *reader, isolab_error *error) {
    isolab_levels *levels = isolab_ladder(h, NULL, error);
    if (levels == NULL) {
        return -1;
    }
    int status = (int)isolab_levels_verdict(levels);
    for (size_t i = 0; isolab_levels_result(levels, i) != NULL; i++) {
        const isolab_result *r = isolab_levels_result(levels, i);
        if (isolab_result_anomalies(r) > 0) {
            print_anomaly(reader, r, 0);
        }
    }
    isolab_levels_free(levels);
    return status;
}

int main(int argc, char **argv) {
    isolab_error error;
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "Usage: anomalies FILE [LEVEL]\n");
        return ISOLAB_E_USAGE;
    }
    isolab_history *h = isolab_open(argv[1], NULL, &error);
    isolab_reader *reader = h != NULL ? isolab_reader_new(h) : NULL;
    int status = -1;
    if (reader != NULL) {
        status = argc == 3 ? one_level(h, reader, argv[2], &error) : all_levels(h, reader, &error);
    } else if (h != NULL) {
        error = (isolab_error){.code = ISOLAB_E_LIMIT, .message = "out of memory"};
    }
    if (status < 0) {
        fprintf(stderr, "anomalies: %s: %s\n", argv[1], error.message);
        status = error.code;
    }
    isolab_reader_free(reader);
    isolab_history_free(h);
    return status;
}
