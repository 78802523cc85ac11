/* Numeric options of abut deform -resolve. */
#include "untangleimpl.h"

static const AbutOption options[] = {{"-abut_resolve_gap", ABUT_OPTION_REAL, offsetof(AbutUntangleConstants, gap), 1, 1e-3, 10, "dhat",
                                      "Smallest distance between two bodies afterwards"}};
const AbutOptionTable   AbutUntangleOptions = {"Intersections at the start", PETSC_STATIC_ARRAY_LENGTH(options), options};
