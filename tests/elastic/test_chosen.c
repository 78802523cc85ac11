/* Of a chosen set of vertices exactly the cells that have one are projected, on any number of ranks. */
#include "../../src/elastic/elasticimpl.h"
#include "hessian.h"

typedef struct {
  const PetscReal *x;
  const PetscBool *chosen;
} Choice;

/* A twin of the elastic object in which all cells but one are empty, so that its Hessian is that of one cell. */
static void AddOneByOne(const Solid *solid, AbutAssembler as, const void *ctx)
{
  const Choice         *choice = ctx;
  const PetscInt        nv = solid->local->dim + 1, nc = solid->local->num_cells;
  PetscReal            *volumes = calloc((size_t)nc + 1, sizeof(*volumes));
  struct _p_AbutElastic twin    = *solid->elastic;

  twin.volumes = volumes;
  twin.chosen  = NULL;
  for (PetscInt c = 0; c < nc; c++) {
    PetscBool touched = PETSC_FALSE;
    for (PetscInt a = 0; a < nv; a++) touched = (PetscBool)(touched || choice->chosen[solid->local->cells[nv * c + a]]);
    volumes[c] = solid->elastic->volumes[c];
    AbutTestCall(AbutElasticAddHessian(&twin, choice->x, 1, touched ? ABUT_PSD_CLAMP : ABUT_PSD_NONE, as));
    volumes[c] = 0;
  }
  free(volumes);
}

static void AddChosen(const Solid *solid, AbutAssembler as, const void *ctx)
{
  AbutTestCall(AbutElasticAddHessian(solid->elastic, ((const Choice *)ctx)->x, 1, ABUT_PSD_CLAMP, as));
}

static void AddUnprojected(const Solid *solid, AbutAssembler as, const void *ctx)
{
  AbutTestCall(AbutElasticAddHessian(solid->elastic, ((const Choice *)ctx)->x, 1, ABUT_PSD_NONE, as));
}

static PetscReal Distance(PetscInt n, const PetscReal a[], const PetscReal b[])
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < n; i++) sum += PetscSqr(a[i] - b[i]);
  return PetscSqrtReal(Sum(sum));
}

static void ExactlyTheChosen(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Solid      solid;
    PetscReal *x, *p, *got, *expected, *none, *all;
    PetscBool *chosen;
    PetscInt   n;

    SolidCreate(PETSC_COMM_WORLD, dim, 2, ABUT_MATERIAL_NEO_HOOKEAN, ABUT_MATERIAL_FIXED_COROTATED, &solid);
    n        = solid.local->num_owned * dim;
    x        = RandomState(&solid, 0.1, 1);
    p        = RandomField(&solid, 1, 2);
    got      = RandomField(&solid, 0, 0);
    expected = RandomField(&solid, 0, 0);
    none     = RandomField(&solid, 0, 0);
    all      = RandomField(&solid, 0, 0);
    chosen   = calloc((size_t)solid.local->num_local + 1, sizeof(*chosen));
    for (PetscInt v = 0; v < solid.local->num_local; v++) chosen[v] = (PetscBool)(solid.local->vertex_id[v] % 5 == 0);
    MultiplyAssembled(&solid, AddUnprojected, &(Choice){.x = x}, p, none);
    MultiplyAssembled(&solid, AddChosen, &(Choice){.x = x}, p, all);
    AbutTestCall(AbutElasticChoose(solid.elastic, chosen));
    MultiplyAssembled(&solid, AddChosen, &(Choice){.x = x}, p, got);
    MultiplyAssembled(&solid, AddOneByOne, &(Choice){.x = x, .chosen = chosen}, p, expected);
    AssertNear("chosen cells", n, got, expected, 1, 1e-12);
    /* some cells are indefinite within the set and some outside: projecting all or none would be seen */
    assert_true(Distance(n, got, none) > 1e-3 * Distance(n, all, none));
    assert_true(Distance(n, got, all) > 1e-3 * Distance(n, all, none));
    AbutTestCall(AbutElasticChoose(solid.elastic, NULL));
    MultiplyAssembled(&solid, AddChosen, &(Choice){.x = x}, p, got);
    AssertNear("all cells again", n, got, all, 1, 1e-15);
    free(x);
    free(p);
    free(got);
    free(expected);
    free(none);
    free(all);
    free(chosen);
    SolidDestroy(&solid);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(ExactlyTheChosen)};
  return AbutTestMain(argc, argv, tests);
}
