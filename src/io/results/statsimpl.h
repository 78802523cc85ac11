/* Tables steps.csv and pairs.csv, and the totals of their rows for summary.json. */
#pragma once
#include "resultsimpl.h"
#include <petsctime.h>
#include <stdio.h>

/* A CSV file to which rank 0 appends whole rows. */
typedef struct {
  char     path[PETSC_MAX_PATH_LEN];
  FILE    *file;
  PetscInt last; /* step of the last row that was kept from an earlier run; without a file of that run, the step at which this one starts */
} AbutTable;

/* The last step, if it failed. */
typedef struct {
  PetscInt       step;
  PetscReal      time;
  AbutStepReport report;              /* its boundary_place is not used */
  char           bodies[2][80];       /* names of the two sides of the limiting pair */
  char           boundary_place[128]; /* copy of report.boundary_place, "" for NULL */
  char           advice[1024];
} AbutFailure;

/* Sums and extremes over the rows of this run. */
typedef struct {
  PetscInt       steps, last_step; /* number of rows, step of the last one */
  PetscReal      time;             /* [s] at the end of the last step */
  AbutStepCounts count;            /* sums */
  PetscInt       halvings, limits[ABUT_NUM_LIMITS];
  PetscInt       sticking, sliding; /* friction contacts of the last step */
  PetscInt       contacts_max;
  PetscReal      contacts_sum, min_gap, smallest_dt, friction_residual, energy_friction;
  PetscReal      imbalance;                 /* largest */
  PetscInt       unbalanced, at_round_off;  /* steps that missed solver.balance; whose imbalance above it is round-off */
  PetscInt       intersections, inversions; /* -1: never checked */
  PetscBool      converged;                 /* all steps */
} AbutTotals;

struct _p_AbutStats {
  AbutMesh       mesh;
  MPI_Comm       comm;
  PetscMPIInt    rank;
  char           directory[PETSC_MAX_PATH_LEN], scene[PETSC_MAX_PATH_LEN];
  AbutTable      steps_csv, pairs_csv;
  PetscLogDouble since;                   /* time at the last row */
  PetscLogDouble phases[ABUT_NUM_PHASES]; /* this rank's phase clocks at the last row */
  PetscLogDouble solve;                   /* wall time of all steps without set-up and output [s] */
  PetscInt       num_planes, first_step;
  AbutTotals     totals;
  PetscBool      failed; /* `failure` is set */
  AbutFailure    failure;
};

/* Seconds since the program started, on this rank. Not collective. */
PETSC_INTERN PetscErrorCode AbutStatsElapsed(PetscLogDouble *seconds);

/* Tables (table.c), rank 0 only */

/*
  Opens directory/name with a header, which ends in a newline. With `append` the rows of an earlier run stay whose first column is at most
  first_step; ABUT_ERR_INPUT if that run wrote another header. ABUT_ERR_IO if the file cannot be written.
*/
PETSC_INTERN PetscErrorCode AbutTableOpen(AbutTable *table, const char directory[], const char name[], const char header[],
                                          PetscBool append, PetscInt first_step);
/* Appends rows, flushes them and frees the text; does nothing if there are none. */
PETSC_INTERN PetscErrorCode AbutTablePut(AbutTable *table, AbutText *rows);
PETSC_INTERN void           AbutTableClose(AbutTable *table);
/* A comma and a number. */
PETSC_INTERN void AbutTableReal(AbutText *row, PetscReal value);
PETSC_INTERN void AbutTableInteger(AbutText *row, PetscInt value);
/* A comma and a quoted text. */
PETSC_INTERN void AbutTableText(AbutText *row, const char value[]);

/* Columns of pairs.csv (pairs.c). */
PETSC_INTERN const char AbutPairsHeader[];

/* Members of JSON objects (json.c, failure.c); `level` is the depth of indentation */

PETSC_INTERN void AbutJSONKey(AbutText *t, int level, const char key[]);
PETSC_INTERN void AbutJSONInteger(AbutText *t, int level, const char key[], PetscInt value);
PETSC_INTERN void AbutJSONBool(AbutText *t, int level, const char key[], PetscBool value);
PETSC_INTERN void AbutJSONString(AbutText *t, int level, const char key[], const char value[]);
/* A count, null if it is negative. */
PETSC_INTERN void AbutJSONKnown(AbutText *t, int level, const char key[], PetscInt value);
/* A number, null if it is infinite or nan. */
PETSC_INTERN void AbutJSONReal(AbutText *t, int level, const char key[], PetscReal value);
/* A measured quantity with six decimals. */
PETSC_INTERN void AbutJSONMeasured(AbutText *t, int level, const char key[], double value);
/* An object "limits": line searches by limiter. */
PETSC_INTERN void AbutJSONLimits(AbutText *t, int level, const PetscInt limits[]);
PETSC_INTERN void AbutFailureWriteJSON(AbutText *t, AbutStats stats);
