/* Mass, centre of mass and inertia of meshes against closed forms. */
#include "boxes.h"

static const PetscReal none[3] = {0, 0, 0};

static void Open(const AbutBodySpec *spec, PetscReal density, AbutMesh *mesh, AbutRigid *rigid, AbutRigidMass *mass)
{
  const AbutRigidMass *all;
  AbutRigidState      *state;

  AbutTestCall(AbutMeshCreate(PETSC_COMM_WORLD, 3, 1, spec, mesh));
  AbutTestCall(AbutRigidCreate(*mesh, &density, none, rigid));
  AbutTestCall(AbutRigidGetBodies(*rigid, &all, &state));
  *mass = all[0];
}

static void Measure(const AbutBodySpec *spec, PetscReal density, AbutRigidMass *mass)
{
  AbutMesh  mesh;
  AbutRigid rigid;

  Open(spec, density, &mesh, &rigid, mass);
  AbutTestCall(AbutRigidDestroy(&rigid));
  AbutTestCall(AbutMeshDestroy(&mesh));
}

/* A box of 1 x 2 x 3 m, turned by 30 degrees about z, far from the origin. */
static void BoxTurned(void **test)
{
  const PetscReal m = 2000. * 6, inertia[3] = {m * (4 + 9) / 12, m * (1 + 9) / 12, m * (1 + 4) / 12}, c = 0.75, s = 0.25;
  const PetscReal xy = PetscSqrtReal(c * s) * (inertia[0] - inertia[1]), center[3] = {1000, -2000, 3000};
  const PetscReal expected[9] = {c * inertia[0] + s * inertia[1], xy, 0, xy, s * inertia[0] + c * inertia[1], 0, 0, 0, inertia[2]};
  Boxes           b           = {0};
  AbutBodySpec   *spec        = BoxesAdd(&b, 1, 2, 3, 1000, -2000, 0);
  AbutRigidMass   mass;

  (void)test;
  spec->shape.translate[2] = 3000;
  spec->shape.rotate[2]    = 30;
  Measure(spec, 2000, &mass);
  AbutTestClose("mass", 1, &mass.mass, &m, 1e-12);
  AbutTestClose("centre", 3, mass.center, center, 1e-13);
  for (int k = 0; k < 9; k++) assert_true(PetscAbsReal(mass.inertia[k] - expected[k]) < 1e-9 * m);
}

/* The tetrahedron with the vertices 0, e1, e2, e3: its centre is not that of its bounding box. */
static void OneTetrahedron(void **test)
{
  const PetscReal quarter[3] = {0.25, 0.25, 0.25}, a = 1. / 80, p = 1. / 480, sixth = 1. / 6;
  const PetscReal expected[9] = {a, p, p, p, a, p, p, p, a};
  AbutBodySpec    spec;
  AbutRigidMass   mass;
  PetscMPIInt     rank;

  (void)test;
  AbutTestCall(AbutBodySpecInit(&spec));
  strcpy(spec.name, "tetrahedron");
  snprintf(spec.shape.path, sizeof(spec.shape.path), "rigid_tetrahedron.msh");
  assert_int_equal(MPI_Comm_rank(PETSC_COMM_WORLD, &rank), 0);
  if (!rank) {
    FILE *file = fopen(spec.shape.path, "w");
    assert_non_null(file);
    fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
                  "$Elements\n1\n1 4 2 0 0 1 2 3 4\n$EndElements\n");
    assert_int_equal(fclose(file), 0);
  }
  Measure(&spec, 1, &mass);
  AbutTestClose("mass", 1, &mass.mass, &sixth, 1e-15);
  AbutTestClose("centre", 3, mass.center, quarter, 1e-15);
  AbutTestClose("inertia", 9, mass.inertia, expected, 1e-15);
}

/* Meshes of a ball of radius 2: volume and inertia 2/5 m r^2 converge with the square of the cell size. */
static void Ball(void **test)
{
  const PetscReal r = 2, volume = 4. / 3 * PETSC_PI * r * r * r;
  PetscReal       error[2][2];

  (void)test;
  for (int level = 0; level < 2; level++) {
    AbutBodySpec  spec;
    AbutRigidMass mass;
    AbutTestCall(AbutBodySpecInit(&spec));
    strcpy(spec.name, "ball");
    spec.shape.kind     = ABUT_SHAPE_BALL;
    spec.shape.size[0]  = r;
    spec.shape.cells[0] = 6 << level;
    Measure(&spec, 3, &mass);
    error[level][0] = 1 - mass.mass / (3 * volume);
    error[level][1] = 1 - mass.inertia[4] / (0.4 * 3 * volume * r * r);
    assert_true(BoxesNorm(mass.center) < 1e-2 * r);
  }
  for (int k = 0; k < 2; k++) {
    const PetscReal order = PetscLog2Real(error[0][k] / error[1][k]);
    print_message("%s: error %.2e, order %.2f\n", k ? "inertia" : "mass", (double)error[1][k], (double)order);
    assert_true(error[1][k] > 0 && error[1][k] < 0.05);
    assert_true(order > 1.7 && order < 2.3);
  }
}

/* Bodies without mass: density 0, and obstacles; the state starts at the centre of the box. */
static void WithoutMass(void **test)
{
  Boxes b = {0};

  (void)test;
  BoxesAdd(&b, 1, 1, 1, 4, 5, 0);
  BoxesAdd(&b, 1, 1, 1, 0, 0, 1)->obstacle = PETSC_TRUE;
  BoxesOpen(&b, PETSC_COMM_WORLD);
  assert_true(b.mass[0].mass == 0 && b.mass[1].mass == 0);
  assert_true(b.state[0].center[0] == 4 && b.state[0].center[1] == 5 && b.state[1].center[0] == 0);
  BoxesClose(&b);
}

static void BadInput(void **test)
{
  Boxes     b     = {0};
  AbutRigid rigid = NULL;

  (void)test;
  BoxesAdd(&b, 1, 1, 1, 0, 0, -1);
  AbutTestCall(AbutMeshCreate(PETSC_COMM_WORLD, 3, b.num, b.spec, &b.mesh));
  assert_int_equal(AbutRigidCreate(b.mesh, b.density, none, &rigid), ABUT_ERR_INPUT);
  assert_null(rigid);
  assert_non_null(strstr(AbutErrorMessage(), "density -1"));
  AbutErrorClear();
  AbutTestCall(AbutMeshDestroy(&b.mesh));
  AbutTestCall(AbutMeshCreate(PETSC_COMM_WORLD, 2, b.num, b.spec, &b.mesh));
  b.density[0] = 1;
  assert_int_equal(AbutRigidCreate(b.mesh, b.density, none, &rigid), ABUT_ERR_INPUT);
  assert_non_null(strstr(AbutErrorMessage(), "three-dimensional"));
  AbutErrorClear();
  AbutTestCall(AbutMeshDestroy(&b.mesh));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(BoxTurned), cmocka_unit_test(OneTetrahedron), cmocka_unit_test(Ball),
                                     cmocka_unit_test(WithoutMass), cmocka_unit_test(BadInput)};
  return AbutTestMain(argc, argv, tests);
}
