/**
  @file pressure.h
  @brief Follower pressure on surfaces, and gas in cavities: forces with the energy of a volume.

  The surface of a load consists of the surface faces (2D: edges) of bodies all of whose vertices are selected. With the volume V on its
  outer side, up to a constant, the energy of a pressure p is -p V, and of a gas

  \f[ -\int (p_0 (V_0 / V)^n - p_a)\, dV. \f]

  On a closed surface V is a polynomial of the positions. Where a surface is open, its border is closed by strips from the vertices of the
  border to fixed places. This adds nothing to the forces on free unknowns if the strips lie in planes in which the border slides, or if the
  border is fixed: both ends of each edge of the border must be prescribed in all components, or in the component normal to one plane.
  Elsewhere the work of a pressure depends on the path, and the load is refused.

  The Hessian of a pressure is exact on the free unknowns. A gas adds c z z^T with the gradient z of V, a dense matrix of rank one that
  AbutPressuresGetColumn() returns apart from it.
**/
#pragma once
#include <abut/constraint.h>

/** Surfaces with pressure and cavities with gas. */
typedef struct _p_AbutPressures *AbutPressures;

/** Values of one load for output. */
typedef struct {
  AbutLoadKind kind;     /* pressure or gas */
  PetscInt     load;     /* index into the loads of the scene */
  PetscReal    volume;   /* of a gas; of a pressure the change since the start [m^3, in 2D m^2] */
  PetscReal    pressure; /* absolute pressure of a gas, or pressure [Pa] */
} AbutPressureReport;

/**
  @brief Finds the surfaces of the loads of kind ABUT_LOAD_PRESSURE and ABUT_LOAD_GAS. Collective.
  @param[in]  mesh       borrowed
  @param[in]  num_loads  length of specs
  @param[in]  specs      [num_loads] loads of all kinds; borrowed
  @param[out] pressures  to be freed with AbutPressuresDestroy(); NULL if there is no such load
  Errors: ABUT_ERR_INPUT, with the place of the load: no surface, or no volume of a gas.
**/
PETSC_EXTERN PetscErrorCode AbutPressuresCreate(AbutMesh mesh, PetscInt num_loads, const AbutLoadSpec specs[], AbutPressures *pressures);

/** @brief Frees the object; does nothing if *pressures is NULL. Collective. */
PETSC_EXTERN PetscErrorCode AbutPressuresDestroy(AbutPressures *pressures);

/**
  @brief Sets the factors of tables and time windows in the step [t, t + h], and checks the borders of open surfaces. Collective.
  @param[in] motion  prescribed motion of the step
  @param[in] t       [s] start of the step
  @param[in] h       [s] its length
  @param[in] at_end  as for AbutLoadsEvaluate()
  Errors: ABUT_ERR_INPUT, with the place of the load and of the border.
**/
PETSC_EXTERN PetscErrorCode AbutPressuresBeginStep(AbutPressures pressures, const AbutPrescribedMotion *motion, PetscReal t, PetscReal h,
                                                   PetscBool at_end);

/** @brief Energy at local positions, equal on all ranks [J]; infinite where a cavity has no volume. Collective. */
PETSC_EXTERN PetscErrorCode AbutPressuresEnergy(AbutPressures pressures, const PetscReal x[], PetscReal *energy);

/** @brief Makes the local positions the point of gradient, Hessian, columns and report. Collective. */
PETSC_EXTERN PetscErrorCode AbutPressuresSetState(AbutPressures pressures, const PetscReal x[]);

/** @brief Adds `scale` times the gradient of the energy to local g [num_local * dim]; ghosts are to be summed. Not collective. */
PETSC_EXTERN void AbutPressuresAddGradient(AbutPressures pressures, PetscReal scale, PetscReal g[]);

/**
  @brief Adds the forces of a load on the vertices of its faces, each an equal share of pressure times area, to force [num_owned * dim] [N].
  In the interior of a surface they are minus the gradient of the energy; at its border the gradient has a part of the strips, too.
  Collective.
  @param[in]     pressures  at their last state; NULL adds nothing
  @param[in]     load       index into the loads of the scene; -1: all loads with pressure or gas
  @param[in,out] force      forces on owned vertices
**/
PETSC_EXTERN PetscErrorCode AbutPressuresAddForces(AbutPressures pressures, PetscInt load, PetscReal force[]);

/** @brief Stencils of the Hessian, in global indices; borrowed. Not collective. */
PETSC_EXTERN void AbutPressuresGetPattern(AbutPressures pressures, AbutStencilList *stencils);

/** @brief Adds `scale` times the Hessian without the columns of gases, each face projected as asked. Not collective. */
PETSC_EXTERN PetscErrorCode AbutPressuresAddHessian(AbutPressures pressures, PetscReal scale, AbutProjection projection,
                                                    AbutAssembler assembler);

/** @brief Number of gases; 0 if `pressures` is NULL. Not collective. */
PETSC_EXTERN PetscInt AbutPressuresNumGases(AbutPressures pressures);

/**
  @brief Dense part c z z^T of the Hessian of a gas. Collective.
  @param[in]  gas    index below AbutPressuresNumGases()
  @param[in]  fixed  [num_owned * dim] unknowns whose entries are 0
  @param[out] c      factor, not negative
  @param[out] z      [num_owned * dim] gradient of the volume
**/
PETSC_EXTERN PetscErrorCode AbutPressuresGetColumn(AbutPressures pressures, PetscInt gas, const PetscBool fixed[], PetscReal *c,
                                                   PetscScalar z[]);

/** @brief Values at the last state, equal on all ranks; borrowed. Not collective. @param[out] num  loads */
PETSC_EXTERN const AbutPressureReport *AbutPressuresGetReport(AbutPressures pressures, PetscInt *num);
