/* The subcommands of the tools. */
#pragma once
#include <abut/private/command.h>

PETSC_INTERN const AbutCommand AbutCommandContacts; /* src/tools/contacts */
PETSC_INTERN const AbutCommand AbutCommandDeform;   /* src/tools/animation */
PETSC_INTERN const AbutCommand AbutCommandResolve;  /* src/tools/resolve: deform -resolve; run -restart_interpolate */
