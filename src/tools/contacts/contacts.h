/* Private to src/tools/contacts: abut contacts. */
#pragma once
#include "results.h"
#include <abut/private/command.h>

#define METHODS_MAX 32

/* A normal that contacts of two bodies should have: an entry of `expected_normals`. */
typedef struct {
  char      body[2][64];     /* names of two bodies or obstacles that are meshes; the name of a grid of copies = all its copies */
  PetscReal normal[3];       /* unit vector from the first body to the second; 0 with follows_centers */
  PetscBool follows_centers; /* the normal is the direction between the current centres of mass */
  PetscInt  contacts;        /* smallest number of contacts with this normal that represents the contact region */
  PetscReal area;            /* [m^2] of the contact region; 0: not known */
  char      place[128];      /* "scene.yaml:12", for messages */
} ExpectedNormalSpec;

/* schema.c: key `expected_normals` of scenes, a list of ExpectedNormalSpec. */
PETSC_INTERN const SceneKey ExpectedNormalsKey;

/* Expected normals of one pair of bodies. */
typedef struct {
  PetscInt            body[2]; /* body[0] < body[1] */
  PetscInt            first;   /* its normals are [first, first + normals.num) in the arrays of Expectations */
  AbutExpectedNormals normals;
} ExpectedPair;

/* Expected normals of a scene, by pairs of bodies in ascending order. */
typedef struct {
  PetscInt      num_pairs, num_normals;
  ExpectedPair *pairs;        /* [num_pairs] */
  PetscReal (*normal)[3];     /* [num_normals] from the body with the lower index to the other */
  PetscReal *area;            /* [num_normals] [m^2]; 0: not known */
  PetscBool *follows_centers; /* [num_normals] the normal is the direction between the current centres of mass */
} Expectations;

/* An assessment in progress. */
typedef struct {
  MPI_Comm             comm;
  char                 directory[PETSC_MAX_PATH_LEN]; /* -o */
  char                 list[PETSC_MAX_PATH_LEN];      /* -method */
  PetscInt             steps;                         /* -steps */
  PetscBool            overwrite;                     /* -overwrite */
  PetscReal            walltime;                      /* [min] -walltime */
  ProgressMode         progress;                      /* -progress */
  PetscReal            angle;                         /* [degrees] -contacts_angle */
  PetscReal            share;                         /* -contacts_share */
  PetscInt             num_methods;
  char                 method[METHODS_MAX][32];
  AbutContactPoints    points[METHODS_MAX]; /* generators of the methods */
  AbutScene           *scene;
  AbutMesh             mesh;
  const AbutMeshLocal *local;
  AbutRigid            rigid; /* NULL without steps, unless an expected normal follows centres of mass */
  Expectations         expected;
  AbutContactResults   results;
  Interrupt            interrupt;
  PetscLogDouble       start; /* [s] wall-clock time at the first method */
} Assessment;

/* bodies.c */
/* Whether the name of a scene means this body: its own name, the name of its grid of copies, or "" for all bodies. */
PETSC_INTERN PetscBool NameMeansBody(const char name[], const AbutBody *body);
/*
  Rigid bodies of the scene: a body is fixed, or moves at a given velocity, if a motion selects all of it. ABUT_ERR_INPUT for other motions,
  loads, and half spaces, which have no contact points. Collective.
*/
PETSC_INTERN PetscErrorCode AssessmentCreateRigid(Assessment *assessment);

/*
  expected.c: resolves names of bodies. A normal is correct up to `angle` [degrees]; it is covered by weight if its contacts have
  at least `share` of the mean force of a normal. Not collective.
*/
PETSC_INTERN PetscErrorCode ExpectationsCreate(const AbutScene *scene, const AbutMeshLocal *local, PetscReal angle, PetscReal share,
                                               Expectations *expected);
PETSC_INTERN PetscErrorCode ExpectationsDestroy(Expectations *expected);
/* Whether a normal follows the centres of mass: ExpectationsUpdate() must set it before each measurement. */
PETSC_INTERN PetscBool ExpectationsFollowCenters(const Expectations *expected);
/*
  Sets the normals that follow centres of mass [Erleben 2018, eq. 6] to the states [num_bodies] of the bodies. Not collective. Errors:
  ABUT_ERR_INPUT if two centres coincide.
*/
PETSC_INTERN PetscErrorCode ExpectationsUpdate(Expectations *expected, const AbutMeshLocal *local, const AbutRigidState state[]);
/* Measures of all pairs together; contacts of pairs without expected normals do not count. */
PETSC_INTERN AbutContactQuality ExpectationsMeasure(const Expectations *expected, const AbutPointContacts *contacts);
/*
  For each contact the largest normal . expected normal, times l or 1 / l <= 1 if the normal had the length l; -2 if none is expected; free
  with PetscFree().
*/
PETSC_INTERN PetscErrorCode ExpectationsMatch(const Expectations *expected, const AbutPointContacts *contacts, PetscReal **match);
/* Contact areas by pair and expected normal [num_normals]; free with PetscFree(). */
PETSC_INTERN PetscErrorCode ExpectationsAreas(const Expectations *expected, const AbutPointContacts *contacts, AbutContactAreaRow **areas);

/* run.c */
/* All methods, each from the starting state; ABUT_ERR_STOPPED after a signal or the wall-clock limit. Collective. */
PETSC_INTERN PetscErrorCode AssessmentRun(Assessment *assessment);
