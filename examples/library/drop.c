/* A rubber ball falls on a floor: builds the mesh, steps it, and reads the state. mpiexec -n 2 build/drop [options of PETSc and abut] */
#include <abut/time.h>
#include <string.h>

typedef struct {
  AbutMesh      mesh;
  AbutElastic   elastic;
  AbutContact   contact;
  AbutPotential potential;
  AbutStepper   stepper;
} Model;

static const AbutMaterialSpec rubber = {.name = "rubber", .kind = ABUT_MATERIAL_NEO_HOOKEAN, .young = 1e5, .poisson = 0.4, .density = 1000};
static const AbutPlaneSpec    ground = {.name = "floor", .normal = {0, 1, 0}};

/* Time steps and contact, in SI units. A quantity {1e-3, PETSC_TRUE} is 1e-3 times the diagonal of the bounding box of the bodies. */
static AbutStepSpec Steps(PetscReal *friction)
{
  return (AbutStepSpec){.dt             = 0.01,
                        .dt_min         = 0.01,
                        .steps          = 50,
                        .gravity        = {0, -9.81, 0},
                        .potential      = "ipc",
                        .dhat           = {1e-3, PETSC_TRUE},
                        .tolerance      = {1e-2, PETSC_TRUE},
                        .friction       = {1, friction, friction},
                        .friction_speed = {1e-3, PETSC_TRUE},
                        .friction_lags  = 1,
                        .max_newton     = 100};
}

/* Everything that the stepper refers to must live as long as it does. */
static PetscErrorCode Create(MPI_Comm comm, Model *model)
{
  AbutBodySpec ball;
  PetscReal    friction = 0.3;
  AbutStepSpec steps    = Steps(&friction);

  PetscFunctionBegin;
  PetscCall(AbutBodySpecInit(&ball));
  PetscCall(PetscStrncpy(ball.name, "ball", sizeof(ball.name)));
  ball.shape.kind         = ABUT_SHAPE_BALL;
  ball.shape.size[0]      = 0.1; /* radius [m] */
  ball.shape.cells[0]     = 5;   /* cells across the radius */
  ball.shape.translate[1] = 0.4; /* height of the centre [m] */
  PetscCall(AbutMeshCreate(comm, 3, 1, &ball, &model->mesh));
  PetscCall(AbutElasticCreate(model->mesh, 1, &rubber, &model->elastic));
  PetscCall(AbutContactCreate(model->mesh, 1, &ground, &model->contact));
  PetscCall(AbutPotentialCreate(comm, steps.potential, &model->potential));
  PetscCall(AbutStepperCreate(&(AbutModelParts){.mesh       = model->mesh,
                                                .elastic    = model->elastic,
                                                .contact    = model->contact,
                                                .potential  = model->potential,
                                                .num_planes = 1,
                                                .planes     = &ground},
                              &steps, &model->stepper));
  PetscCall(AbutStepperSetFromOptions(model->stepper));
  PetscFunctionReturn(0);
}

static PetscErrorCode Destroy(Model *model)
{
  PetscFunctionBegin;
  PetscCall(AbutStepperDestroy(&model->stepper));
  PetscCall(AbutPotentialDestroy(&model->potential));
  PetscCall(AbutContactDestroy(&model->contact));
  PetscCall(AbutElasticDestroy(&model->elastic));
  PetscCall(AbutMeshDestroy(&model->mesh));
  PetscFunctionReturn(0);
}

/* Height of the lowest vertex over all ranks [m]. */
static PetscErrorCode Lowest(MPI_Comm comm, const Model *model, PetscReal *lowest)
{
  const AbutMeshLocal *local = AbutMeshGetLocal(model->mesh);
  const AbutState     *state = AbutStepperGetState(model->stepper);

  PetscFunctionBegin;
  *lowest = PETSC_INFINITY;
  for (PetscInt v = 0; v < local->num_owned; v++) *lowest = PetscMin(*lowest, state->x[local->dim * v + 1]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, lowest, 1, MPIU_REAL, MPIU_MIN, comm));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(MPI_Comm comm)
{
  Model          model = {0};
  AbutStepReport report;
  PetscReal      lowest;

  PetscFunctionBegin;
  PetscCall(Create(comm, &model));
  while (!AbutStepperIsDone(model.stepper)) {
    PetscCall(AbutStepperStep(model.stepper, &report));
    AbutCheck(report.converged, ABUT_ERR_DIVERGED, "a step did not converge in %" PetscInt_FMT " Newton iterations", report.count.newton);
    PetscCall(Lowest(comm, &model, &lowest));
    PetscCall(PetscPrintf(comm, "t = %.2f s: lowest vertex at %.4f m, %" PetscInt_FMT " contacts\n",
                          (double)AbutStepperGetState(model.stepper)->time, (double)lowest, report.contact.count));
  }
  PetscCall(Destroy(&model));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  PetscErrorCode code = AbutInitialize(&argc, &argv, NULL);

  if (code) return AbutErrorExitCode(code);
  code = Run(PETSC_COMM_WORLD);
  if (code) {
    fprintf(stderr, "drop: %s\n", AbutErrorMessage());
    MPI_Abort(MPI_COMM_WORLD, AbutErrorExitCode(code));
  }
  return AbutErrorExitCode(AbutFinalize());
}
