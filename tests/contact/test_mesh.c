/* The search on meshes of AbutMeshCreate(): two bodies over an obstacle and a plane, the same pairs on every number of ranks. */
#include "test.h"
#include "tuples.h"
#include <stdlib.h>
#include <string.h>

/* Two generated bodies, the upper one 0.02 above the lower; in 3D a third, an obstacle, beside them. */
static AbutMesh CreateMesh(MPI_Comm comm, PetscInt dim)
{
  AbutBodySpec specs[3];
  AbutMesh     mesh;

  memset(specs, 0, sizeof(specs));
  for (int i = 0; i < 3; i++) {
    AbutShapeSpec *shape = &specs[i].shape;

    snprintf(specs[i].name, sizeof(specs[i].name), "body %d", i);
    shape->kind = dim == 3 && i == 1 ? ABUT_SHAPE_BALL : ABUT_SHAPE_BOX;
    for (int k = 0; k < 3; k++) {
      shape->size[k]   = 1;
      shape->cells[k]  = 4;
      shape->scale[k]  = 1;
      shape->copies[k] = 1;
    }
    shape->translate[dim - 1] = i == 1 ? (dim == 3 ? 1.52 : 1.02) : 0; /* generated shapes are centred */
    shape->translate[0]       = i == 2 ? 1.03 : 0.013 * i;
    specs[i].obstacle         = (PetscBool)(i == 2);
    specs[i].material         = i == 2 ? -1 : 0;
  }
  AbutTestCall(AbutMeshCreate(comm, dim, 3, specs, &mesh));
  return mesh;
}

static const AbutPlaneSpec plane = {"floor", {0, 0, -0.01}, {0, 0.5, 1}};

/* Candidates of the bodies falling on each other; the sums of 1 a vertex of a candidate over all vertices come back through `sum`. */
static Tuple *Search(MPI_Comm comm, PetscInt dim, PetscInt *count, PetscReal *sum, PetscInt *crossings)
{
  AbutMesh              mesh = CreateMesh(comm, dim);
  const AbutMeshLocal  *m;
  const AbutCandidates *c;
  AbutContact           contact;
  PetscReal            *x, *p, *values, step = 1;
  Tuple                *tuples;

  m = AbutMeshGetLocal(mesh);
  AbutTestCall(AbutContactCreate(mesh, 1, &plane, &contact));
  x = malloc(sizeof(*x) * (size_t)(2 * m->num_local * dim + 1));
  p = x + m->num_local * dim;
  for (PetscInt i = 0; i < m->num_local * dim; i++) {
    x[i] = m->rest[i];
    p[i] = i % dim == dim - 1 && m->vertex_body[i / dim] == 1 ? -0.1 : 0;
  }
  AbutTestCall(AbutContactSearch(contact, x, p, &step, 0.01));
  c      = AbutContactGetCandidates(contact);
  tuples = GatherTuples(c, comm, count);
  values = calloc((size_t)c->num_vertices + 1, sizeof(*values));
  for (PetscInt i = 0; i < 4 * c->num_fv; i++) values[c->fv[i / 4][i % 4]]++;
  for (PetscInt i = 0; i < 4 * c->num_ee; i++) values[c->ee[i / 4][i % 4]]++;
  for (PetscInt i = 0; i < 3 * c->num_ev; i++) values[c->ev[i / 3][i % 3]]++;
  AbutTestCall(AbutContactReduceAdd(contact, 1, values));
  *sum = 0;
  for (PetscInt v = 0; v < m->num_owned; v++) *sum += values[v] * (PetscReal)(1 + m->vertex_id[v]);
  MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPIU_REAL, MPIU_SUM, comm);
  for (PetscInt i = 0; i < m->num_local * dim; i++) x[i] += p[i];
  AbutTestCall(AbutContactCheck(contact, x, crossings, NULL, NULL));
  free(values);
  free(x);
  AbutTestCall(AbutContactDestroy(&contact));
  AbutTestCall(AbutMeshDestroy(&mesh));
  return tuples;
}

static void SameOnAllRanks(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    PetscInt  num_one, num_all, cross_one, cross_all;
    PetscReal sum_one, sum_all;
    Tuple    *one = Search(PETSC_COMM_SELF, dim, &num_one, &sum_one, &cross_one);
    Tuple    *all = Search(PETSC_COMM_WORLD, dim, &num_all, &sum_all, &cross_all);

    assert_true(num_one > 10 && cross_one > 0 && sum_one > 0);
    assert_int_equal(num_one, num_all);
    assert_memory_equal(one, all, sizeof(Tuple) * (size_t)num_one);
    assert_true(sum_one == sum_all); /* sums of integers */
    assert_int_equal(cross_one, cross_all);
    free(one);
    free(all);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(SameOnAllRanks)};
  return AbutTestMain(argc, argv, tests);
}
