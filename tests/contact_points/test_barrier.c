/*
  Contact potentials as methods: a corner of a cube over a face of another, whose eroded distance is known; the force of "ipc" against its
  formula; activation distance; parameters of the potential.
*/
#include "test.h"
#include <abut/contact_points.h>
#include <abut/dense.h>
#include <math.h>
#include <string.h>

/* A cube with its upper face at y = 0, and a cube that stands on a corner at (x, h, 0.11), over the inside of a triangle if x = 0.07. */
static AbutMesh CornerOverFace(PetscReal x, PetscReal h)
{
  AbutBodySpec specs[2];
  AbutMesh     mesh;

  for (int b = 0; b < 2; b++) {
    AbutTestCall(AbutBodySpecInit(&specs[b]));
    snprintf(specs[b].name, sizeof(specs[b].name), "cube %d", b);
    specs[b].shape.kind = ABUT_SHAPE_BOX;
    for (int k = 0; k < 3; k++) {
      specs[b].shape.size[k]  = 1;
      specs[b].shape.cells[k] = b ? 1 : 4;
    }
  }
  specs[0].shape.translate[1] = -0.5;
  specs[1].shape.translate[0] = x;
  specs[1].shape.translate[1] = h + sqrt(0.75);
  specs[1].shape.translate[2] = 0.11;
  specs[1].shape.rotate[0]    = -atan(sqrt(0.5)) * 180 / PETSC_PI;
  specs[1].shape.rotate[2]    = 45;
  AbutTestCall(AbutMeshCreate(PETSC_COMM_WORLD, 3, 2, specs, &mesh));
  return mesh;
}

static const AbutPointContacts *Find(AbutMesh mesh, const char method[], AbutContactPoints *points)
{
  const AbutPointContacts *found;

  AbutTestCall(AbutContactPointsCreate(mesh, method, points));
  AbutTestCall(AbutContactPointsSetFromOptions(*points));
  AbutTestCall(AbutContactPointsFind(*points, AbutMeshGetLocal(mesh)->rest, &found));
  return found;
}

/* Erosion moves corner and face apart by twice its distance; the contact is in the middle. */
static void Corner(void **state)
{
  const PetscReal eps = 0.01, h = 0.003, d = h + 2 * eps, dhat = 4 * eps;

  (void)state;
  for (int k = 0; AbutPotentialNames[k]; k++) {
    AbutMesh                 mesh = CornerOverFace(0.07, h);
    AbutContactPoints        points;
    const AbutPointContacts *found;
    PetscReal                derivative;

    AbutTestCall(PetscOptionsSetValue(NULL, "-points_erosion", "0.01"));
    found = Find(mesh, AbutPotentialNames[k], &points);
    AbutTestCall(PetscOptionsClearValue(NULL, "-points_erosion"));
    if (found->n != 1) fail_msg("%s: %d contacts", AbutPotentialNames[k], (int)found->n);
    AbutTestClose("normal", 3, found->a[0].normal, (PetscReal[]){0, 1, 0}, 1e-7);
    AbutTestClose("position", 3, found->a[0].position, (PetscReal[]){0.07, h / 2, 0.11}, 1e-12);
    AbutTestClose("separation", 1, &found->a[0].separation, &d, 1e-12);
    assert_true(found->a[0].feature[0] == ABUT_FEATURE_FACE && found->a[0].feature[1] == ABUT_FEATURE_VERTEX);
    assert_true(found->a[0].cell[0] == -1 && found->a[0].weight > 0);
    (void)AbutBarrier(d * d, dhat * dhat, &derivative, NULL);
    if (k == 0) assert_true(fabs(found->a[0].weight + 2 * d * derivative) < 1e-7 * found->a[0].weight);
    AbutTestCall(AbutContactPointsDestroy(&points));
    AbutTestCall(AbutMeshDestroy(&mesh));
  }
}

/* No contact beyond the activation distance; a smaller factor reduces it. */
static void Activation(void **state)
{
  AbutMesh          mesh = CornerOverFace(0.07, 0.03);
  AbutContactPoints points;

  (void)state;
  for (int k = 0; AbutPotentialNames[k]; k++) {
    AbutTestCall(PetscOptionsSetValue(NULL, "-points_erosion", "0.01"));
    assert_int_equal(Find(mesh, AbutPotentialNames[k], &points)->n, 0);
    AbutTestCall(AbutContactPointsDestroy(&points));
    AbutTestCall(PetscOptionsSetValue(NULL, "-points_dhat", "6"));
    assert_int_equal(Find(mesh, AbutPotentialNames[k], &points)->n, 1);
    AbutTestCall(AbutContactPointsDestroy(&points));
    AbutTestCall(PetscOptionsClearValue(NULL, "-points_dhat"));
    AbutTestCall(PetscOptionsClearValue(NULL, "-points_erosion"));
  }
  AbutTestCall(AbutMeshDestroy(&mesh));
}

/*
  A corner beside an edge of the mesh, within the width of the orientation filters. Fixed filters: the force on the face is vertical, and
  every force is the component of the total force along the line between the closest points.
*/
static void LaggedFilters(void **state)
{
  AbutMesh mesh = CornerOverFace(0.245, 0);

  (void)state;
  AbutTestCall(PetscOptionsSetValue(NULL, "-points_merge", "0"));
  for (int k = 2; k < 4; k++) {
    AbutContactPoints        points[2];
    const AbutPointContacts *found[2];
    PetscReal                loss  = 0;
    PetscInt                 faces = 0;

    for (int lagged = 0; lagged < 2; lagged++) {
      AbutTestCall(PetscOptionsSetValue(NULL, "-points_lagged_filters", lagged ? "true" : "false"));
      AbutTestCall(PetscOptionsSetValue(NULL, "-points_erosion", "0.01"));
      found[lagged] = Find(mesh, AbutPotentialNames[k], &points[lagged]);
    }
    assert_true(found[0]->n > 1 && found[0]->n == found[1]->n);
    for (PetscInt i = 0; i < found[0]->n; i++) {
      const AbutPointContact *total = &found[0]->a[i], *fixed = &found[1]->a[i];
      const PetscReal         along = total->weight * AbutDot(3, total->normal, fixed->normal);

      assert_true(fabs(fixed->weight - along) < 1e-6 * total->weight);
      loss = PetscMax(loss, 1 - fixed->weight / total->weight);
      if (fixed->feature[0] != ABUT_FEATURE_FACE) continue;
      AbutTestClose("normal", 3, fixed->normal, (PetscReal[]){0, 1, 0}, 1e-12);
      faces++;
    }
    assert_true(faces > 0 && loss > 1e-3);
    for (int lagged = 0; lagged < 2; lagged++) AbutTestCall(AbutContactPointsDestroy(&points[lagged]));
  }
  AbutTestCall(PetscOptionsClearValue(NULL, "-points_merge"));
  AbutTestCall(PetscOptionsClearValue(NULL, "-points_lagged_filters"));
  AbutTestCall(PetscOptionsClearValue(NULL, "-points_erosion"));
  AbutTestCall(AbutMeshDestroy(&mesh));
}

/* A wrong parameter of the potential is refused when it is first needed; the generator works again after a correct one. */
static void Parameters(void **state)
{
  AbutMesh                 mesh = CornerOverFace(0.07, 0);
  AbutContactPoints        points;
  const AbutPointContacts *found;

  (void)state;
  AbutTestCall(AbutContactPointsCreate(mesh, "oipc", &points));
  AbutTestCall(AbutContactPointsSetPotentialSpec(points, &(AbutPotentialSpec){.alpha = 2}));
  assert_int_equal(AbutContactPointsFind(points, AbutMeshGetLocal(mesh)->rest, &found), ABUT_ERR_INPUT);
  AbutErrorClear();
  AbutTestCall(AbutContactPointsSetPotentialSpec(points, &(AbutPotentialSpec){.alpha = 0.1}));
  AbutTestCall(AbutContactPointsFind(points, AbutMeshGetLocal(mesh)->rest, &found));
  assert_int_equal(found->n, 1);
  AbutTestCall(AbutContactPointsDestroy(&points));
  AbutTestCall(AbutMeshDestroy(&mesh));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Corner), cmocka_unit_test(Activation), cmocka_unit_test(LaggedFilters),
                                     cmocka_unit_test(Parameters)};
  return AbutTestMain(argc, argv, tests);
}
