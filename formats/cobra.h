/* Special numbers in Cobra's logs, and their writer. cobra.c reads the logs. */
#ifndef ISOLAB_FORMATS_COBRA_H
#define ISOLAB_FORMATS_COBRA_H

#include "formats/format.h"

#define ISO_COBRA_INIT 0xbebeebeeu    /* the initial transaction, its writes */
#define ISO_COBRA_NULL 0xdeadbeefu    /* no writer: also the initial value */
#define ISO_COBRA_UNKNOWN 0xabddefeeu /* the collector did not know the writer */
#define ISO_COBRA_GC_1 0x23332333u    /* marks of garbage collection */
#define ISO_COBRA_GC_2 0x66666666u

/* A folder without logs that has this file is a history without sessions. */
#define ISO_COBRA_EMPTY "no-sessions"

void iso_cobra_survey(const isolab_history *h, iso_losses *losses);
void iso_cobra_write(const isolab_history *h, iso_sink *sink);
void iso_cobra_duplicate_survey(const isolab_history *h, iso_losses *losses);
void iso_cobra_duplicate_write(const isolab_history *h, iso_sink *sink);

#endif
