/*
  Thick cylinder of an incompressible, perfectly plastic metal under a pressure inside, plane strain: displacement and plastic zone against
  the closed form [Hill 1950, chapter V]. With k = Y / sqrt(3) and the zone a < r < c, p = k (2 ln(c / a) + 1 - c^2 / b^2) and the radial
  displacement is k c^2 / (2 mu r) everywhere.
*/
#include "equilibrium.h"

static const PetscReal inner = 0.5, outer = 1.5, young = 1e6, poisson = 0.4999, yield = 100;

typedef struct {
  AbutMesh             mesh;
  const AbutMeshLocal *local;
  AbutElastic          elastic;
  PetscReal           *x, *load; /* [num_local * 2] */
  PetscBool           *fixed;    /* [num_owned * 2] */
} Cylinder;

static void Create(PetscInt cells, Cylinder *p)
{
  const AbutMaterialSpec material = {
    .name = "m", .kind = ABUT_MATERIAL_J2_PLASTICITY, .young = young, .poisson = poisson, .density = 1000, .yield = yield};
  AbutBodySpec spec;
  PetscInt     n;

  AbutTestCall(AbutBodySpecInit(&spec));
  strcpy(spec.name, "cylinder");
  strcpy(spec.place, "test");
  spec.shape.kind     = ABUT_SHAPE_TORUS;
  spec.shape.order    = 2;
  spec.shape.size[0]  = (inner + outer) / 2;
  spec.shape.size[1]  = (outer - inner) / 2;
  spec.shape.cells[0] = cells;
  AbutTestCall(AbutMeshCreate(PETSC_COMM_WORLD, 2, 1, &spec, &p->mesh));
  p->local = AbutMeshGetLocal(p->mesh);
  AbutTestCall(AbutElasticCreate(p->mesh, 1, &material, &p->elastic));
  n = p->local->num_local * 2;
  AbutTestCall(PetscMalloc1(n, &p->x));
  AbutTestCall(PetscCalloc1(n, &p->load));
  AbutTestCall(PetscCalloc1(p->local->num_owned * 2, &p->fixed));
  memcpy(p->x, p->local->rest, sizeof(*p->x) * (size_t)n);
}

static void Destroy(Cylinder *p)
{
  AbutTestCall(PetscFree(p->x));
  AbutTestCall(PetscFree(p->load));
  AbutTestCall(PetscFree(p->fixed));
  AbutTestCall(AbutElasticDestroy(&p->elastic));
  AbutTestCall(AbutMeshDestroy(&p->mesh));
}

static PetscReal RadiusOf(const PetscReal x[2])
{
  return PetscSqrtReal(AbutDot(2, x, x));
}

/* Pressure on the inner circle. */
static void SetPressure(Cylinder *p, PetscReal pressure)
{
  const AbutMeshLocal *m = p->local;

  AbutTestCall(PetscArrayzero(p->load, m->num_local * 2));
  for (PetscInt e = 0; e < m->num_edges; e++) {
    const PetscInt  *v = m->edges + 2 * e;
    const PetscReal *a = m->rest + 2 * v[0], *b = m->rest + 2 * v[1], middle[2] = {(a[0] + b[0]) / 2, (a[1] + b[1]) / 2};
    const PetscReal  length = PetscSqrtReal(PetscSqr(a[0] - b[0]) + PetscSqr(a[1] - b[1])), r = RadiusOf(middle);

    if (r > (inner + outer) / 2) continue;
    for (int end = 0; end < 2; end++)
      for (int i = 0; i < 2; i++) p->load[2 * v[end] + i] -= pressure * length / 2 * middle[i] / r;
  }
}

/* Holds the body against rotation and translation: the vertices on the axes move along them. */
static void Hold(Cylinder *p)
{
  for (PetscInt v = 0; v < p->local->num_owned; v++)
    for (int i = 0; i < 2; i++) p->fixed[2 * v + i] = (PetscBool)(PetscAbsReal(p->local->rest[2 * v + i]) < 1e-9);
}

/* Raises the pressure in steps until the plastic zone has the radius c. */
static PetscReal Load(Cylinder *p, PetscReal c, int steps)
{
  const PetscReal k = yield / PetscSqrtReal(3), pressure = k * (2 * PetscLogReal(c / inner) + 1 - PetscSqr(c / outer));
  PetscReal       mean = 0, count = 0;

  for (int step = 1; step <= steps; step++) {
    SetPressure(p, pressure * step / steps);
    Equilibrium(p->mesh, p->elastic, p->load, p->fixed, 8, p->x);
    AbutElasticAcceptStep(p->elastic, p->x);
  }
  for (PetscInt v = 0; v < p->local->num_owned; v++) {
    const PetscReal r = RadiusOf(p->local->rest + 2 * v);
    if (PetscAbsReal(r - outer) > 1e-9) continue;
    mean += RadiusOf(p->x + 2 * v) - r;
    count++;
  }
  return mean / count / (k * c * c / (2 * young / (2 * (1 + poisson)) * outer));
}

/* Cells whose corners lie within the plastic zone have plastic strains, cells outside of it none; but for a margin of half a cell. */
static void CheckZone(const Cylinder *p, PetscReal c, PetscReal margin)
{
  PetscReal *strain;

  AbutTestCall(PetscMalloc1(p->local->num_cells, &strain));
  AbutElasticGetPlasticStrain(p->elastic, strain);
  for (PetscInt i = 0; i < p->local->num_cells; i++) {
    PetscReal least = outer, most = 0;

    for (int a = 0; a < 3; a++) {
      const PetscReal r = RadiusOf(p->local->rest + 2 * p->local->cells[3 * i + a]);
      least             = PetscMin(least, r);
      most              = PetscMax(most, r);
    }
    if (most < c - margin && !(strain[i] > 0)) fail_msg("elastic at %g to %g m", least, most);
    if (least > c + margin && !(strain[i] < 1e-9)) fail_msg("plastic strain %g at %g to %g m", strain[i], least, most);
  }
  AbutTestCall(PetscFree(strain));
}

/* Elastic up to the first yield, and with a plastic zone of half the wall: the error decreases with the cells. */
static void TestCylinder(void **state)
{
  (void)state;
  for (PetscInt cells = 4; cells <= 8; cells *= 2) {
    Cylinder  p;
    PetscReal first, zone;

    Create(cells, &p);
    Hold(&p);
    first = Load(&p, inner * 0.999999, 1);
    CheckZone(&p, inner, 0.25);
    zone = Load(&p, 1, 6);
    CheckZone(&p, 1, 0.5 / (PetscReal)cells);
    AbutTestCall(PetscPrintf(PETSC_COMM_WORLD,
                             "thick cylinder, %d cells: displacement over the closed form %.4f at first yield, %.4f at c = 2 a\n",
                             (int)cells, (double)first, (double)zone));
    Destroy(&p);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestCylinder)};
  return AbutTestMain(argc, argv, tests);
}
