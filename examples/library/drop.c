/* A rubber ball falls on a floor: builds the mesh, steps it, and reads the state. mpiexec -n 2 build/drop [options of PETSc and abut] */
#include <abut/simulation.h>

static const AbutMaterialSpec rubber = {.name = "rubber", .kind = ABUT_MATERIAL_NEO_HOOKEAN, .young = 1e5, .poisson = 0.4, .density = 1000};
static const AbutPlaneSpec    ground = {.name = "floor", .normal = {0, 1, 0}};

/* A ball above a floor, in SI units. Other members of the specification keep the defaults of a scene. */
static PetscErrorCode Create(MPI_Comm comm, AbutBodySpec *ball, PetscReal *friction, AbutSimulation *sim)
{
  AbutSimulationSpec spec;

  PetscFunctionBegin;
  PetscCall(AbutBodySpecInit(ball));
  PetscCall(PetscStrncpy(ball->name, "ball", sizeof(ball->name)));
  ball->shape.kind         = ABUT_SHAPE_BALL;
  ball->shape.size[0]      = 0.1; /* radius [m] */
  ball->shape.cells[0]     = 5;   /* cells across the radius */
  ball->shape.translate[1] = 0.4; /* height of the centre [m] */
  PetscCall(AbutSimulationSpecInit(&spec));
  spec.num_bodies      = 1;
  spec.bodies          = ball;
  spec.num_materials   = 1;
  spec.materials       = &rubber;
  spec.num_planes      = 1;
  spec.planes          = &ground;
  spec.step.dt         = 0.01;
  spec.step.dt_min     = 0.01;
  spec.step.steps      = 50;
  spec.step.gravity[1] = -9.81;
  spec.step.friction   = (AbutFrictionTable){1, friction, friction};
  PetscCall(AbutSimulationCreate(comm, &spec, sim));
  PetscCall(AbutStepperSetFromOptions(sim->stepper));
  PetscFunctionReturn(0);
}

/* Height of the lowest vertex over all ranks [m]. */
static PetscErrorCode Lowest(const AbutSimulation *sim, PetscReal *lowest)
{
  const AbutMeshLocal *local = sim->local;
  const AbutState     *state = AbutStepperGetState(sim->stepper);

  PetscFunctionBegin;
  *lowest = PETSC_INFINITY;
  for (PetscInt v = 0; v < local->num_owned; v++) *lowest = PetscMin(*lowest, state->x[local->dim * v + 1]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, lowest, 1, MPIU_REAL, MPIU_MIN, sim->comm));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(MPI_Comm comm)
{
  AbutBodySpec   ball; /* lives as long as the simulation, which borrows it */
  PetscReal      friction = 0.3, lowest;
  AbutSimulation sim;
  AbutStepReport report;

  PetscFunctionBegin;
  PetscCall(Create(comm, &ball, &friction, &sim));
  while (!AbutStepperIsDone(sim.stepper)) {
    PetscCall(AbutStepperStep(sim.stepper, &report));
    AbutCheck(report.converged, ABUT_ERR_DIVERGED, "a step did not converge in %" PetscInt_FMT " Newton iterations", report.count.newton);
    PetscCall(Lowest(&sim, &lowest));
    PetscCall(PetscPrintf(comm, "t = %.2f s: lowest vertex at %.4f m, %" PetscInt_FMT " contacts\n",
                          (double)AbutStepperGetState(sim.stepper)->time, (double)lowest, report.contact.count));
  }
  PetscCall(AbutSimulationDestroy(&sim));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  PetscErrorCode code = AbutInitialize(MPI_COMM_WORLD, &argc, &argv, NULL);

  if (code) return AbutErrorExitCode(code);
  code = Run(PETSC_COMM_WORLD);
  if (code) {
    fprintf(stderr, "drop: %s\n", AbutErrorMessage());
    MPI_Abort(MPI_COMM_WORLD, AbutErrorExitCode(code));
  }
  return AbutErrorExitCode(AbutFinalize());
}
