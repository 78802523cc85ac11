/* What the rows of steps.csv leave for summary.json. */
#pragma once
#include "ioimpl.h"
#include <petsctime.h>
#include <stdio.h>

struct _p_AbutStats {
  AbutMesh       mesh;
  MPI_Comm       comm;
  char           directory[PETSC_MAX_PATH_LEN], csv_path[PETSC_MAX_PATH_LEN], scene[PETSC_MAX_PATH_LEN];
  FILE          *csv;                     /* rank 0 */
  PetscLogDouble since;                   /* when the last row was written */
  PetscLogDouble phases[ABUT_NUM_PHASES]; /* this rank's clocks then */
  PetscLogDouble solve;                   /* seconds of rows without set-up and output */
  PetscInt       first_step, steps, last_step, newton, linear, contacts_max;
  PetscReal      contacts_sum, min_gap, time;
  PetscInt       intersections, inversions; /* -1: never checked */
  PetscBool      converged;
};

/* Seconds since the program started, on this rank. */
PETSC_INTERN PetscErrorCode AbutStatsElapsed(PetscLogDouble *seconds);
