/* Energy, gradient and contacts of a deformed state with many contacts on all ranks equal the values on one rank, to 1e-12 relative. */
#include "test.h"
#include <abut/time.h>
#include <string.h>

enum { MOST = 4000 };

typedef struct {
  PetscInt  num_vertices, contacts;
  PetscReal elastic, contact;
  PetscReal gradient[MOST * 3]; /* by vertex id */
} Result;

static void SetBox(AbutBodySpec *body, const char name[], PetscInt dim, PetscReal x, PetscReal y, PetscReal z, PetscReal size)
{
  memset(body, 0, sizeof(*body));
  strcpy(body->name, name);
  strcpy(body->place, "test");
  body->shape.kind = ABUT_SHAPE_BOX;
  for (int i = 0; i < 3; i++) {
    body->shape.size[i]   = size;
    body->shape.cells[i]  = i < dim ? 3 : 1;
    body->shape.scale[i]  = 1;
    body->shape.copies[i] = 1;
  }
  body->shape.translate[0] = x;
  body->shape.translate[1] = y;
  body->shape.translate[2] = z;
}

/* Smooth deformation plus noise that depends on the vertex id only, hence equal for every distribution. */
static void Deform(const AbutMeshLocal *local, PetscReal x[])
{
  for (PetscInt v = 0; v < local->num_local; v++) {
    uint64_t seed = (uint64_t)local->vertex_id[v] * 7919 + 13;
    for (PetscInt i = 0; i < local->dim; i++) {
      const PetscReal X = local->rest[v * local->dim + i], Y = local->rest[v * local->dim + (i + 1) % local->dim];
      (void)AbutTestRandom(&seed);
      x[v * local->dim + i] = X + 0.05 * PetscSinReal(2 * Y) + 0.01 * AbutTestRandom(&seed);
    }
  }
}

static void Evaluate(MPI_Comm comm, PetscInt dim, Result *result)
{
  AbutBodySpec     bodies[4];
  AbutMaterialSpec materials[2] = {{"a", ABUT_MATERIAL_NEO_HOOKEAN, 1e5, 0.4, 1000}, {"b", ABUT_MATERIAL_FIXED_COROTATED, 3e4, 0.3, 500}};
  AbutPlaneSpec    plane        = {"floor", {0, -0.72, 0}, {0, 1, 0}};
  AbutMesh         mesh;
  const AbutMeshLocal  *local;
  AbutElastic           elastic;
  AbutContact           contact;
  AbutPotential         potential;
  const AbutCandidates *candidates;
  AbutPotentialStats    stats;
  PetscReal            *x, *g, energies[2], step = 0;

  SetBox(&bodies[0], "a", dim, 0, 0, 0, 1);
  SetBox(&bodies[1], "b", dim, 1.2, 0.1, 0.05, 1);
  SetBox(&bodies[2], "c", dim, 0.3, 1.2, 0.1, 1);
  SetBox(&bodies[3], "wall", dim, -1.3, 0, 0, 1);
  bodies[1].material = 1;
  bodies[3].material = -1;
  bodies[3].obstacle = PETSC_TRUE;
  AbutTestCall(AbutMeshCreate(comm, dim, 4, bodies, &mesh));
  local = AbutMeshGetLocal(mesh);
  AbutTestCall(AbutElasticCreate(mesh, 2, materials, &elastic));
  AbutTestCall(AbutContactCreate(mesh, 1, &plane, &contact));
  AbutTestCall(AbutPotentialCreate(comm, "ipc", &potential));
  AbutTestCall(AbutPotentialSetDhat(potential, 0.4));
  AbutTestCall(AbutPotentialSetStiffness(potential, 1e5));
  AbutTestCall(PetscMalloc1(local->num_local * dim, &x));
  Deform(local, x);
  AbutTestCall(AbutContactSetActiveDistance(contact, 0.2)); /* candidates move between ranks */
  AbutTestCall(AbutContactSearch(contact, x, NULL, &step, 0.4));
  candidates = AbutContactGetCandidates(contact);
  AbutTestCall(AbutPotentialSetState(potential, candidates, candidates->x));
  AbutTestCall(AbutPotentialGetStats(potential, &stats));
  energies[0] = AbutElasticEnergy(elastic, x);
  AbutTestCall(AbutPotentialEnergy(potential, candidates, candidates->x, &energies[1]));
  AbutTestCall(PetscCalloc1(candidates->num_vertices * dim, &g));
  AbutElasticAddGradient(elastic, x, 1, g);
  AbutTestCall(AbutPotentialAddGradient(potential, 1, g));
  AbutTestCall(AbutContactReduceAdd(contact, dim, g));

  memset(result, 0, sizeof(*result));
  result->num_vertices = local->num_global;
  assert_true(local->num_global <= MOST);
  result->contacts = stats.contacts;
  for (PetscInt v = 0; v < local->num_owned; v++)
    for (PetscInt i = 0; i < dim; i++) result->gradient[local->vertex_id[v] * dim + i] = g[v * dim + i];
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, energies, 2, MPIU_REAL, MPIU_SUM, comm), 0);
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &result->contacts, 1, MPIU_INT, MPI_SUM, comm), 0);
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, result->gradient, MOST * 3, MPIU_REAL, MPIU_SUM, comm), 0);
  result->elastic = energies[0];
  result->contact = energies[1];
  AbutTestCall(PetscFree(x));
  AbutTestCall(PetscFree(g));
  AbutTestCall(AbutPotentialDestroy(&potential));
  AbutTestCall(AbutContactDestroy(&contact));
  AbutTestCall(AbutElasticDestroy(&elastic));
  AbutTestCall(AbutMeshDestroy(&mesh));
}

static void Compare(PetscInt dim)
{
  static Result together, alone;
  PetscReal     most = 0;

  Evaluate(PETSC_COMM_WORLD, dim, &together);
  Evaluate(PETSC_COMM_SELF, dim, &alone);
  assert_true(alone.contacts > 20); /* enough contacts for the comparison to be meaningful */
  assert_int_equal(together.contacts, alone.contacts);
  assert_true(alone.contact > 0 && alone.contact < 1e100 && alone.elastic > 0 && alone.elastic < 1e100);
  assert_true(PetscAbsReal(together.elastic - alone.elastic) <= 1e-12 * alone.elastic);
  assert_true(PetscAbsReal(together.contact - alone.contact) <= 1e-12 * alone.contact);
  for (PetscInt k = 0; k < alone.num_vertices * dim; k++) most = PetscMax(most, PetscAbsReal(alone.gradient[k]));
  for (PetscInt k = 0; k < alone.num_vertices * dim; k++)
    if (PetscAbsReal(together.gradient[k] - alone.gradient[k]) > 1e-12 * most)
      fail_msg("gradient %ld is %.17g, alone %.17g", (long)k, (double)together.gradient[k], (double)alone.gradient[k]);
}

static void TestSameOnAllRanks2D(void **state)
{
  (void)state;
  Compare(2);
}

static void TestSameOnAllRanks3D(void **state)
{
  (void)state;
  Compare(3);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestSameOnAllRanks2D), cmocka_unit_test(TestSameOnAllRanks3D)};
  return AbutTestMain(argc, argv, tests);
}
