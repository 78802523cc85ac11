/* Small intersections are removed by moving surfaces inwards: two bodies, one with itself, an obstacle, a half space; refusals; ranks. */
#include "../elastic/meshes.h"
#include <abut/untangle.h>

#define DHAT 0.01

typedef struct {
  PetscInt                 dim, n;
  AbutMaterialSpec         material;
  AbutMesh                 mesh;
  const AbutMeshLocal     *m;
  AbutElastic              elastic;
  AbutContact              contact;
  PetscReal               *x, *start; /* [n], n = num_owned * dim */
  AbutUntangleShrinkReport report;
} Case;

static AbutBodySpec Body(const char name[], PetscReal length, PetscInt cells, PetscReal x)
{
  AbutBodySpec spec;

  AbutTestCall(AbutBodySpecInit(&spec));
  strcpy(spec.name, name);
  strcpy(spec.place, "scene.yaml:7");
  spec.shape.kind = ABUT_SHAPE_BOX;
  for (int k = 0; k < 3; k++) {
    spec.shape.size[k]  = k ? 0.5 : length;
    spec.shape.cells[k] = k ? 3 : cells;
  }
  spec.shape.translate[0] = x;
  return spec;
}

static void CaseOpen(MPI_Comm comm, PetscInt dim, PetscInt num, const AbutBodySpec specs[], const AbutPlaneSpec *plane, Case *c)
{
  *c =
    (Case){.dim = dim, .material = {.name = "soft", .kind = ABUT_MATERIAL_FIXED_COROTATED, .young = 1e5, .poisson = 0.3, .density = 1000}};
  AbutTestCall(AbutMeshCreate(comm, dim, num, specs, &c->mesh));
  c->m = AbutMeshGetLocal(c->mesh);
  c->n = dim * c->m->num_owned;
  AbutTestCall(AbutElasticCreate(c->mesh, 1, &c->material, &c->elastic));
  AbutTestCall(AbutContactCreate(c->mesh, plane ? 1 : 0, plane, &c->contact));
  AbutTestCall(PetscMalloc2(c->n, &c->x, c->n, &c->start));
  AbutTestCall(PetscArraycpy(c->x, c->m->rest, c->n));
}

static void CaseShrink(Case *c)
{
  const AbutUntangleParts parts = {.mesh = c->mesh, .num_materials = 1, .materials = &c->material};

  AbutTestCall(PetscArraycpy(c->start, c->x, c->n));
  AbutTestCall(AbutUntangleShrink(&parts, c->contact, DHAT, c->x, &c->report));
}

static void CaseClose(Case *c)
{
  AbutTestCall(PetscFree2(c->x, c->start));
  AbutTestCall(AbutContactDestroy(&c->contact));
  AbutTestCall(AbutElasticDestroy(&c->elastic));
  AbutTestCall(AbutMeshDestroy(&c->mesh));
}

/* Intersections and inverted cells at x. */
static PetscInt CountFaults(const Case *c)
{
  PetscReal *x = calloc((size_t)(c->m->num_local * c->dim + 1), sizeof(*x));
  PetscInt   crossings, inversions, forbidden;

  memcpy(x, c->x, sizeof(*x) * (size_t)c->n);
  AbutTestCall(AbutMeshUpdateGhosts(c->mesh, c->dim, x));
  AbutTestCall(AbutContactCheck(c->contact, x, &crossings, NULL, NULL));
  AbutElasticCountInversions(c->elastic, x, &inversions, &forbidden);
  free(x);
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &inversions, 1, MPIU_INT, MPI_SUM, AbutMeshGetComm(c->mesh)), 0);
  return crossings + inversions;
}

/* Sum over vertices of a function of id and displacement, equal on every number of ranks. */
static PetscReal Signature(const Case *c)
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < c->n; i++)
    sum += (PetscReal)(1 + (c->m->vertex_id[i / c->dim] * 37 + i % c->dim) % 101) * (c->x[i] - c->start[i]);
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPI_SUM, AbutMeshGetComm(c->mesh)), 0);
  return sum;
}

/* Largest displacement of the vertices whose rest position along the first axis is beyond `from`. */
static PetscReal Beyond(const Case *c, PetscReal from)
{
  PetscReal most = 0;

  for (PetscInt i = 0; i < c->n; i++)
    if (PetscAbsReal(c->m->rest[i / c->dim * c->dim]) > from) most = PetscMax(most, PetscAbsReal(c->x[i] - c->start[i]));
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_REAL, MPI_MAX, AbutMeshGetComm(c->mesh)), 0);
  return most;
}

static void OpenOverlap(MPI_Comm comm, PetscInt dim, PetscReal depth, PetscInt cells, PetscBool obstacle, Case *c)
{
  AbutBodySpec specs[2] = {Body("a", 1, cells, -0.5), Body("b", 1, 4, 0.5 - depth)};

  specs[1].shape.translate[1] = 0.03; /* no symmetry */
  if (obstacle) specs[1].obstacle = PETSC_TRUE, specs[1].material = -1;
  CaseOpen(comm, dim, 2, specs, NULL, c);
  CaseShrink(c);
}

/* Two boxes, and a box and an obstacle. Far vertices stay bit for bit; all ranks find the same. A thin layer of cells follows. */
static void TwoBodies(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (int k = 0; k < 4; k++) {
      const PetscBool obstacle = (PetscBool)(k & 1);
      const PetscInt  cells    = k & 2 ? 20 : 5; /* cells of 0.05: flat after the displacement if inner vertices do not follow */
      const PetscReal depth    = obstacle ? 0.015 : 0.03;
      Case            c, serial;

      OpenOverlap(PETSC_COMM_WORLD, dim, depth, cells, obstacle, &c);
      OpenOverlap(PETSC_COMM_SELF, dim, depth, cells, obstacle, &serial);
      print_message("%dD, %d: %d intersections, %d passes, %d moved by %g\n", (int)dim, k, (int)c.report.crossings, (int)c.report.passes,
                    (int)c.report.num_moved, (double)c.report.displacement);
      assert_true(c.report.crossings > 0 && c.report.left == 0 && c.report.follow == 1 && c.report.num_moved > 0);
      assert_true(c.report.displacement > depth / 4 && c.report.displacement < 0.1);
      assert_int_equal(CountFaults(&c), 0);
      assert_true(Beyond(&c, 0.99) == 0);
      assert_int_equal(c.report.num_moved, serial.report.num_moved);
      assert_true(PetscAbsReal(Signature(&c) - Signature(&serial)) < 1e-9);
      CaseClose(&c);
      CaseClose(&serial);
    }
}

/* A strip bent to a ring whose ends overlap. */
static void OneBody(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    const AbutBodySpec spec = Body("strip", 6, 24, 0);
    Case               c;

    CaseOpen(PETSC_COMM_WORLD, dim, 1, &spec, NULL, &c);
    for (PetscInt v = 0; v < c.m->num_owned; v++) {
      const PetscReal *p = &c.m->rest[dim * v], angle = p[0] / 6 * 2 * PETSC_PI * 1.004, radius = 1 - p[1]; /* keeps the orientation */

      c.x[dim * v]     = radius * PetscSinReal(angle);
      c.x[dim * v + 1] = -radius * PetscCosReal(angle);
    }
    assert_true(CountFaults(&c) > 0);
    CaseShrink(&c);
    print_message("%dD ring: %d intersections, %d passes, moved by %g\n", (int)dim, (int)c.report.crossings, (int)c.report.passes,
                  (double)c.report.displacement);
    assert_true(c.report.left == 0 && c.report.passes > 0 && c.report.follow == 1);
    assert_int_equal(CountFaults(&c), 0);
    assert_true(Beyond(&c, 0) < 0.1);
    CaseClose(&c);
  }
}

static void HalfSpace(void **state)
{
  const AbutPlaneSpec plane = {.name = "wall", .point = {0.98, 0, 0}, .normal = {-1, 0, 0}};
  const AbutBodySpec  spec  = Body("box", 1, 4, 0.5);
  Case                c;

  (void)state;
  CaseOpen(PETSC_COMM_WORLD, 3, 1, &spec, &plane, &c);
  CaseShrink(&c);
  assert_true(c.report.crossings == 16 && c.report.left == 0); /* a face of 4 x 4 vertices */
  assert_int_equal(CountFaults(&c), 0);
  assert_true(c.report.displacement > 0.02 * PetscSqrtReal(3) && c.report.displacement < 0.06); /* corners move along the diagonal */
  CaseClose(&c);
}

/* Without intersections nothing moves; too deep ones leave the positions unchanged. */
static void Unchanged(void **state)
{
  (void)state;
  for (int deep = 0; deep < 2; deep++) {
    Case c;

    OpenOverlap(PETSC_COMM_WORLD, 3, deep ? 0.45 : -0.02, 5, PETSC_FALSE, &c);
    assert_true(deep ? c.report.left > 0 : c.report.crossings == 0 && c.report.passes == 0 && c.report.num_moved == 0);
    assert_true(Beyond(&c, -1) == 0);
    CaseClose(&c);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TwoBodies), cmocka_unit_test(OneBody), cmocka_unit_test(HalfSpace),
                                     cmocka_unit_test(Unchanged)};
  return AbutTestMain(argc, argv, tests);
}
