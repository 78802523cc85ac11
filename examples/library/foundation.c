/*
  A term of your own: a block rests on a slab, and springs hold the slab, all on a slope of tangent 0.2. With enough friction the block stays,
  and the springs carry the weight of both.
  mpiexec -n 2 build/foundation [-friction 0.4] [options of PETSc and abut]
*/
#include <abut/time.h>

enum { SLAB, BLOCK, NUM_BODIES };

static const AbutMaterialSpec materials[] = {
  {.name = "wood", .kind = ABUT_MATERIAL_NEO_HOOKEAN, .young = 1e7, .poisson = 0.3, .density = 1000},
  {.name = "rubber", .kind = ABUT_MATERIAL_NEO_HOOKEAN, .young = 1e6, .poisson = 0.4, .density = 1000},
};
static const PetscReal gravity[3]      = {1.924, -9.620, 0}; /* [m/s^2] */
static const PetscReal step            = 0.01;               /* [s] */
static const PetscReal total_stiffness = 1e5;                /* of all springs together [N/m] */

/* Springs between the vertices of the slab and their positions at rest. */
typedef struct {
  const AbutMeshLocal *local;     /* part of the mesh on this rank */
  PetscReal            stiffness; /* of one spring [N/m] */
} Springs;

static PetscReal NumVertices(const AbutMeshLocal *local, PetscInt body)
{
  return (PetscReal)(local->bodies[body].vertex_end - local->bodies[body].vertex_start);
}

/* Factor c^2 of forces in the objective [s^2]: the square of the step for implicit Euler, see abut/objective.h. */
static PetscReal Factor(void)
{
  return PetscSqr(step);
}

static PetscErrorCode Energy(void *ctx, const AbutTrial *trial, PetscReal *energy)
{
  const Springs *springs = (const Springs *)ctx;
  const PetscInt dim     = springs->local->dim;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < springs->local->num_owned * dim; i++) {
    if (springs->local->vertex_body[i / dim] != SLAB) continue;
    *energy += Factor() * springs->stiffness / 2 * PetscSqr(trial->x[i] - springs->local->rest[i]);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode AddGradient(void *ctx, const AbutTrial *iterate, PetscReal g[])
{
  const Springs *springs = (const Springs *)ctx;
  const PetscInt dim     = springs->local->dim;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < springs->local->num_owned * dim; i++) {
    if (springs->local->vertex_body[i / dim] != SLAB) continue;
    g[i] += Factor() * springs->stiffness * (iterate->x[i] - springs->local->rest[i]);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode AddHessian(void *ctx, const AbutTrial *iterate, AbutProjection projection, AbutAssembler assembler)
{
  const Springs *springs = (const Springs *)ctx;

  PetscFunctionBegin;
  (void)iterate, (void)projection;
  for (PetscInt v = 0; v < springs->local->num_owned; v++) {
    const PetscReal k = springs->local->vertex_body[v] == SLAB ? Factor() * springs->stiffness : 0, diagonal[3] = {k, k, k};
    AbutAssemblerAddDiagonal(assembler, v, diagonal);
  }
  PetscFunctionReturn(0);
}

static const AbutTermOps springs_term = {
  .name             = "springs",
  .kind             = ABUT_ENERGY_OTHER,
  .phase            = ABUT_PHASE_ELASTIC,
  .energy           = Energy,
  .addownedgradient = AddGradient,
  .addhessian       = AddHessian,
};

typedef struct {
  AbutMesh      mesh;
  AbutElastic   elastic;
  AbutContact   contact;
  AbutPotential potential;
  AbutStepper   stepper;
  Springs       springs;
} Model;

static PetscErrorCode CreateMesh(MPI_Comm comm, AbutMesh *mesh)
{
  static const PetscReal size[NUM_BODIES][3]  = {{1, 0.1, 0.4}, {0.2, 0.2, 0.2}}; /* [m] */
  static const PetscInt  cells[NUM_BODIES][3] = {{10, 1, 4}, {3, 3, 3}};
  AbutBodySpec           bodies[NUM_BODIES];

  PetscFunctionBegin;
  for (PetscInt b = 0; b < NUM_BODIES; b++) {
    PetscCall(AbutBodySpecInit(&bodies[b]));
    PetscCall(PetscStrncpy(bodies[b].name, b == SLAB ? "slab" : "block", sizeof(bodies[b].name)));
    PetscCall(PetscArraycpy(bodies[b].shape.size, size[b], 3));
    PetscCall(PetscArraycpy(bodies[b].shape.cells, cells[b], 3));
    bodies[b].shape.kind = ABUT_SHAPE_BOX;
    bodies[b].material   = b;
  }
  bodies[BLOCK].shape.translate[1] = 0.151; /* 1 mm above the slab [m] */
  PetscCall(AbutMeshCreate(comm, 3, NUM_BODIES, bodies, mesh));
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateStepper(Model *model, PetscReal friction)
{
  const AbutModelParts parts = {.mesh = model->mesh, .elastic = model->elastic, .contact = model->contact, .potential = model->potential};
  const AbutStepSpec   spec  = {.dt             = step,
                                .dt_min         = step,
                                .steps          = 100,
                                .gravity        = {gravity[0], gravity[1], gravity[2]},
                                .potential      = "ipc",
                                .dhat           = {1e-3, PETSC_FALSE},
                                .tolerance      = {1e-4, PETSC_FALSE},
                                .friction       = {1, &friction, &friction},
                                .friction_speed = {1e-3, PETSC_FALSE},
                                .friction_lags  = 1,
                                .max_newton     = 100};

  PetscFunctionBegin;
  PetscCall(AbutStepperCreate(&parts, &spec, &model->stepper));
  PetscCall(AbutStepperSetFromOptions(model->stepper));
  PetscFunctionReturn(0);
}

static PetscErrorCode Create(MPI_Comm comm, Model *model)
{
  PetscReal friction = 0.4;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-friction", &friction, NULL));
  PetscCall(CreateMesh(comm, &model->mesh));
  PetscCall(AbutElasticCreate(model->mesh, NUM_BODIES, materials, &model->elastic));
  PetscCall(AbutContactCreate(model->mesh, 0, NULL, &model->contact));
  PetscCall(AbutPotentialCreate(comm, "ipc", &model->potential));
  PetscCall(CreateStepper(model, friction));
  model->springs.local     = AbutMeshGetLocal(model->mesh);
  model->springs.stiffness = total_stiffness / NumVertices(model->springs.local, SLAB);
  PetscCall(AbutObjectiveAddTerm(AbutStepperGetObjective(model->stepper), &springs_term, &model->springs));
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

/* Mean displacement of the vertices of each body over all ranks [m]. */
static PetscErrorCode MeanDisplacements(MPI_Comm comm, const Model *model, PetscReal mean[NUM_BODIES][3])
{
  const AbutMeshLocal *local = model->springs.local;
  const AbutState     *state = AbutStepperGetState(model->stepper);

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(&mean[0][0], NUM_BODIES * 3));
  for (PetscInt i = 0; i < local->num_owned * local->dim; i++) {
    const PetscInt body = local->vertex_body[i / local->dim];
    mean[body][i % local->dim] += (state->x[i] - local->rest[i]) / NumVertices(local, body);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, mean, NUM_BODIES * 3, MPIU_REAL, MPIU_SUM, comm));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(MPI_Comm comm)
{
  Model          model = {0};
  AbutStepReport report;
  PetscReal      mean[NUM_BODIES][3];

  PetscFunctionBegin;
  PetscCall(Create(comm, &model));
  while (!AbutStepperIsDone(model.stepper)) {
    PetscCall(AbutStepperStep(model.stepper, &report));
    AbutCheck(report.converged, ABUT_ERR_DIVERGED, "a step did not converge in %" PetscInt_FMT " Newton iterations", report.count.newton);
    PetscCall(MeanDisplacements(comm, &model, mean));
    PetscCall(PetscPrintf(comm, "t = %.2f s: springs carry %.2f N along and %.2f N across the slope, slip of the block %.5f m\n",
                          (double)AbutStepperGetState(model.stepper)->time, (double)(total_stiffness * mean[SLAB][0]),
                          (double)(-total_stiffness * mean[SLAB][1]), (double)(mean[BLOCK][0] - mean[SLAB][0])));
  }
  PetscCall(Destroy(&model));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  PetscErrorCode code = AbutInitialize(MPI_COMM_WORLD, &argc, &argv, NULL);

  if (code) return AbutErrorExitCode(code);
  code = Run(PETSC_COMM_WORLD);
  if (code) {
    fprintf(stderr, "foundation: %s\n", AbutErrorMessage());
    MPI_Abort(MPI_COMM_WORLD, AbutErrorExitCode(code));
  }
  return AbutErrorExitCode(AbutFinalize());
}
