/*
  Benchmark of the contact-point methods, not a test: layers of boxes that overlap a little. Prints, for each method, pairs of cells,
  contacts, processor seconds of a whole search on the slowest rank, pairs a second and core, and the balance: largest over mean number of
  pairs of the ranks. Ranks that wait use processor time, so that speed is best measured on one rank.

  bench_points [-cells N] [-repeat N] [-methods "a,b"] [-points_...]     N cells along each edge of a box; default 12, 3 and all
*/
#include <abut/contact_points.h>
#include <string.h>
#include <time.h>

static const char help[] = "Speed of the contact-point methods.\n";

/* Two boxes side by side under two boxes across: four bodies, four contact regions. */
static PetscErrorCode CreateMesh(PetscInt cells, AbutMesh *mesh)
{
  const PetscReal place[4][3] = {{-0.5, 0, 0}, {0.5, 0, 0}, {0, 0.999, -0.5}, {0, 0.999, 0.5}};
  AbutBodySpec    specs[4];

  PetscFunctionBegin;
  for (int b = 0; b < 4; b++) {
    AbutShapeSpec *shape = &specs[b].shape;

    PetscCall(AbutBodySpecInit(&specs[b]));
    PetscCall(PetscSNPrintf(specs[b].name, sizeof(specs[b].name), "box %d", b));
    shape->kind = ABUT_SHAPE_BOX;
    for (int k = 0; k < 3; k++) {
      shape->cells[k]     = cells + (b > 1); /* meshes do not match */
      shape->translate[k] = place[b][k];
      shape->size[k]      = 1;
    }
    shape->size[b < 2 ? 2 : 0] = 2;
  }
  PetscCall(AbutMeshCreate(PETSC_COMM_WORLD, 3, 4, specs, mesh));
  PetscFunctionReturn(0);
}

/* Prints one line; seconds are the least of several searches. */
static PetscErrorCode Measure(AbutMesh mesh, const char method[], PetscInt repeat)
{
  AbutContactPoints        points;
  AbutContactPointsWork    work;
  const AbutPointContacts *found;
  PetscReal                best = PETSC_MAX_REAL, pairs[2];
  PetscMPIInt              size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(AbutContactPointsCreate(mesh, method, &points));
  PetscCall(AbutContactPointsSetFromOptions(points));
  for (PetscInt i = 0; i <= repeat; i++) {
    clock_t start;

    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    start = clock();
    PetscCall(AbutContactPointsFind(points, AbutMeshGetLocal(mesh)->rest, &found));
    if (i > 0) best = PetscMin(best, (PetscReal)(clock() - start) / CLOCKS_PER_SEC);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &best, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  AbutContactPointsGetWork(points, &work);
  pairs[0] = pairs[1] = (PetscReal)work.pairs;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &pairs[0], 1, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &pairs[1], 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-18s %9.0f %9" PetscInt_FMT " %10.4f %14.3g %8.2f\n", method, (double)pairs[0], found->n,
                        (double)best, (double)(pairs[0] / best / size), (double)(pairs[0] > 0 ? pairs[1] * size / pairs[0] : 0)));
  PetscCall(AbutContactPointsDestroy(&points));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(void)
{
  AbutMesh  mesh;
  PetscInt  cells = 12, repeat = 3;
  char      chosen[256] = "";
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-cells", &cells, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeat", &repeat, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-methods", chosen, sizeof(chosen), &given));
  PetscCall(CreateMesh(cells, &mesh));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " cells, %" PetscInt_FMT " surface faces\n",
                        AbutMeshGetLocal(mesh)->global.cells, AbutMeshGetLocal(mesh)->global.faces));
  PetscCall(
    PetscPrintf(PETSC_COMM_WORLD, "%-18s %9s %9s %10s %14s %8s\n", "method", "pairs", "contacts", "cpu_s", "pairs/s/core", "balance"));
  for (int k = 0; AbutContactPointMethodName(k); k++)
    if (!given || strstr(chosen, AbutContactPointMethodName(k))) PetscCall(Measure(mesh, AbutContactPointMethodName(k), repeat));
  PetscCall(AbutMeshDestroy(&mesh));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  PetscErrorCode ierr = AbutInitialize(MPI_COMM_WORLD, &argc, &argv, help);

  if (ierr) return (int)AbutErrorExitCode(ierr);
  ierr = Run();
  if (ierr) (void)PetscPrintf(PETSC_COMM_WORLD, "%s%s\n", AbutErrorMessage(), AbutErrorTrace());
  (void)AbutFinalize();
  return (int)AbutErrorExitCode(ierr);
}
