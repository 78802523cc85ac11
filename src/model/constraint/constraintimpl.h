/* Private to src/model/constraint: motions, and the augmented Lagrangians of vertices and half spaces. */
#pragma once
#include <abut/constraint.h>

/* Two frames of a sequence in memory; sequence.c */
typedef struct {
  PetscInt   body;     /* body whose vertex positions the frames contain */
  PetscInt   frame[2]; /* frames in the two slots, from 0; -1 = none */
  PetscReal *x[2];     /* [num_owned * dim] positions; only the positions of the body are set */
} FrameBuffer;

/* Subject of a condition: a half space, or vertices; condition.c */
typedef struct {
  PetscInt plane, num_vertices, *vertices; /* plane -1: the owned vertices */
} Subject;

typedef struct {
  const AbutMotionSpec *spec;
  PetscInt              num_vertices, *vertices; /* owned; none if a half space moves */
  FrameBuffer           frames;
  Subject               subject[2];
} Motion;

/* All motions, and the step [t, t + h] that they are evaluated for; motion.c */
typedef struct {
  MPI_Comm             comm;
  AbutMesh             mesh;
  const AbutMeshLocal *ml;
  PetscInt             dim, num_motions, num_planes;
  Motion              *motions;
  const AbutPlaneSpec *planes; /* [num_planes] of the scene */
  AbutMotionState      start;
  PetscReal            t, h; /* [s] */
  /*
    Fraction of the step's motions at the end of which vertices are at their current targets: (piece + 1) / pieces of VertexMotion, thus 1
    unless a vertex turns by more than the angle of a piece.
  */
  PetscReal part;
} Kinematics;

/* Prescribed vertices within one step; vertices.c */
typedef struct {
  AbutBoundaryState *state;      /* [num_owned * dim] */
  PetscReal         *target;     /* [num_owned * dim] positions at the end of the current piece of the motions [m] */
  PetscReal         *multiplier; /* [num_owned * dim] [kg m] */
  PetscBool         *fixed;      /* [num_owned * dim] unknowns that Newton's method does not change */
  PetscBool          pending;    /* targets are not reached: the augmented Lagrangian acts */
  PetscReal          distance;   /* root of the sum of |target - x|^2 at the start of the piece [m] */
  PetscReal          progress;   /* completed fraction of the piece */
  PetscInt           piece;      /* under way, in [0, pieces) */
  PetscInt           pieces;     /* of the step, 1 unless vertices turn by more than the angle of a piece */
} VertexMotion;

/* Half spaces within one step; all have completed the same fraction of their motion; planes.c */
typedef struct {
  AbutRigidMotion    *whole;      /* [num] over the whole step: a shift and a rotation about the normal */
  AbutRigidMotion    *done;       /* [num] completed in this step */
  AbutRigidMotion    *ahead;      /* [num] at the end of the searched line while pending; work space of past motions */
  PetscReal          *point;      /* [num * 3] [m] */
  PetscReal          *step;       /* [num * 3] displacement along the searched line [m] */
  PetscReal           fraction;   /* completed; 1 = all, or no motion */
  PetscReal           rate;       /* increase of the fraction along the searched line */
  PetscReal           multiplier; /* [kg m^2] */
  PetscBool           pending;    /* the fraction is an unknown of Newton's method */
  AbutPlaneSpec      *displaced;  /* [num] half spaces displaced for central differences */
  PetscInt            driven;     /* half space that a force drives, -1: none */
  const AbutLoadSpec *load;       /* of the driven half space; NULL: none */
  PetscReal           unit;       /* travel for a fraction of 1 [m] */
  PetscBool           driving;    /* the position of the half space follows from the force in the step */
  PetscReal           force;      /* of the load on the driven half space in the step, times its factor [kg m] */
  PetscReal           most_force; /* largest of the load */
  PetscReal           inertia;    /* of the driven half space; 0: none [kg] */
  PetscReal           predictor;  /* its travel in the step without the force [m] */
} PlaneMotion;

struct _p_AbutConstraint {
  Kinematics           motions;
  AbutContact          contact;
  AbutPotential        potential;
  AbutFriction         friction; /* NULL without friction */
  AbutLumpedMass       mass;
  PetscReal            penalty; /* per unit mass, in force */
  PetscReal            done;    /* completed fraction of a motion from which on it counts as complete */
  VertexMotion         vertices;
  PlaneMotion          planes;
  AbutTies             ties;   /* NULL without ties */
  AbutPrescribedMotion motion; /* view that AbutConstraintGetMotion() returns */
};

/* motion.c */
PETSC_INTERN PetscErrorCode AbutMotionCheckPlane(const Kinematics *k, const AbutMotionSpec *spec);
/* Whether the motion acts in a part of [t, t + h] and is not stopped. Not collective. */
PETSC_INTERN PetscBool AbutMotionIsActive(const Kinematics *k, PetscInt m, PetscReal t, PetscReal h);
/* Whether the motion moves or holds its vertices in the step. Not collective. */
PETSC_INTERN PetscBool AbutMotionPrescribes(const Kinematics *k, PetscInt m);
/* Length of the part of [t, t + h] in which the motion acts [s]. Not collective. */
PETSC_INTERN PetscReal AbutMotionDuration(const AbutMotionSpec *spec, PetscReal t, PetscReal h);
/* Angle by which the motion turns vertices in [t, t + h] [rad]; 0 for half spaces, which turn about their normals, and for sequences. */
PETSC_INTERN PetscReal AbutMotionAngle(const Kinematics *k, PetscInt m, PetscReal t, PetscReal h);
/* Rigid motions of the half spaces in [t, t + h], with the flags in force. Not collective. */
PETSC_INTERN void AbutMotionsOfPlanes(const Kinematics *k, PetscReal t, PetscReal h, AbutRigidMotion planes[]);
/*
  States of vertices, targets after the fraction k->part of the motions, rigid motions of half spaces for the step [k->t, k->t + k->h].
  Collective.
*/
PETSC_INTERN PetscErrorCode AbutMotionsSetTargets(Kinematics *k, VertexMotion *vertices, AbutRigidMotion planes[]);

/* components.c: error if motions of single components are invalid, or move the same component of a vertex as another motion. Collective. */
PETSC_INTERN PetscErrorCode AbutComponentsCheck(const Kinematics *k);

/* turn.c */
/*
  Number of pieces of the step [k->t, k->t + k->h]: 1 if no vertex turns by more than `most` [rad], else so many that none turns by more
  than half of it in a piece. Collective.
*/
PETSC_INTERN PetscErrorCode AbutTurnPieces(const Kinematics *k, PetscReal most, PetscInt *pieces);
/* Error if a vertex turns by more than is possible in a step of length h. Collective. */
PETSC_INTERN PetscErrorCode AbutTurnCheck(const Kinematics *k, PetscReal h);

/* condition.c */
PETSC_INTERN PetscErrorCode AbutConditionCreate(const Kinematics *k, Motion *motion);
/* Measures at the start state; a condition that becomes true acts on its motion if that is active in the step. Collective. */
PETSC_INTERN PetscErrorCode AbutConditionsUpdate(Kinematics *k);

/* sequence.c */
PETSC_INTERN PetscErrorCode AbutSequenceCreate(const Kinematics *k, Motion *motion);
/* Writes the positions at a time into the motion's entries of target. Collective. */
PETSC_INTERN PetscErrorCode AbutSequenceSetTargets(const Kinematics *k, Motion *motion, PetscReal time, PetscReal target[]);

/* vertices.c */
/* Fixes held vertices, and moving ones unless they are pending. Not collective. */
PETSC_INTERN void AbutVertexMotionSetFixed(const Kinematics *k, VertexMotion *v);
/* Root of the sum of |target - x|^2 over moving vertices, over all ranks [m]. Collective. */
PETSC_INTERN PetscErrorCode AbutVertexMotionRemaining(const Kinematics *k, const VertexMotion *v, const PetscReal x[], PetscReal *distance);
/* Root of the sum of |target - x|^2 over the vertices of each motion: remaining[num_motions] [m]. Collective. */
PETSC_INTERN PetscErrorCode AbutMotionsRemaining(const Kinematics *k, const VertexMotion *v, const PetscReal x[], PetscReal remaining[]);

/* Penalty of an unknown: the diagonal of the Hessian [kg]; 0 unless its motion is incomplete. Not collective. */
PETSC_INTERN PetscReal AbutVertexMotionPenalty(AbutConstraint c, PetscInt unknown);

/* drive.c */
/* Finds the load on a half space. Collective. Errors: ABUT_ERR_INPUT with its place. */
PETSC_INTERN PetscErrorCode AbutDriveCreate(const AbutModelParts *parts, AbutConstraint c);
/* Sets the motion of the driven half space to its unit of travel, if a force acts in the step. Not collective. */
PETSC_INTERN void AbutDriveSetUnit(AbutConstraint c);
/* Largest distance by which the contacts of the driven half space are within dhat [m]; 0 without contact. Collective. */
PETSC_INTERN PetscErrorCode AbutDriveDepth(AbutConstraint c, PetscReal dhat, PetscReal *depth);
/* Energy of the force on the driven half space and of its inertia at a travel in the step [J s^2]. Not collective. */
static inline PetscReal AbutDriveEnergy(const PlaneMotion *p, PetscReal travel)
{
  return p->inertia / 2 * PetscSqr(travel - p->predictor) - p->force * travel;
}
/* Derivative of this energy by the travel [kg m]. Not collective. */
static inline PetscReal AbutDriveSlope(const PlaneMotion *p, PetscReal travel)
{
  return p->inertia * (travel - p->predictor) - p->force;
}
/* Whether a half space is driven by a force now. Not collective. */
static inline PetscBool AbutDriveIsActive(AbutConstraint c)
{
  return (PetscBool)(c->planes.pending && c->planes.driving);
}

/* planes.c */
PETSC_INTERN PetscBool AbutPlaneMotionIsAny(const Kinematics *k, const PlaneMotion *p);
/*
  Records the completed fraction, and the points of the half spaces at which the last search found candidates; updates contact and friction.
  Not collective.
*/
PETSC_INTERN PetscErrorCode AbutPlaneMotionSet(AbutConstraint c, PetscReal fraction);
/* Largest displacement of a half space along its normal, and largest displacement, over the whole step [m]. Not collective. */
PETSC_INTERN void AbutPlaneMotionLongest(AbutConstraint c, PetscReal *approach, PetscReal *displacement);
/* Second derivative of the augmented Lagrangian by the fraction [kg m^2]. Not collective. */
PETSC_INTERN PetscReal AbutPlaneMotionPenalty(AbutConstraint c);
/* Multiplier update of the augmented Lagrangian. Not collective. */
PETSC_INTERN void AbutPlaneMotionUpdateMultiplier(AbutConstraint c);
