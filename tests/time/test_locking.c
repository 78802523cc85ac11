/*
  Problems in which linear cells are too stiff: bending with one cell over the thickness, and two of nearly incompressible materials.
  Closed forms where they exist. The results with linear cells are printed beside, and must be wrong: otherwise the problem tests nothing.
*/
#include "equilibrium.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
  AbutMesh             mesh;
  const AbutMeshLocal *local;
  AbutElastic          elastic;
  PetscReal           *x, *load; /* [num_local * dim] */
  PetscBool           *fixed;    /* [num_owned * dim] */
} Problem;

static void Create(PetscInt dim, const AbutBodySpec *spec, const AbutMaterialSpec *material, Problem *p)
{
  PetscInt n;

  AbutTestCall(AbutMeshCreate(PETSC_COMM_WORLD, dim, 1, spec, &p->mesh));
  p->local = AbutMeshGetLocal(p->mesh);
  AbutTestCall(AbutElasticCreate(p->mesh, 1, material, &p->elastic));
  n = p->local->num_local * dim;
  AbutTestCall(PetscMalloc1(n, &p->x));
  AbutTestCall(PetscCalloc1(n, &p->load));
  AbutTestCall(PetscCalloc1(p->local->num_owned * dim, &p->fixed));
  memcpy(p->x, p->local->rest, sizeof(*p->x) * (size_t)n);
}

static void Destroy(Problem *p)
{
  AbutTestCall(PetscFree(p->x));
  AbutTestCall(PetscFree(p->load));
  AbutTestCall(PetscFree(p->fixed));
  AbutTestCall(AbutElasticDestroy(&p->elastic));
  AbutTestCall(AbutMeshDestroy(&p->mesh));
}

/* Traction t on the surface parts whose vertices all have the coordinate x_axis = value at rest. */
static void AddTraction(const Problem *p, PetscInt axis, PetscReal value, const PetscReal t[])
{
  const PetscInt dim = p->local->dim, num = dim == 3 ? p->local->num_faces : p->local->num_edges;

  for (PetscInt k = 0; k < num; k++) {
    const PetscInt *v       = (dim == 3 ? p->local->faces : p->local->edges) + dim * k;
    PetscReal       e[2][3] = {{0}}, normal[3], area;
    PetscBool       on      = PETSC_TRUE;

    for (PetscInt i = 0; i < dim; i++) on = (PetscBool)(on && PetscAbsReal(p->local->rest[dim * v[i] + axis] - value) < 1e-9);
    if (!on) continue;
    e[1][2] = dim == 2;
    for (PetscInt i = 1; i < dim; i++)
      for (PetscInt d = 0; d < dim; d++) e[i - 1][d] = p->local->rest[dim * v[i] + d] - p->local->rest[dim * v[0] + d];
    AbutCross(e[0], e[1], normal);
    area = PetscSqrtReal(AbutDot(3, normal, normal)) * (dim == 3 ? 0.5 : 1);
    for (PetscInt i = 0; i < dim; i++)
      for (PetscInt d = 0; d < dim; d++) p->load[dim * v[i] + d] -= area / (PetscReal)dim * t[d];
  }
}

static void Fix(Problem *p, PetscInt axis, PetscReal value)
{
  const PetscInt dim = p->local->dim;

  for (PetscInt v = 0; v < p->local->num_owned; v++)
    for (PetscInt i = 0; i < dim; i++) p->fixed[dim * v + i] = (PetscBool)(PetscAbsReal(p->local->rest[dim * v + axis] - value) < 1e-9);
}

/* Mean of a component of the displacement over the owned vertices with x_axis = value at rest. */
static PetscReal MeanAt(const Problem *p, PetscInt axis, PetscReal value, PetscInt component)
{
  const PetscInt dim    = p->local->dim;
  PetscReal      sum[2] = {0, 0};

  for (PetscInt v = 0; v < p->local->num_owned; v++)
    if (PetscAbsReal(p->local->rest[dim * v + axis] - value) < 1e-9) {
      sum[0] += p->x[dim * v + component] - p->local->rest[dim * v + component];
      sum[1] += 1;
    }
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD), 0);
  return sum[0] / sum[1];
}

static AbutBodySpec Shape(AbutShapeKind kind, PetscInt order)
{
  AbutBodySpec spec;

  AbutTestCall(AbutBodySpecInit(&spec));
  strcpy(spec.name, "body");
  strcpy(spec.place, "test");
  spec.shape.kind  = kind;
  spec.shape.order = order;
  return spec;
}

/* Tip of a cantilever of length 10 and unit section over that of Timoshenko's beam. */
static PetscReal Cantilever(PetscInt dim, PetscInt order)
{
  const AbutMaterialSpec material = {.name = "m", .kind = ABUT_MATERIAL_LINEAR, .young = 1e6, .poisson = 0, .density = 1000};
  const PetscReal        length = 10, force = 1, t[3] = {0, force, 0},
                  beam = force * length * length * length / (3 * 1e6 / 12.) + 1.2 * force * length / (1e6 / 2);
  AbutBodySpec spec    = Shape(ABUT_SHAPE_BOX, order);
  PetscReal    tip;
  Problem      p;

  for (int d = 0; d < 3; d++) {
    spec.shape.size[d]  = d ? 1 : length;
    spec.shape.cells[d] = d ? 1 : 10;
  }
  Create(dim, &spec, &material, &p);
  Fix(&p, 0, -length / 2);
  AddTraction(&p, 0, length / 2, t);
  Equilibrium(p.mesh, p.elastic, p.load, p.fixed, 1, p.x);
  tip = MeanAt(&p, 0, length / 2, 1) / beam;
  AbutTestCall(PetscPrintf(PETSC_COMM_WORLD, "cantilever, %dD, order %d: tip over beam theory %.4f\n", (int)dim, (int)order, (double)tip));
  Destroy(&p);
  return tip;
}

static void TestCantilever(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    assert_true(PetscAbsReal(Cantilever(dim, 2) - 1) < 0.01);
    assert_true(Cantilever(dim, 1) < 0.8);
  }
}

static const PetscReal inner = 0.5, outer = 1.5, poisson = 0.4999, young = 1e6;

/* Radial displacement of a thick cylinder under the pressure 1 kPa inside, plane strain [Lame]. */
static PetscReal Lame(PetscReal r)
{
  return (1 + poisson) / young * 1e3 * inner * inner / (outer * outer - inner * inner) * ((1 - 2 * poisson) * r + outer * outer / r);
}

/* Moves the inner circle as the closed form does; on one rank. */
static void Widen(Problem *p)
{
  const AbutMeshLocal *m = p->local;

  for (PetscInt k = 0; k < m->num_points; k++) {
    const PetscInt  v = m->points[k];
    const PetscReal r = PetscSqrtReal(AbutDot(2, m->rest + 2 * v, m->rest + 2 * v));

    p->fixed[2 * v] = p->fixed[2 * v + 1] = (PetscBool)(r < (inner + outer) / 2);
    for (int i = 0; i < 2 && p->fixed[2 * v]; i++) p->x[2 * v + i] += m->rest[2 * v + i] / r * Lame(r);
  }
  for (PetscInt c = 0; c < m->num_cells && m->middles; c++)
    for (PetscInt e = 0; e < 3; e++) {
      const PetscInt a = m->cells[3 * c + AbutCellEdgeCorner(e, 0)], b = m->cells[3 * c + AbutCellEdgeCorner(e, 1)],
                     v = m->middles[3 * c + e];
      PetscReal node[2], r;

      if (!p->fixed[2 * a] || !p->fixed[2 * b] || !p->fixed[2 * v]) continue;
      for (int i = 0; i < 2; i++) node[i] = AbutEdgeNode(m->rest[2 * a + i], m->rest[2 * b + i], m->rest[2 * v + i]);
      r = PetscSqrtReal(AbutDot(2, node, node));
      for (int i = 0; i < 2; i++) p->x[2 * v + i] = AbutEdgeVertex(p->x[2 * a + i], p->x[2 * b + i], node[i] * (1 + Lame(r) / r));
    }
}

/* Largest errors of the displacement of outer corners and of the mean stress of cells, relative. */
static void ThickCylinder(PetscInt order, PetscInt cells, PetscReal errors[2])
{
  const AbutMaterialSpec material = {.name = "m", .kind = ABUT_MATERIAL_LINEAR, .young = young, .poisson = poisson, .density = 1000};
  const PetscReal        mean     = 2 * (1 + poisson) / 3 * 1e3 * inner * inner / (outer * outer - inner * inner);
  AbutBodySpec           spec     = Shape(ABUT_SHAPE_TORUS, order);
  PetscReal             *stress;
  Problem                p;

  spec.shape.size[0]  = 1;
  spec.shape.size[1]  = 0.5;
  spec.shape.cells[0] = cells;
  Create(2, &spec, &material, &p);
  Widen(&p);
  Equilibrium(p.mesh, p.elastic, p.load, p.fixed, 1, p.x);
  errors[0] = errors[1] = 0;
  for (PetscInt v = 0; v < p.local->num_owned; v++) {
    const PetscReal r = PetscSqrtReal(AbutDot(2, p.local->rest + 2 * v, p.local->rest + 2 * v)),
                    R = PetscSqrtReal(AbutDot(2, p.x + 2 * v, p.x + 2 * v));
    if (PetscAbsReal(r - outer) < 1e-9) errors[0] = PetscMax(errors[0], PetscAbsReal((R - r) / Lame(r) - 1));
  }
  AbutTestCall(PetscMalloc1(6 * p.local->num_cells, &stress));
  AbutElasticGetStress(p.elastic, p.x, stress, NULL);
  for (PetscInt c = 0; c < p.local->num_cells; c++)
    errors[1] = PetscMax(errors[1], PetscAbsReal((stress[6 * c] + stress[6 * c + 1] + stress[6 * c + 2]) / 3 / mean - 1));
  AbutTestCall(
    PetscPrintf(PETSC_COMM_WORLD,
                "thick cylinder, nu = 0.4999, order %d, %d cells across the tube radius: errors of displacement %.5f, mean stress %.4f\n",
                (int)order, (int)cells, (double)errors[0], (double)errors[1]));
  AbutTestCall(PetscFree(stress));
  Destroy(&p);
}

static void TestThickCylinder(void **state)
{
  PetscReal quadratic[2], linear[2];

  (void)state;
  ThickCylinder(2, 4, quadratic);
  ThickCylinder(1, 4, linear);
  assert_true(quadratic[0] < 1e-3 && quadratic[1] < 0.02);
  assert_true(linear[1] > 0.5);
}

/* Writes Cook's panel (corners (0, 0), (48, 44), (48, 60), (0, 44)) of n x n quadrilaterals, halved, as .msh. */
static void WriteCook(PetscInt n, char path[])
{
  char  directory[PETSC_MAX_PATH_LEN];
  FILE *file;

  AbutTestDirectory(directory);
  snprintf(path, PETSC_MAX_PATH_LEN, "%.*s/cook.msh", PETSC_MAX_PATH_LEN - 16, directory);
  file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", (int)((n + 1) * (n + 1)));
  for (PetscInt k = 0; k < (n + 1) * (n + 1); k++) {
    const PetscReal s = (PetscReal)(k % (n + 1)) / (PetscReal)n, t = (PetscReal)(k / (n + 1)) / (PetscReal)n;
    fprintf(file, "%d %.17g %.17g 0\n", (int)k + 1, (double)(48 * s), (double)(44 * s + t * (44 - 28 * s)));
  }
  fprintf(file, "$EndNodes\n$Elements\n%d\n", (int)(2 * n * n));
  for (PetscInt k = 0; k < n * n; k++) {
    const int a = (int)(k % n + k / n * (n + 1)) + 1, up = (int)n + 1;
    fprintf(file, "%d 2 0 %d %d %d\n%d 2 0 %d %d %d\n", (int)(2 * k + 1), a, a + 1, a + up + 1, (int)(2 * k + 2), a, a + up + 1, a + up);
  }
  fprintf(file, "$EndElements\n");
  fclose(file);
}

/* Vertical displacement of the right end. */
static PetscReal Cook(PetscInt order, PetscInt n)
{
  const AbutMaterialSpec material = {.name = "m", .kind = ABUT_MATERIAL_LINEAR, .young = 250, .poisson = 0.4999, .density = 1};
  const PetscReal        t[2]     = {0, 100. / 16};
  AbutBodySpec           spec     = Shape(ABUT_SHAPE_FILE, order);
  PetscReal              tip;
  Problem                p;

  WriteCook(n, spec.shape.path);
  Create(2, &spec, &material, &p);
  Fix(&p, 0, 0);
  AddTraction(&p, 0, 48, t);
  Equilibrium(p.mesh, p.elastic, p.load, p.fixed, 1, p.x);
  tip = MeanAt(&p, 0, 48, 1);
  AbutTestCall(
    PetscPrintf(PETSC_COMM_WORLD, "Cook's panel, nu = 0.4999, order %d, %d x %d: %.4f\n", (int)order, (int)n, (int)n, (double)tip));
  Destroy(&p);
  unlink(spec.shape.path);
  *strrchr(spec.shape.path, '/') = '\0'; /* its folder */
  rmdir(spec.shape.path);
  return tip;
}

static void TestCook(void **state)
{
  PetscReal fine;

  (void)state;
  fine = Cook(2, 32);
  assert_true(PetscAbsReal(Cook(2, 16) / fine - 1) < 0.005);
  assert_true(Cook(1, 16) < 0.8 * fine);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestCantilever), cmocka_unit_test(TestThickCylinder), cmocka_unit_test(TestCook)};
  return AbutTestMain(argc, argv, tests);
}
