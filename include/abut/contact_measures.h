/**
  @file contact_measures.h
  @brief Measures of the quality of point contacts with known normals [Erleben 2018, Methodology for Assessing Mesh-Based Contact Point
  Methods, section 5].

  All functions work on an array of contacts, for example on the range of one pair of bodies in a sorted list. They are not collective.
**/
#pragma once
#include <abut/contact_points.h>

/** Normals that an exact method would give. */
typedef struct {
  PetscInt num;                 /* number of different normals, > 0 */
  const PetscReal (*normal)[3]; /* [num] unit vectors */
  PetscInt  minimum;            /* smallest number of contacts that describes the contact region, > 0 */
  PetscReal tolerance;          /* [rad] angle up to which a normal counts as correct */
  PetscReal share;              /* least force of a covered normal over the mean force of a normal; force-weighted coverage only */
} AbutExpectedNormals;

/** Measures of a set of contacts. */
typedef struct {
  PetscInt  contacts;          /* number */
  PetscReal quality;           /* [%] contacts with a correct normal; 0 without contacts */
  PetscReal coverage;          /* [%] expected normals that a contact has */
  PetscReal excess;            /* contacts / minimum */
  PetscReal weighted_quality;  /* [%] force of the contacts with a correct normal / total force */
  PetscReal weighted_coverage; /* [%] expected normals whose contacts have at least `share` of the mean force of a normal */
  PetscReal weighted_excess;   /* (sum of forces)^2 / sum of squared forces / minimum */
} AbutContactQuality;

/** Sums over the contacts of one or several pairs of bodies, from which their measures follow. Initialise with zeros. */
typedef struct {
  PetscInt  contacts, correct, normals, covered, carried, minimum; /* covered, carried: normals that contacts have, by number, by force */
  PetscReal force, correct_force, squares;                         /* of the weights; squares: sum of their squares */
} AbutContactSums;

/**
  @brief Adds the contacts of one pair of bodies. Not collective.
  @param[in]     n, contacts  the contacts; forces are their weights >= 0
  @param[in]     expected     normals, directions of the force on body[1]
  @param[in,out] sums         sums
**/
PETSC_EXTERN void AbutContactsAdd(PetscInt n, const AbutPointContact contacts[], const AbutExpectedNormals *expected,
                                  AbutContactSums *sums);

/** @brief Quality, coverage and excess, plain and weighted by the contact force. Not collective. */
PETSC_EXTERN AbutContactQuality AbutContactSumsQuality(const AbutContactSums *sums);

/**
  @brief Contact area: area of the convex hull of the positions projected along a normal [Erleben 2018, eq. 3]. Not collective.
  @param[in]  n, contacts  contacts of one pair of bodies
  @param[in]  normal       unit normal of the plane
  @param[out] area         [m^2]; 0 for fewer than three points or points on a line
**/
PETSC_EXTERN PetscErrorCode AbutContactsArea(PetscInt n, const AbutPointContact contacts[], const PetscReal normal[3], PetscReal *area);

/**
  @brief Convex hull of points in the plane: corners in counter-clockwise order, decided by exact predicates. Not collective.
  @param[in]  n       number of points
  @param[in]  points  [n]
  @param[out] num     number of corners; 1 or 2 if all points coincide or are on a line, 0 if n = 0
  @param[out] corner  [n + 1] their numbers; the first has the lowest first coordinate; allocated by the caller
**/
PETSC_EXTERN PetscErrorCode AbutConvexHull(PetscInt n, const PetscReal (*points)[2], PetscInt *num, PetscInt corner[]);
