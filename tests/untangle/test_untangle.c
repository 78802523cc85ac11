/* Bodies that intersect move apart: gap by brute force, equilibrium of the cells, shares by stiffness, equality on ranks, refusals. */
#include "../elastic/meshes.h"
#include <abut/untangle.h>

#define DHAT 0.01

typedef struct {
  PetscInt             dim;
  AbutMaterialSpec     materials[2];
  AbutMesh             mesh;
  const AbutMeshLocal *m;
  AbutUntangleReport   report;
  PetscReal           *x; /* [num_owned * dim] */
} Case;

static AbutBodySpec Body(const char name[], AbutShapeKind kind, PetscReal size, PetscInt cells, PetscReal x, PetscReal y)
{
  AbutBodySpec spec;

  AbutTestCall(AbutBodySpecInit(&spec));
  strcpy(spec.name, name);
  strcpy(spec.place, "scene.yaml:7");
  spec.shape.kind = kind;
  for (int k = 0; k < 3; k++) {
    spec.shape.size[k]  = size;
    spec.shape.cells[k] = cells;
  }
  spec.shape.translate[0] = x;
  spec.shape.translate[1] = y;
  return spec;
}

static PetscErrorCode CaseOpen(MPI_Comm comm, PetscInt dim, PetscInt num, const AbutBodySpec specs[], Case *c)
{
  *c = (Case){.dim       = dim,
              .materials = {{.name = "soft", .kind = ABUT_MATERIAL_LINEAR, .young = 1e5, .poisson = 0.3, .density = 1000},
                            {.name = "hard", .kind = ABUT_MATERIAL_NEO_HOOKEAN, .young = 4e5, .poisson = 0.4, .density = 1000}}};
  AbutTestCall(AbutMeshCreate(comm, dim, num, specs, &c->mesh));
  c->m = AbutMeshGetLocal(c->mesh);
  AbutTestCall(PetscMalloc1(dim * c->m->num_owned, &c->x));
  return AbutUntangle(&(AbutUntangleParts){.mesh = c->mesh, .num_materials = 2, .materials = c->materials}, DHAT, c->x, &c->report);
}

static void CaseClose(Case *c)
{
  AbutTestCall(AbutUntangleReportDestroy(&c->report));
  AbutTestCall(PetscFree(c->x));
  AbutTestCall(AbutMeshDestroy(&c->mesh));
}

/* Positions of all vertices by id, on every rank; free with free(). */
static PetscReal *AllPositions(const Case *c)
{
  PetscReal *x = calloc((size_t)(c->m->num_global * c->dim), sizeof(*x));

  for (PetscInt i = 0; i < c->m->num_owned * c->dim; i++) x[c->m->vertex_id[i / c->dim] * c->dim + i % c->dim] = c->x[i];
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, x, (int)(c->m->num_global * c->dim), MPIU_REAL, MPIU_SUM, AbutMeshGetComm(c->mesh)), 0);
  return x;
}

/* Distance of a vertex and an element, or of two edges in 3D, at the positions x of a mesh on one rank. */
static PetscReal Distance(PetscInt dim, const PetscReal x[], PetscInt n, const PetscInt v[], PetscInt k, const PetscInt w[])
{
  PetscReal at[12];

  for (PetscInt i = 0; i < n + k; i++) AbutTestCall(PetscArraycpy(&at[dim * i], &x[dim * (i < n ? v[i] : w[i - n])], dim));
  return PetscSqrtReal(AbutPairDist2(n == 2 ? ABUT_PAIR_EE : dim == 3 ? ABUT_PAIR_FV : ABUT_PAIR_EV, dim, at));
}

/* Whether an edge crosses an element. */
static PetscBool Crosses(PetscInt dim, const PetscReal x[], const PetscInt e[2], const PetscInt f[])
{
  const PetscReal *p = &x[dim * e[0]], *q = &x[dim * e[1]], *a = &x[dim * f[0]], *b = &x[dim * f[1]];

  return dim == 3 ? AbutSegmentTriangleIntersect(p, q, a, b, &x[dim * f[2]]) : AbutSegmentsIntersect2D(p, q, a, b);
}

/* Smallest distance of two bodies of a mesh on one rank by brute force; -1 if they cross. */
static PetscReal Gap(const Case *serial, const PetscReal by_id[])
{
  const AbutMeshLocal *m   = serial->m;
  const PetscInt       dim = m->dim, num = dim == 3 ? m->num_faces : m->num_edges, *element = dim == 3 ? m->faces : m->edges;
  PetscReal           *x = calloc((size_t)(m->num_local * dim), sizeof(*x)), gap = PETSC_MAX_REAL;

  for (PetscInt i = 0; i < dim * m->num_local; i++) x[i] = by_id[dim * m->vertex_id[i / dim] + i % dim];
  for (PetscInt f = 0; f < num; f++) {
    const PetscInt *w = &element[dim * f];

    for (PetscInt i = 0; i < m->num_points; i++)
      if (m->vertex_body[m->points[i]] != m->vertex_body[w[0]]) gap = PetscMin(gap, Distance(dim, x, 1, &m->points[i], dim, w));
    for (PetscInt e = 0; e < m->num_edges && gap >= 0; e++)
      if (m->vertex_body[m->edges[2 * e]] != m->vertex_body[w[0]] && Crosses(dim, x, &m->edges[2 * e], w)) gap = -1;
  }
  for (PetscInt e = 0; dim == 3 && e < m->num_edges; e++)
    for (PetscInt k = 0; k < e; k++)
      if (m->vertex_body[m->edges[2 * e]] != m->vertex_body[m->edges[2 * k]])
        gap = PetscMin(gap, Distance(3, x, 2, &m->edges[2 * e], 2, &m->edges[2 * k]));
  free(x);
  return gap;
}

/* Largest elastic force of neo-Hookean cells on a vertex inside of the bodies, over the largest one on any vertex. On one rank. */
static PetscReal Imbalance(Case *serial)
{
  const AbutMeshLocal *m = serial->m;
  PetscReal           *g = calloc((size_t)(m->num_local * m->dim), sizeof(*g)), force[2] = {0, 0};
  PetscBool           *surface = calloc((size_t)m->num_local, sizeof(*surface));
  AbutElastic          elastic;

  for (int i = 0; i < 2; i++) {
    serial->materials[i].kind    = ABUT_MATERIAL_NEO_HOOKEAN;
    serial->materials[i].poisson = 0.48; /* bodies.c */
  }
  AbutTestCall(AbutElasticCreate(serial->mesh, 2, serial->materials, &elastic));
  AbutElasticAddGradient(elastic, serial->x, 1, g);
  for (PetscInt i = 0; i < m->num_points; i++) surface[m->points[i]] = PETSC_TRUE;
  for (PetscInt i = 0; i < m->num_owned * m->dim; i++) {
    force[1] = PetscMax(force[1], PetscAbsReal(g[i]));
    if (!surface[i / m->dim]) force[0] = PetscMax(force[0], PetscAbsReal(g[i]));
  }
  AbutTestCall(AbutElasticDestroy(&elastic));
  free(g);
  free(surface);
  return force[0] / force[1];
}

/* The case on all ranks and on one: equal positions; gap and no crossing; cells in equilibrium and not inverted. */
static void Solve(PetscInt dim, PetscInt num, const AbutBodySpec specs[], Case *c)
{
  PetscReal *x, *y, gap;
  Case       serial;

  AbutTestCall(CaseOpen(PETSC_COMM_WORLD, dim, num, specs, c));
  AbutTestCall(CaseOpen(PETSC_COMM_SELF, dim, num, specs, &serial));
  x   = AllPositions(c);
  y   = AllPositions(&serial);
  gap = Gap(&serial, x);
  print_message("%dD: gap %g dhat, %d passes, %d increments, imbalance %g\n", (int)dim, (double)(gap / DHAT), (int)c->report.passes,
                (int)c->report.follow.increments, (double)Imbalance(&serial));
  AbutTestClose("positions", dim * c->m->num_global, x, y, 1e-9);
  assert_true(gap >= DHAT && c->report.gap == DHAT);
  assert_true(Imbalance(&serial) < 1e-8); /* the tolerance of AbutUntangleFollow() is quadratic, see test_follow.c */
  assert_true(c->report.follow.reached && c->report.follow.smallest_det > 0);
  assert_int_equal(c->report.num_pairs, serial.report.num_pairs);
  for (PetscInt i = 0; i < num; i++) assert_int_equal(c->report.bodies[i].num_moved, serial.report.bodies[i].num_moved);
  free(x);
  free(y);
  CaseClose(&serial);
}

/* A soft and a hard body: both move, by the ratio of the stiffnesses, and keep their volume up to the gap; a third one stays. */
static void TwoBodies(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    AbutBodySpec specs[3] = {Body("left", ABUT_SHAPE_BALL, 0.5, 3, 0, 0), Body("right", ABUT_SHAPE_BALL, 0.5, 4, 0.88, 0.1),
                             Body("apart", ABUT_SHAPE_BOX, 0.5, 1, 0, 3)};
    const AbutUntangleBodyReport *soft, *hard;
    Case                          c;

    specs[1].material = 1;
    Solve(dim, 3, specs, &c);
    soft = &c.report.bodies[0];
    hard = &c.report.bodies[1];
    print_message("  moved %g and %g, depth %g\n", (double)soft->displacement, (double)hard->displacement, (double)c.report.pairs[0].depth);
    assert_int_equal(c.report.num_pairs, 1);
    assert_true(c.report.pairs[0].crossings > 0 && c.report.pairs[0].depth > 0.05 && c.report.pairs[0].depth < 0.12);
    assert_true(soft->num_moved > 0 && hard->num_moved > 0 && c.report.bodies[2].num_moved == 0);
    assert_true(soft->displacement > 2.5 * hard->displacement); /* 4 without gap, bulges and the error of the meshes */
    assert_true(PetscAbsReal(soft->volume_change) < 0.03 * soft->volume && PetscAbsReal(hard->volume_change) < 0.03 * hard->volume);
    CaseClose(&c);
  }
}

/* Boxes of one cell between which only edges cross faces: vertices of neither box lie in the other one. */
static void CrossedEdges(void **state)
{
  AbutBodySpec specs[3] = {Body("low", ABUT_SHAPE_BOX, 1, 1, 0, 0), Body("middle", ABUT_SHAPE_BOX, 1, 1, 0.97, 0.02),
                           Body("high", ABUT_SHAPE_BOX, 1, 1, 1.94, 0)};
  Case         c;

  (void)state;
  for (int i = 0; i < 3; i++) specs[i].shape.rotate[2] = 3 * (1 - i);
  specs[1].shape.size[2] = 1.2;
  specs[1].shape.size[1] = 0.9;
  Solve(3, 3, specs, &c);
  assert_int_equal(c.report.num_pairs, 2);
  for (PetscInt i = 0; i < 3; i++) assert_true(c.report.bodies[i].displacement < 0.1 && c.report.bodies[i].smallest_det > 0.5);
  CaseClose(&c);
}

/* A disc pressed into a ring: no edges cross; the disc shrinks, the ring widens with its outside. The ring is the softer one. */
static void Around(void **state)
{
  AbutBodySpec specs[2] = {Body("ring", ABUT_SHAPE_TORUS, 0, 4, 0, 0), Body("disc", ABUT_SHAPE_BALL, 0.53, 8, 0, 0)};
  Case         c;

  (void)state;
  specs[0].shape.size[0] = 0.75;
  specs[0].shape.size[1] = 0.25; /* bore 0.5 */
  specs[1].material      = 1;
  Solve(2, 2, specs, &c);
  print_message("  areas %+g and %+g, depth %g\n", (double)c.report.bodies[0].volume_change, (double)c.report.bodies[1].volume_change,
                (double)c.report.pairs[0].depth);
  assert_int_equal(c.report.num_pairs, 1);
  assert_true(c.report.pairs[0].depth > 0.02 && c.report.pairs[0].depth < 0.05);
  assert_true(c.report.bodies[1].volume_change < 0 && c.report.bodies[0].displacement > c.report.bodies[1].displacement);
  CaseClose(&c);
}

/* Nothing intersects: nothing moves. */
static void Apart(void **state)
{
  AbutBodySpec specs[2] = {Body("a", ABUT_SHAPE_BALL, 0.5, 2, 0, 0), Body("b", ABUT_SHAPE_BALL, 0.5, 2, 2, 0)};
  Case         c;

  (void)state;
  AbutTestCall(CaseOpen(PETSC_COMM_WORLD, 3, 2, specs, &c));
  assert_true(c.report.passes == 0 && c.report.num_pairs == 0);
  for (PetscInt i = 0; i < 3 * c.m->num_owned; i++) assert_true(c.x[i] == c.m->rest[i]);
  CaseClose(&c);
}

/* A rod through a box: deformation alone does not part them; both move half of the way as wholes, the small rod farther. */
static void Through(void **state)
{
  AbutBodySpec                  specs[2] = {Body("big", ABUT_SHAPE_BOX, 1, 3, 0, 0), Body("rod", ABUT_SHAPE_BOX, 0.2, 1, 0.1, 0)};
  const AbutUntangleBodyReport *big, *rod;
  Case                          c;

  (void)state;
  specs[1].shape.size[2] = 3;
  Solve(3, 2, specs, &c);
  big = &c.report.bodies[0];
  rod = &c.report.bodies[1];
  AbutTestClose("way", 1, &(PetscReal){big->whole + rod->whole}, &(PetscReal){0.25}, 1e-9);
  AbutTestClose("shares by volumes", 1, &(PetscReal){rod->whole / big->whole}, &(PetscReal){1 / 0.12}, 1e-9);
  assert_true(rod->displacement < 0.6 && rod->smallest_det > 0.5 && big->smallest_det > 0.5);
  CaseClose(&c);
}

/* Refused on every rank, with both names: a body wholly inside another. */
static void Refusals(void **state)
{
  const AbutBodySpec specs[2] = {Body("big", ABUT_SHAPE_BOX, 1, 3, 0, 0), Body("small", ABUT_SHAPE_BOX, 0.2, 1, 0, 0)};
  Case               c;

  (void)state;
  assert_int_equal(CaseOpen(PETSC_COMM_WORLD, 3, 2, specs, &c), ABUT_ERR_DIVERGED);
  if (!strstr(AbutErrorMessage(), "big") || !strstr(AbutErrorMessage(), "small")) fail_msg("%s", AbutErrorMessage());
  AbutErrorClear();
  CaseClose(&c);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TwoBodies), cmocka_unit_test(CrossedEdges), cmocka_unit_test(Around),
                                     cmocka_unit_test(Apart),     cmocka_unit_test(Through),      cmocka_unit_test(Refusals)};
  return AbutTestMain(argc, argv, tests);
}
