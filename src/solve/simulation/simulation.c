/* Creates the objects of a simulation from plain data, in the order of the layers. */
#include <abut/simulation.h>

static const PetscReal frictionless[] = {0};

PetscErrorCode AbutSimulationSpecInit(AbutSimulationSpec *spec)
{
  PetscFunctionBegin;
  *spec      = (AbutSimulationSpec){.dim = 3};
  spec->step = (AbutStepSpec){.integrator     = ABUT_INTEGRATOR_EULER,
                              .friction       = {1, (PetscReal *)frictionless, (PetscReal *)frictionless},
                              .friction_speed = {1e-3, PETSC_TRUE},
                              .friction_most  = 100,
                              .strategy       = ABUT_STRATEGY_ADAPTIVE,
                              .tolerance      = {1e-2, PETSC_TRUE},
                              .balance        = 0.01,
                              .max_newton     = 1000,
                              .potential      = "ipc",
                              .orientation    = {.alpha = 0.5},
                              .dhat           = {1e-3, PETSC_TRUE}};
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSimulationCreate(MPI_Comm comm, const AbutSimulationSpec *spec, AbutSimulation *sim)
{
  PetscFunctionBegin;
  *sim = (AbutSimulation){.comm = comm};
  PetscCall(AbutMeshCreate(comm, spec->dim, spec->num_bodies, spec->bodies, &sim->mesh));
  sim->local = AbutMeshGetLocal(sim->mesh);
  PetscCall(AbutElasticCreate(sim->mesh, spec->num_materials, spec->materials, &sim->elastic));
  PetscCall(AbutContactCreate(sim->mesh, spec->num_planes, spec->planes, &sim->contact));
  PetscCall(AbutContactSetFromOptions(sim->contact)); /* the stepper's creation already searches */
  PetscCall(AbutPotentialCreate(comm, spec->step.potential, &sim->potential));
  PetscCall(AbutPotentialSetSpec(sim->potential, &spec->step.orientation));
  PetscCall(AbutStepperCreate(&(AbutModelParts){.mesh        = sim->mesh,
                                                .elastic     = sim->elastic,
                                                .contact     = sim->contact,
                                                .potential   = sim->potential,
                                                .num_planes  = spec->num_planes,
                                                .num_motions = spec->num_motions,
                                                .num_loads   = spec->num_loads,
                                                .planes      = spec->planes,
                                                .motions     = spec->motions,
                                                .loads       = spec->loads,
                                                .num_ties    = spec->num_ties,
                                                .ties        = spec->ties},
                              &spec->step, &sim->stepper));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSimulationDestroy(AbutSimulation *sim)
{
  PetscFunctionBegin;
  PetscCall(AbutStepperDestroy(&sim->stepper));
  PetscCall(AbutPotentialDestroy(&sim->potential));
  PetscCall(AbutContactDestroy(&sim->contact));
  PetscCall(AbutElasticDestroy(&sim->elastic));
  PetscCall(AbutMeshDestroy(&sim->mesh));
  PetscFunctionReturn(0);
}
