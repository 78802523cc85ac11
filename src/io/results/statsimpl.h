/* Tables steps.csv, pairs.csv and motions.csv, and the totals of their rows for summary.json. */
#pragma once
#include "resultsimpl.h"
#include <petsctime.h>

/* Hosts of the ranks of a communicator, in the order of their lowest ranks. */
typedef struct {
  PetscMPIInt count;
  char (*names)[MPI_MAX_PROCESSOR_NAME]; /* [count]; free with PetscFree() */
} AbutHosts;

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
  PetscInt       unbalanced, at_round_off;  /* steps with an imbalance above solver.balance: of real forces; of round-off */
  PetscInt       intersections, inversions; /* -1: never checked */
  PetscBool      converged;                 /* all steps */
} AbutTotals;

struct _p_AbutStats {
  AbutMesh       mesh;
  MPI_Comm       comm;
  PetscMPIInt    rank;
  char           directory[PETSC_MAX_PATH_LEN], scene[PETSC_MAX_PATH_LEN];
  char           scene_hash[ABUT_SHA256_SIZE];                    /* of the file at the start; on rank 0 */
  AbutTable      steps_csv, pairs_csv, motions_csv, cavities_csv; /* the last one only with a gas */
  PetscLogDouble since;                                           /* time at the last row */
  PetscLogDouble phases[ABUT_NUM_PHASES];                         /* this rank's phase clocks at the last row */
  PetscLogDouble solve;                                           /* wall time of all steps without set-up and output [s] */
  PetscBool      dissipates;                                      /* AbutStatsSpec.dissipates */
  PetscInt       num_planes, first_step;
  AbutTotals     totals;
  PetscReal      mesh_error;      /* AbutStatsSetMeshError() */
  PetscInt       mesh_error_body; /* -1: none */
  PetscBool      failed;          /* `failure` is set */
  AbutFailure    failure;
};

/* Columns of pairs.csv (pairs.c). */
PETSC_INTERN const char AbutPairsHeader[];
/* Columns of cavities.csv (cavities.c). */
PETSC_INTERN const char AbutCavitiesHeader[];

/* Columns of motions.csv (motions.c). */
PETSC_INTERN const char AbutMotionsHeader[];

/* Members of JSON objects (json.c, failure.c) */

/* A count, null if it is negative. */
PETSC_INTERN void AbutJSONKnown(AbutText *t, int level, const char key[], PetscInt value);
/* An object "limits": line searches by limiter. */
PETSC_INTERN void AbutJSONLimits(AbutText *t, int level, const PetscInt limits[]);
PETSC_INTERN void AbutFailureWriteJSON(AbutText *t, AbutStats stats);
/* A text, null if it is NULL. */
PETSC_INTERN void AbutJSONText(AbutText *t, int level, const char key[], const char value[]);

/* Origin of a run (sha256.c, provenance.c) */

/* Hosts, on rank 0; none on other ranks. Collective. */
PETSC_INTERN PetscErrorCode AbutHostsGather(MPI_Comm comm, AbutHosts *hosts);
/* Members of summary.json; `seconds`: since the start of the program. Not collective. */
PETSC_INTERN PetscErrorCode AbutProvenanceWrite(AbutText *t, AbutStats stats, const AbutHosts *hosts, double seconds);
