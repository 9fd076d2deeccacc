/* The program: finds the command, applies the common options, and turns errors into exit statuses. */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/print.h"
#include "cli/command.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "graph/handlers.h"

#define COMMAND(name) extern const iso_command iso_command_##name;
#define COMMAND_CALLED(name, called) COMMAND(name)
#include "cli/commands.def"
#undef COMMAND
#undef COMMAND_CALLED

const iso_command_entry iso_commands[] = {
#define COMMAND(name) {#name, &iso_command_##name},
#define COMMAND_CALLED(name, called) {called, &iso_command_##name},
#include "cli/commands.def"
#undef COMMAND
#undef COMMAND_CALLED
    {NULL, NULL}};

void iso_print_error(const isolab_error *e) {
    iso_clear_progress();
    if (!iso_output_tells(e)) {
        return;
    }
    iso_say(stderr, "isolab: ");
    if (e->file[0] != '\0') {
        iso_say(stderr, "%s: ", e->file);
    }
    if (e->line != 0) {
        iso_say(stderr, "line %" PRIu64 ": ", e->line);
    }
    if (e->offset != ISOLAB_NO_OFFSET) {
        iso_say(stderr, "byte %" PRIu64 ": ", e->offset);
    }
    iso_say(stderr, "%s\n", e->message);
}

/* The limits of the running command, which the signal handler changes; it uses no other object. */
static iso_limits *running;

/* The first interrupt ends the work as unknown; a second one ends the program (SA_RESETHAND). */
static void interrupt(int signal_number) {
    (void)signal_number;
    atomic_store(&running->interrupted, 1);
}

/* Whether the terminal shows a line of progress. The line appears after a fifth of a second, and changes ten times a
 * second and at each new phase. */
static bool shown;
static iso_env *watched;

static void progress(void *arg, const char *phase, uint64_t done, uint64_t total) {
    static int64_t next;
    static char last[64];
    (void)arg;
    int64_t now = iso_now();
    if (next == 0) {
        next = now + 200000000;
    }
    if (now < next && (!shown || strncmp(phase, last, sizeof last - 1) == 0)) {
        return;
    }
    next = now + 100000000;
    snprintf(last, sizeof last, "%s", phase);
    shown = true;
    iso_say(stderr, "\r\033[K%s", phase);
    if (total != 0) {
        iso_say(stderr, ": %.0f %%", 100 * (double)done / (double)total);
    } else if (done != 0) {
        iso_say(stderr, ": %" PRIu64, done);
    }
    iso_say(stderr, "\r");
}

void iso_clear_progress(void) {
    watched->phase = NULL;
    if (shown) {
        iso_say(stderr, "\r\033[K");
        shown = false;
    }
}

typedef struct command_state {
    iso_cli *cli;
    const iso_command_entry *entry;
    int argc;
    char **argv;
    int status;
} command_state;

static void run_command(void *arg) {
    command_state *state = arg;
    iso_cli *cli = state->cli;
    const iso_command *c = state->entry->command;
    if (c->refine != NULL) {
        c = c->refine(cli, c, state->argc, state->argv);
    }
    char *values = iso_zalloc(&cli->pool, c->size + 1, 1);
    if (c->defaults != NULL) {
        memcpy(values, c->defaults, c->size);
    }
    int n = iso_parse(cli, c, values, state->argc, state->argv);
    if (cli->help) {
        iso_help(stdout, &(const iso_command_entry){state->entry->name, c});
        return;
    }
    iso_limits_apply(cli, true);
    state->status = c->run(cli, values, n, state->argv);
}

static int no_command(const char *name) {
    if (name == NULL) {
        iso_say(stderr, "isolab: expected a command; `isolab help` lists them\n");
        return ISOLAB_E_USAGE;
    }
    char hint[128];
    iso_say(stderr, "isolab: there is no command \"%s\"%s\n", name,
            iso_did_you_mean(name, ISO_OF_COMMANDS, NULL, hint));
    return ISOLAB_E_USAGE;
}

static int dispatch(iso_cli *cli, int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : NULL;
    if (name != NULL && strcmp(name, "--version") == 0) {
        iso_say(stdout, "isolab %s\n", ISOLAB_VERSION);
        return ISOLAB_OK;
    }
    if (name != NULL && (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)) {
        if (argc < 3) {
            iso_help_all(stdout);
            return ISOLAB_OK;
        }
        cli->help = true;
        name = argv[2];
    }
    const iso_command_entry *entry = iso_commands;
    while (entry->name != NULL && (name == NULL || strcmp(entry->name, name) != 0)) {
        entry++;
    }
    if (entry->name == NULL) {
        return no_command(name);
    }
    cli->command = entry->name;
    command_state state = {cli, entry, cli->help ? argc - 3 : argc - 2, cli->help ? argv + 3 : argv + 2, ISOLAB_OK};
    int code = iso_guard(&cli->env, run_command, &state);
    if (code == ISOLAB_OK) {
        return state.status;
    }
    iso_print_error(&cli->env.error);
    if (code == ISOLAB_E_USAGE) {
        iso_say(stderr, "Try `isolab %s --help`.\n", entry->name);
    }
    return code;
}

int main(int argc, char **argv) {
    static iso_cli cli;
    iso_env_init(&cli.env);
    iso_pool_init(&cli.pool, &cli.env);
    iso_pool_init(&cli.item, &cli.env);
    iso_install_handlers();
    watched = &cli.env;
    running = cli.env.limits;
    iso_limits_install(running);
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* a write then fails with an I/O error: see output.h */
    signal(SIGXFSZ, SIG_IGN); /* the same for a file that may not grow */
    if (isatty(STDERR_FILENO)) {
        cli.env.progress = progress;
    }
    int status = dispatch(&cli, argc, argv);
    iso_pool_free(&cli.item);
    iso_pool_free(&cli.pool);
    iso_clear_progress();
    return iso_output_end(status);
}
