/* Every mesh of the reference scenes loads and has a closed, outward surface; skipped where the data is absent. */
#define _XOPEN_SOURCE 700
#include "mesh_support.h"
#include <ftw.h>

#define MAX_PATHS 400

static char paths[MAX_PATHS][PETSC_MAX_PATH_LEN];
static int  num_paths;

static int Collect(const char *path, const struct stat *status, int flag, struct FTW *where)
{
  const char *dot = strrchr(path, '.');

  (void)status;
  (void)where;
  if (flag == FTW_F && dot && (!strcmp(dot, ".msh") || !strcmp(dot, ".obj") || !strcmp(dot, ".seg") || !strcmp(dot, ".pt")) &&
      num_paths < MAX_PATHS)
    strncpy(paths[num_paths++], path, PETSC_MAX_PATH_LEN - 1);
  return 0;
}

static void CheckMesh(const char path[])
{
  const PetscBool      body = (PetscBool)!strcmp(strrchr(path, '.'), ".msh");
  AbutBodySpec         spec = FileSpec("mesh", path);
  const AbutMeshLocal *local;
  AbutMesh             mesh;
  PetscReal            sum[2] = {0, 0}, volume;

  spec.obstacle = (PetscBool)!body;
  if (strstr(path, "/point")) strcpy(strrchr(spec.shape.path, '.'), ".pt"); /* vertices only, named .pt by the scenes */
  mesh = MakeMesh(PETSC_COMM_WORLD, 3, 1, &spec, &local);
  assert_true(local->num_global > 0);
  if (body) {
    for (PetscInt f = 0; f < local->num_faces; f++) {
      PetscReal vector[3], middle[3];
      SurfaceVector(local, f, vector, middle);
      sum[0] += AbutDot(3, vector, middle) / 3;
      sum[1] += PetscAbsReal(AbutDot(3, vector, middle)) / 3;
    }
    sum[0] = SumReal(sum[0]);
    sum[1] = SumReal(sum[1]);
    volume = TotalVolume(local);
    if (!(PetscAbsReal(volume - sum[0]) <= 1e-11 * sum[1]))
      fail_msg("%s: volume %g of the cells, %g inside the surface", path, (double)volume, (double)sum[0]);
  }
  AbutTestCall(AbutMeshDestroy(&mesh));
}

static void AllLoad(void **state)
{
  (void)state;
  for (int i = 0; i < num_paths; i++) CheckMesh(paths[i]);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(AllLoad)};

  if (nftw(ABUT_REFERENCE_DIR "/scenes/ipc2020/input", Collect, 16, FTW_PHYS) || !num_paths) {
    printf("SKIPPED: no reference meshes under %s\n", ABUT_REFERENCE_DIR);
    return 77;
  }
  return AbutTestMain(argc, argv, tests);
}
