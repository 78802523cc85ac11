/**
  @file simulation.h
  @brief The objects of a simulation, created from plain data: mesh, elasticity, contact, potential and stepper.

  Usage, with error checks left out:

      AbutSimulationSpec spec;
      AbutSimulation     sim;
      AbutStepReport     report;

      AbutSimulationSpecInit(&spec);               // the defaults of a scene; then bodies, materials and step of the caller
      AbutSimulationCreate(comm, &spec, &sim);
      AbutStepperSetFromOptions(sim.stepper);
      while (!AbutStepperIsDone(sim.stepper)) AbutStepperStep(sim.stepper, &report);
      AbutSimulationDestroy(&sim);

  AbutSceneGetSimulation() fills the plain data from a scene file.
**/
#pragma once
#include <abut/time.h>

/** Bodies, obstacles, motions, loads and time steps. The arrays are borrowed until AbutSimulationDestroy(). */
typedef struct {
  PetscInt                dim;           /**< 2 or 3 */
  PetscInt                num_bodies;    /**< bodies, then obstacles that are meshes */
  PetscInt                num_materials; /**< entries of `materials` */
  PetscInt                num_planes;    /**< entries of `planes` */
  PetscInt                num_motions;   /**< entries of `motions` */
  PetscInt                num_loads;     /**< entries of `loads` */
  const AbutBodySpec     *bodies;        /**< [num_bodies] */
  const AbutMaterialSpec *materials;     /**< [num_materials] */
  const AbutPlaneSpec    *planes;        /**< [num_planes] half spaces at time 0 */
  const AbutMotionSpec   *motions;       /**< [num_motions] */
  const AbutLoadSpec     *loads;         /**< [num_loads] */
  AbutStepSpec            step;          /**< time steps, contact and stopping tests */
  PetscInt                num_ties;      /**< entries of `ties` */
  const AbutTieSpec      *ties;          /**< [num_ties] */
} AbutSimulationSpec;

/** Objects of a simulation, in the order of the layers. */
typedef struct {
  MPI_Comm             comm;      /**< of all objects */
  AbutMesh             mesh;      /**< distributed mesh */
  const AbutMeshLocal *local;     /**< part of the mesh on this rank */
  AbutElastic          elastic;   /**< materials of the cells */
  AbutContact          contact;   /**< search and collision detection */
  AbutPotential        potential; /**< contact potential */
  AbutStepper          stepper;   /**< time steps; AbutStepperGetState() has positions and velocities */
} AbutSimulation;

/**
  @brief Sets the defaults of a scene: 3D, implicit Euler, `ipc`, no friction, no gravity, forces balanced to 1 %; no bodies, and no
  length of time steps (dt, dt_min, steps). Not collective.
**/
PETSC_EXTERN PetscErrorCode AbutSimulationSpecInit(AbutSimulationSpec *spec);

/**
  @brief Creates the objects, and reads the options of the contact search. Collective.
  @param[in]  comm  communicator of all objects
  @param[in]  spec  plain data; the struct is copied, its arrays are borrowed
  @param[out] sim   the objects; to be freed with AbutSimulationDestroy(), also after an error
  Errors: as the functions that create the objects; ABUT_ERR_INPUT with the place in the scene.
**/
PETSC_EXTERN PetscErrorCode AbutSimulationCreate(MPI_Comm comm, const AbutSimulationSpec *spec, AbutSimulation *sim);

/** @brief Frees the objects that exist. Collective. */
PETSC_EXTERN PetscErrorCode AbutSimulationDestroy(AbutSimulation *sim);
