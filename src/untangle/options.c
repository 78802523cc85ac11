/* Numeric options of abut deform -resolve. */
#include "untangleimpl.h"

static const AbutOption options[] = {{"-abut_resolve_gap", ABUT_OPTION_REAL, offsetof(AbutUntangleConstants, gap), 1, 1e-3, 10, "dhat",
                                      "Smallest distance between two bodies afterwards"},
                                     {"-abut_resolve_tau", ABUT_OPTION_REAL, offsetof(AbutUntangleConstants, tau), -2, -100, 100, "",
                                      "Extent of the contact zones in standard deviations of the depth; smaller values give larger zones"},
                                     {"-abut_resolve_passes", ABUT_OPTION_INT, offsetof(AbutUntangleConstants, max_passes), 10, 1, 1000, "",
                                      "Largest number of passes of the contact deformer"}};
const AbutOptionTable   AbutUntangleOptions = {"Intersections at the start", PETSC_STATIC_ARRAY_LENGTH(options), options};
