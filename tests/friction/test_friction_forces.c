/* Friction forces: balance between bodies, closed forms for planes that move and rotate, invalid input. */
#include "../potential/friction_scene.h"

/* Adds the force of a pair to its first body and subtracts it from the second. */
static void AddToBodies(const PetscReal force[3], const PetscInt body[2], PetscInt dim, PetscReal total[][3])
{
  for (PetscInt k = 0; k < dim; k++) {
    total[body[0]][k] += force[k];
    total[body[1]][k] -= force[k];
  }
}

/*
  The gradient summed over a body equals the sum of the resultants of its pairs: for friction and, in 2D, where no pair is mollified, for
  the potential. Sums have tens of forces of up to 1e3.
*/
static void ResultantsBalance(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    PetscReal      friction[4][3] = {{0}}, normal[4][3] = {{0}}, body[3][6] = {{0}}, *g, *push;
    FrictionStage  s;
    AbutPairForce *pairs;
    PetscInt       count;
    StageOpen(PETSC_COMM_WORLD, dim, NULL, &s);
    AbutTestCall(
      AbutFrictionPairForces(s.friction, &(AbutPointForces){s.c, s.num_points, s.points, s.scale, NULL, NULL}, 0, &count, &pairs));
    for (PetscInt i = 0; i < count; i++) {
      AddToBodies(pairs[i].friction, pairs[i].body, dim, friction);
      AddToBodies(pairs[i].normal, pairs[i].body, dim, normal);
    }
    g    = GradientAt(&s, 0);
    push = calloc((size_t)(s.c->num_vertices * dim + 1), sizeof(*push));
    AbutTestCall(AbutPotentialAddGradient(s.pot, s.scale, push));
    AbutTestCall(AbutContactReduceAdd(s.contact, dim, push));
    for (PetscInt i = 0; i < s.m->num_owned * dim; i++) {
      body[s.m->vertex_body[i / dim]][i % dim] -= g[i];
      body[s.m->vertex_body[i / dim]][3 + i % dim] -= push[i];
    }
    MPI_Allreduce(MPI_IN_PLACE, body, 18, MPIU_REAL, MPIU_SUM, s.comm);
    for (int b = 0; b < 3; b++) {
      assert_true(AbutDot(dim, body[b], body[b]) > 1e-6);
      AbutTestClose("friction on a body", dim, friction[b], body[b], 1e-11);
      if (dim == 2) AbutTestClose("normal force on a body", dim, normal[b], body[b] + 3, 1e-11);
    }
    AbutTestCall(PetscFree(pairs));
    free(g), free(push);
    StageClose(&s);
  }
}

/*
  Bodies at rest on a plane that moves and rotates: the friction force points along the displacement of the plane at the contact. It is
  mu_kinetic N beyond the threshold, mu f1 N below.
*/
static void PlaneDragsItsContacts(void **state)
{
  const AbutRigidMotion motion  = {{0.2, 0.1, 0}, {0, 0, 0.03}, {0.004, 0.001, 0}};
  PetscInt              seen[2] = {0, 0};

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    const AbutRigidMotion      slide = {.shift = {0.02, 0, 0}};
    const AbutFrictionContact *contacts;
    FrictionStage              s;
    PetscReal                 *x;
    PetscInt                   count;
    StageOpen(PETSC_COMM_WORLD, dim, dim == 3 ? &motion : &slide, &s);
    x = ById(s.comm, s.m, s.start);
    AbutTestCall(AbutFrictionSetLine(s.friction, s.start, NULL));
    AbutTestCall(AbutFrictionGetContacts(s.friction, 0, &count, &contacts));
    for (PetscInt i = 0; i < count; i++) {
      const AbutFrictionContact *c    = &contacts[i];
      PetscReal                  d[3] = {0, 0, 0}, expected[3] = {0, 0, 0}, y, f1_over_y;
      if (c->body[1] >= 0) {
        assert_true(c->slip == 0 && c->sticking);
        continue;
      }
      assert_true(c->body[1] == -1 && c->body[0] == 0 && c->vertex_id[0] >= 0 && c->vertex_id[1] == -1);
      if (dim == 2)
        d[0] = 0.02;
      else {
        const PetscReal *at = x + 3 * c->vertex_id[0], dx = at[0] - 0.2, dy = at[1] - 0.1;
        d[0] = (PetscCosReal(0.03) - 1) * dx - PetscSinReal(0.03) * dy + 0.004;
        d[1] = PetscSinReal(0.03) * dx + (PetscCosReal(0.03) - 1) * dy + 0.001;
      }
      y = PetscSqrtReal(AbutDot(3, d, d));
      AbutFrictionPotential(y, s.threshold, AbutFrictionCoefficientAtRest(0.5, 0.4), 0.4, &f1_over_y, NULL);
      if (y > s.threshold) assert_true(PetscAbsReal(f1_over_y * y - 0.4) < 1e-15);
      for (int k = 0; k < 3; k++) expected[k] = c->normal_force * f1_over_y * d[k];
      AbutTestClose("slip", 1, &c->slip, &y, 1e-14);
      AbutTestClose("drag", 3, c->friction_force, expected, 1e-10); /* round-off of positions 1e-16 times force / threshold = 1e3 / 1e-2 */
      assert_true(c->sticking == (y < s.threshold));
      seen[c->sticking]++;
    }
    free(x);
    StageClose(&s);
  }
  MPI_Allreduce(MPI_IN_PLACE, seen, 2, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD);
  assert_true(seen[0] > 0 && seen[1] > 0);
}

/* Bodies that move with the plane have no slip. */
static void MovingAlongIsRest(void **state)
{
  const AbutRigidMotion      motion = {{0.2, 0.1, 0}, {0, 0, 0.7}, {0.4, 0.1, 0}};
  const AbutFrictionContact *contacts;
  FrictionStage              s;
  PetscInt                   count, seen = 0;

  (void)state;
  StageOpen(PETSC_COMM_WORLD, 3, &motion, &s);
  for (PetscInt v = 0; v < s.m->num_owned; v++) {
    memcpy(s.x + 3 * v, s.start + 3 * v, 3 * sizeof(PetscReal));
    AbutRigidMove(3, &motion, s.x + 3 * v);
  }
  AbutTestCall(AbutFrictionSetLine(s.friction, s.x, NULL));
  AbutTestCall(AbutFrictionGetContacts(s.friction, 0, &count, &contacts));
  for (PetscInt i = 0; i < count; i++) {
    if (contacts[i].body[1] < 0) {
      assert_true(contacts[i].slip < 1e-15);
      seen++;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &seen, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD);
  assert_true(seen >= 16);
  StageClose(&s);
}

static void Refused(AbutMesh mesh, const AbutFrictionTable *table, const char says[])
{
  AbutFriction friction;

  assert_int_equal(AbutFrictionCreate(mesh, 0, NULL, table, &friction), ABUT_ERR_INPUT);
  if (!strstr(AbutErrorMessage(), says)) fail_msg("\"%s\" does not say \"%s\"", AbutErrorMessage(), says);
  AbutErrorClear();
}

/* Invalid tables are errors; a table of zeros gives no friction. */
static void TablesAreChecked(void **state)
{
  PetscReal         mu[9] = {0}, nu[9] = {0}, energy = 1;
  AbutFrictionTable table = {3, mu, nu};
  AbutMesh          mesh  = CreateMesh(PETSC_COMM_WORLD, 2);
  AbutFriction      friction;

  (void)state;
  AbutTestCall(AbutFrictionCreate(mesh, 0, NULL, &table, &friction));
  assert_false(AbutFrictionIsActive(friction));
  AbutTestCall(AbutFrictionLag(friction, NULL, 0, NULL, 1, 1, 1));
  AbutTestCall(AbutFrictionEnergy(friction, 0, &energy));
  assert_true(energy == 0);
  AbutTestCall(AbutFrictionDestroy(&friction));
  mu[1] = 0.5;
  Refused(mesh, &table, "depends on their order");
  mu[3] = 0.5;
  nu[4] = -1;
  Refused(mesh, &table, "coefficient -1");
  nu[4]              = 0;
  table.num_surfaces = 2;
  mu[1] = mu[2] = mu[3] = 0;
  Refused(mesh, &table, "surface 2 of \"body 2\"");
  AbutTestCall(AbutMeshDestroy(&mesh));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(ResultantsBalance), cmocka_unit_test(PlaneDragsItsContacts),
                                     cmocka_unit_test(MovingAlongIsRest), cmocka_unit_test(TablesAreChecked)};
  return AbutTestMain(argc, argv, tests);
}
