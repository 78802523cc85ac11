/* steps.csv, pairs.csv, and what their rows leave for summary.json. */
#pragma once
#include "resultsimpl.h"
#include <petsctime.h>
#include <stdio.h>

/* A CSV file that grows by whole rows, on rank 0. */
typedef struct {
  char  path[PETSC_MAX_PATH_LEN];
  FILE *file;
} AbutTable;

/* Why the last step failed. */
typedef struct {
  PetscInt       step;
  PetscReal      time;
  AbutStepReport report; /* its boundary_place is not used */
  char           bodies[2][80], boundary_place[128], advice[1024];
} AbutFailure;

struct _p_AbutStats {
  AbutMesh       mesh;
  MPI_Comm       comm;
  PetscMPIInt    rank;
  char           directory[PETSC_MAX_PATH_LEN], scene[PETSC_MAX_PATH_LEN];
  AbutTable      steps_csv, pairs_csv;
  PetscLogDouble since;                   /* when the last row was written */
  PetscLogDouble phases[ABUT_NUM_PHASES]; /* this rank's clocks then */
  PetscLogDouble solve;                   /* seconds of rows without set-up and output */
  PetscInt       num_planes;
  PetscInt       first_step, steps, last_step, newton, linear, contacts_max;
  PetscInt       linear_failures, projected, halvings, friction_lags, limits[ABUT_NUM_LIMITS];
  PetscInt       sticking, sliding; /* in the last step */
  PetscReal      contacts_sum, min_gap, time, smallest_dt, friction_residual, energy_friction;
  PetscInt       intersections, inversions; /* -1: never checked */
  PetscBool      converged, failed;
  AbutFailure    failure;
};

/* Seconds since the program started, on this rank. */
PETSC_INTERN PetscErrorCode AbutStatsElapsed(PetscLogDouble *seconds);

/* Tables (table.c), rank 0 only */

/* Opens directory/name with a header, which ends in a newline; with `append` keeps the rows up to first_step, their first column. */
PETSC_INTERN PetscErrorCode AbutTableOpen(AbutTable *table, const char directory[], const char name[], const char header[],
                                          PetscBool append, PetscInt first_step);
/* Appends rows and flushes them. */
PETSC_INTERN PetscErrorCode AbutTablePut(AbutTable *table, const AbutText *rows);
PETSC_INTERN PetscErrorCode AbutTableClose(AbutTable *table);
/* A comma and a number. */
PETSC_INTERN PetscErrorCode AbutTableReal(AbutText *row, PetscReal value);
PETSC_INTERN PetscErrorCode AbutTableInteger(AbutText *row, PetscInt value);
/* A comma and a text in quotes. */
PETSC_INTERN PetscErrorCode AbutTableText(AbutText *row, const char value[]);

/* pairs.csv, opened beside steps.csv. */
PETSC_INTERN PetscErrorCode AbutPairsOpen(AbutStats stats, PetscBool append);

/* JSON (json.c, failure.c) */

PETSC_INTERN PetscErrorCode AbutJSONKey(AbutText *t, int level, const char key[]);
PETSC_INTERN PetscErrorCode AbutJSONInteger(AbutText *t, int level, const char key[], PetscInt value);
PETSC_INTERN PetscErrorCode AbutJSONBool(AbutText *t, int level, const char key[], PetscBool value);
PETSC_INTERN PetscErrorCode AbutJSONString(AbutText *t, int level, const char key[], const char value[]);
/* A count that is unknown while negative. */
PETSC_INTERN PetscErrorCode AbutJSONKnown(AbutText *t, int level, const char key[], PetscInt value);
/* JSON has neither infinity nor nan: null. */
PETSC_INTERN PetscErrorCode AbutJSONReal(AbutText *t, int level, const char key[], PetscReal value);
/* A measured figure, to six decimals. */
PETSC_INTERN PetscErrorCode AbutJSONMeasured(AbutText *t, int level, const char key[], double value);
/* An object "limits" of counts by limiter. */
PETSC_INTERN PetscErrorCode AbutJSONLimits(AbutText *t, int level, const PetscInt limits[]);
PETSC_INTERN PetscErrorCode AbutFailureWriteJSON(AbutText *t, AbutStats stats);
