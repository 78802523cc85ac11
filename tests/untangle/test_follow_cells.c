/*
  The cells follow displaced surfaces: affine maps in closed form, free surface vertices in equilibrium, gaps opened again by brute force,
  refusal, equality of bodies that one rank solves and bodies that all ranks solve.
*/
#include "../../src/tools/untangle/boundary.h"
#include "../elastic/meshes.h"

#define GAP 0.02

typedef struct {
  AbutMesh                 mesh;
  const AbutMeshLocal     *m;
  AbutMaterialSpec         material;
  Boundary                 b;
  Pairs                    pairs;
  PetscReal               *start, *x; /* of the boundary; of the owned vertices */
  AbutUntangleFollowReport report;
} Case;

static const PetscReal A[3][3] = {{1.2, 0.1, 0.3}, {-0.2, 0.8, 0.1}, {0.1, 0.2, 0.9}};

/* Two boxes of size 1 side by side along x at a distance. */
static void CaseOpen(MPI_Comm comm, PetscInt dim, PetscReal distance, PetscInt cells, Case *c)
{
  AbutBodySpec specs[2];

  *c = (Case){.material = {.name = "m", .kind = ABUT_MATERIAL_LINEAR, .young = 1e5, .poisson = 0.4, .density = 1000}};
  for (PetscInt i = 0; i < 2; i++) {
    AbutTestCall(AbutBodySpecInit(&specs[i]));
    strcpy(specs[i].name, i ? "right" : "left");
    specs[i].shape.kind = ABUT_SHAPE_BOX;
    for (int k = 0; k < 3; k++) {
      specs[i].shape.size[k]  = 1;
      specs[i].shape.cells[k] = cells;
    }
    specs[i].shape.translate[0] = (1 + distance) * (PetscReal)i;
  }
  AbutTestCall(AbutMeshCreate(comm, dim, 2, specs, &c->mesh));
  c->m = AbutMeshGetLocal(c->mesh);
  AbutTestCall(BoundaryCreate(c->mesh, &c->material.young, 0, NULL, &c->b));
  AbutTestCall(PetscMalloc2(dim * c->b.num_vertices, &c->start, dim * c->m->num_owned, &c->x));
  AbutTestCall(PetscArraycpy(c->start, c->b.x, dim * c->b.num_vertices));
}

static PetscErrorCode CaseFollow(Case *c)
{
  PetscBool failed[2];

  return CellsFollow(&(CellsParts){.mesh          = c->mesh,
                                   .num_materials = 1,
                                   .materials     = &c->material,
                                   .boundary      = &c->b,
                                   .pairs         = &c->pairs,
                                   .start         = c->start,
                                   .origin        = AbutMeshGetStart(c->mesh),
                                   .gap           = GAP,
                                   .failed        = failed,
                                   .report        = &c->report},
                     c->x);
}

static void CaseClose(Case *c)
{
  AbutTestCall(PetscFree2(c->start, c->x));
  AbutTestCall(BoundaryDestroy(&c->b));
  AbutTestCall(PairsDestroy(&c->pairs));
  AbutTestCall(AbutMeshDestroy(&c->mesh));
}

/* The upper and the lower side of the left box are its zones; the upper one moves down. */
static void PressDown(Case *c, PetscReal depth)
{
  const PetscInt dim = c->b.dim;

  for (PetscInt v = 0; v < c->b.num_vertices; v++) {
    if (c->b.body[v] || PetscAbsReal(c->start[dim * v + 1]) < 0.5 - 1e-9) continue;
    c->b.zone[v] = PETSC_TRUE;
    if (c->start[dim * v + 1] > 0) c->b.x[dim * v + 1] -= depth;
  }
}

/* Positions of all vertices by id, on every rank; free with free(). */
static PetscReal *ByID(const Case *c)
{
  const PetscInt dim = c->m->dim, size = dim * c->m->num_global;
  PetscReal     *x = calloc((size_t)size, sizeof(*x));

  for (PetscInt i = 0; i < dim * c->m->num_owned; i++) x[dim * c->m->vertex_id[i / dim] + i % dim] = c->x[i];
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, x, (int)size, MPIU_REAL, MPIU_SUM, AbutMeshGetComm(c->mesh)), 0);
  return x;
}

/* Smallest distance of the left and the right box by brute force over vertices and elements; 3D: also over edges. */
static PetscReal Distance(const Boundary *b)
{
  const PetscInt dim   = b->dim;
  PetscReal      dist2 = PETSC_MAX_REAL, at[12];

  for (PetscInt e = 0; e < b->num_elements; e++)
    for (PetscInt v = 0; v < b->num_vertices; v++) {
      if (b->body[v] == b->body[b->element[dim * e]]) continue;
      for (PetscInt i = 0; i < dim * (dim + 1); i++) at[i] = b->x[dim * (i < dim ? v : b->element[dim * e + i / dim - 1]) + i % dim];
      dist2 = PetscMin(dist2, AbutPairDist2(dim == 3 ? ABUT_PAIR_FV : ABUT_PAIR_EV, dim, at));
    }
  for (PetscInt e = 0; e < b->num_edges; e++)
    for (PetscInt k = 0; k < e; k++) {
      if (b->body[b->edge[2 * e]] == b->body[b->edge[2 * k]]) continue;
      for (PetscInt i = 0; i < 12; i++) at[i] = b->x[3 * b->edge[2 * (i < 6 ? e : k) + i / 3 % 2] + i % 3];
      dist2 = PetscMin(dist2, AbutPairDist2(ABUT_PAIR_EE, 3, at));
    }
  return PetscSqrtReal(dist2);
}

/* An affine map of the surface moves the volume by the same map; the other body stays bit for bit. */
static void AffineSurface(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    const PetscReal det = dim == 2 ? A[0][0] * A[1][1] - A[0][1] * A[1][0]
                                   : A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1]) - A[0][1] * (A[1][0] * A[2][2] - A[1][2] * A[2][0]) +
                                       A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0]);
    Case            c;

    CaseOpen(PETSC_COMM_WORLD, dim, 3, 3, &c);
    for (PetscInt i = 0; i < dim * c.b.num_vertices; i++) {
      if (c.b.body[i / dim]) continue;
      c.b.zone[i / dim] = PETSC_TRUE;
      c.b.x[i]          = AbutDot(dim, A[i % dim], &c.start[i / dim * dim]);
    }
    AbutTestCall(CaseFollow(&c));
    assert_true(c.report.reached && c.report.fraction == 1 && c.report.body == 0);
    AbutTestClose("det F", 1, &c.report.smallest_det, &det, 1e-9);
    for (PetscInt i = 0; i < dim * c.m->num_owned; i++) {
      const PetscReal *rest = &c.m->rest[i / dim * dim], image = AbutDot(dim, A[i % dim], rest);

      if (c.m->vertex_body[i / dim])
        assert_true(c.x[i] == c.m->rest[i]);
      else
        AbutTestClose("image", 1, &c.x[i], &image, 1e-9);
    }
    CaseClose(&c);
  }
}

/* Largest elastic force on a vertex inside of the left box over the largest one on any vertex. On one rank. */
static PetscReal Imbalance(const Case *serial)
{
  const AbutMeshLocal *m        = serial->m;
  AbutMaterialSpec     material = serial->material;
  PetscReal           *g = calloc((size_t)(m->num_local * m->dim), sizeof(*g)), force[2] = {0, 0};
  AbutElastic          elastic;

  material.kind    = ABUT_MATERIAL_NEO_HOOKEAN;
  material.poisson = 0.48; /* bodies.c */
  AbutTestCall(AbutElasticCreate(serial->mesh, 1, &material, &elastic));
  AbutElasticAddGradient(elastic, serial->x, 1, g);
  for (PetscInt i = 0; i < m->dim * m->num_owned; i++) {
    PetscInt at;

    AbutTestCall(PetscFindInt(m->vertex_id[i / m->dim], serial->b.num_vertices, serial->b.id, &at));
    force[1] = PetscMax(force[1], PetscAbsReal(g[i]));
    if (!m->vertex_body[i / m->dim] && at < 0) force[0] = PetscMax(force[0], PetscAbsReal(g[i]));
  }
  AbutTestCall(AbutElasticDestroy(&elastic));
  free(g);
  return force[0] / force[1];
}

/*
  The sides of a pressed box are free and bend, which keeps its volume; the zone is at its targets bit for bit. One rank finds the same.
*/
static void FreeSides(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Case       c, serial;
    PetscReal *x, *y;
    PetscInt   bent = 0;

    CaseOpen(PETSC_COMM_WORLD, dim, 3, 4, &c);
    CaseOpen(PETSC_COMM_SELF, dim, 3, 4, &serial);
    PressDown(&c, 0.225);
    PressDown(&serial, 0.225);
    AbutTestCall(CaseFollow(&c));
    AbutTestCall(CaseFollow(&serial));
    for (PetscInt v = 0; v < c.b.num_vertices; v++) {
      const PetscReal *now = &c.b.x[dim * v], *was = &c.start[dim * v];

      if (c.b.body[v])
        assert_true(now[0] == was[0] && now[1] == was[1]);
      else if (c.b.zone[v])
        assert_true(now[0] == was[0] && now[1] == was[1] - (was[1] > 0 ? 0.225 : 0));
      else
        bent += now[0] != was[0] || now[1] != was[1];
    }
    assert_true(bent > 0);
    assert_true(c.report.reached && c.report.smallest_det > 0.2);
    x = ByID(&c);
    y = ByID(&serial);
    AbutTestClose("positions", dim * c.m->num_global, x, y, 1e-12);
    print_message("%dD: smallest det F %g, imbalance %g\n", (int)dim, (double)c.report.smallest_det, (double)Imbalance(&serial));
    assert_true(Imbalance(&serial) < 1e-8);
    free(x);
    free(y);
    CaseClose(&serial);
    CaseClose(&c);
  }
}

/* Distance by which the free side of the left box moves to the right where no other box is near. */
static PetscReal Bulge(PetscInt dim)
{
  PetscReal bulge = 0;
  Case      c;

  CaseOpen(PETSC_COMM_WORLD, dim, 3, 4, &c);
  PressDown(&c, 0.225);
  AbutTestCall(CaseFollow(&c));
  for (PetscInt v = 0; v < c.b.num_vertices; v++)
    if (!c.b.body[v]) bulge = PetscMax(bulge, c.b.x[dim * v] - 0.5);
  CaseClose(&c);
  return bulge;
}

/* The free side bulges towards the other box: the gap is opened again, and that box moves, too. */
static void GapStaysOpen(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    PetscReal moved = 0;
    Case      c;

    CaseOpen(PETSC_COMM_WORLD, dim, Bulge(dim) + 0.5 * GAP, 4, &c);
    PressDown(&c, 0.225);
    AbutTestCall(CaseFollow(&c));
    for (PetscInt i = 0; i < dim * c.m->num_owned; i++)
      if (c.m->vertex_body[i / dim]) moved = PetscMax(moved, PetscAbsReal(c.x[i] - c.m->rest[i]));
    assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD), 0);
    print_message("%dD: gap %g, the other box moved by %g\n", (int)dim, (double)(Distance(&c.b) / GAP), (double)moved);
    assert_true(Distance(&c.b) >= GAP && moved > 1e-4);
    assert_true(c.report.reached && c.report.smallest_det > 0.2);
    CaseClose(&c);
  }
}

/* The mirror image of a surface is out of reach: the message names the body; the other body alone has reached its targets. */
static void Refused(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Case c;

    CaseOpen(PETSC_COMM_WORLD, dim, 3, 3, &c);
    for (PetscInt v = 0; v < c.b.num_vertices; v++) {
      c.b.zone[v] = PETSC_TRUE;
      c.b.x[dim * v] += c.b.body[v] ? 0.5 : -2 * c.start[dim * v];
    }
    assert_int_equal(CaseFollow(&c), ABUT_ERR_DIVERGED);
    assert_non_null(strstr(AbutErrorMessage(), "the cells of 'left' cannot follow its surface"));
    AbutErrorClear();
    assert_false(c.report.reached);
    assert_true(c.report.body == 0 && c.report.fraction > 0 && c.report.fraction < 1);
    CaseClose(&c);
  }
}

/* Bodies that stay distributed move as bodies that one rank solves. */
static void TogetherOrAlone(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    PetscReal *x[2];
    PetscInt   size = 0;

    for (int together = 0; together < 2; together++) {
      Case c;

      if (together) AbutTestCall(PetscOptionsSetValue(NULL, "-abut_follow_alone", "0"));
      CaseOpen(PETSC_COMM_WORLD, dim, 3, 4, &c);
      PressDown(&c, 0.15);
      for (PetscInt v = 0; v < c.b.num_vertices; v++)
        if (c.b.body[v]) c.b.x[dim * v] += 0.3 * c.start[dim * v + 1];
      AbutTestCall(CaseFollow(&c));
      x[together] = ByID(&c);
      size        = dim * c.m->num_global;
      CaseClose(&c);
    }
    AbutTestCall(PetscOptionsClearValue(NULL, "-abut_follow_alone"));
    AbutTestClose("positions", size, x[0], x[1], 1e-9);
    free(x[0]);
    free(x[1]);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(AffineSurface), cmocka_unit_test(FreeSides), cmocka_unit_test(GapStaysOpen),
                                     cmocka_unit_test(Refused), cmocka_unit_test(TogetherOrAlone)};
  return AbutTestMain(argc, argv, tests);
}
