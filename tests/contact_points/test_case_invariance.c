/*
  Rotation, translation and scale of the ten fundamental cases of Erleben 2018: every method finds the moved contacts. The scene of each
  case is read from inputs/contact_points and placed anew. The tolerances of the case are multiplied by the scale: the mesh diagonal,
  their unit, depends on the rotation.
*/
#include "cells.h"
#include <abut/private/tools.h>
#include <math.h>
#include <string.h>

static const char *const cases[] = {"spike_in_crack", "spike_in_hole",   "wedge_in_crack", "sliding_spike", "sliding_wedge",
                                    "spikes",         "spike_and_wedge", "wedges",         "cliff_edges",   "internal_edges"};

/* x becomes scale R_x R_y R_z x + shift; angles in degrees. */
typedef struct {
  PetscReal angle[3], shift[3], scale;
} Placement;

static const Placement placements[] = {
  {{0, 0, 0}, {0, 0, 0}, 1},     {{37, -61, 115}, {0, 0, 0}, 1},    {{0, 0, 90}, {0, 0, 0}, 1},      {{0, 0, 0}, {31.7, -12.3, 5.9}, 1},
  {{0, 0, 0}, {0, 0, 0}, 0.003}, {{0, 0, 0}, {0, 0, 0}, 1000. / 7}, {{-143, 20, 8}, {-3, 7, 2}, 0.7}};

static void Rotate(const Placement *place, PetscReal x[3])
{
  for (int axis = 2; axis >= 0; axis--) {
    const PetscReal c = cos(place->angle[axis] * PETSC_PI / 180), s = sin(place->angle[axis] * PETSC_PI / 180);
    const int       i = (axis + 1) % 3, j = (axis + 2) % 3;
    const PetscReal y = c * x[i] - s * x[j];

    x[j] = s * x[i] + c * x[j];
    x[i] = y;
  }
}

static void Place(const Placement *place, PetscReal x[3])
{
  Rotate(place, x);
  for (int i = 0; i < 3; i++) x[i] = place->scale * x[i] + place->shift[i];
}

/* The mesh of a scene whose bodies are translated only, placed anew. */
static AbutMesh PlacedMesh(const AbutScene *scene, const Placement *place)
{
  AbutMesh      mesh;
  AbutBodySpec *specs = calloc((size_t)scene->num_bodies, sizeof(*specs));

  for (PetscInt b = 0; b < scene->num_bodies; b++) {
    AbutShapeSpec *shape = &specs[b].shape;

    specs[b] = scene->bodies[b];
    Place(place, shape->translate);
    for (int i = 0; i < 3; i++) {
      assert_true(shape->rotate[i] == 0 && shape->scale[i] == 1);
      shape->rotate[i] = place->angle[i];
      shape->scale[i]  = place->scale;
    }
  }
  AbutTestCall(AbutMeshCreate(PETSC_COMM_WORLD, 3, scene->num_bodies, specs, &mesh));
  free(specs);
  return mesh;
}

/* Tolerances of the case at rest, times a scale. */
static AbutPointRules ScaledRules(const AbutPointRules *rules, PetscReal scale)
{
  AbutPointRules scaled = *rules;

  scaled.erosion *= scale;
  scaled.reach *= scale;
  scaled.dhat *= scale;
  scaled.touch *= scale;
  scaled.merge *= scale;
  return scaled;
}

/* Contacts in one placement; free with PetscFree(contacts.a). `rules` are set at the first placement. */
static AbutPointContacts FindPlaced(const AbutScene *scene, const char method[], const Placement *place, AbutPointRules *rules)
{
  AbutMesh                 mesh = PlacedMesh(scene, place);
  AbutContactPoints        points;
  const AbutPointContacts *found;
  AbutPointContacts        copy = {0};

  AbutTestCall(AbutContactPointsCreate(mesh, method, &points));
  if (place == placements) *rules = points->rules;
  points->rules = ScaledRules(rules, place->scale);
  AbutTestCall(AbutContactPointsFind(points, AbutMeshGetLocal(mesh)->rest, &found));
  AbutTestCall(AbutPointContactsReserve(&copy, found->n));
  copy.n = found->n;
  if (copy.n) memcpy(copy.a, found->a, sizeof(*copy.a) * (size_t)copy.n);
  AbutTestCall(AbutContactPointsDestroy(&points));
  AbutTestCall(AbutMeshDestroy(&mesh));
  return copy;
}

static PetscReal Force(const AbutPointContacts *contacts)
{
  PetscReal sum = 0;

  for (PetscInt k = 0; k < contacts->n; k++) sum += contacts->a[k].weight;
  return sum;
}

/*
  Whether b has the bodies, position, normal and fraction of the force of the placed contact a. `forces`: sum of the forces over that before
  the placement. Forces of potentials are rounded to 2^-34 of the largest force, which changes the normals of small forces.
*/
static PetscBool IsPlaced(const Placement *place, const AbutPointContact *a, const AbutPointContact *b, PetscReal forces, PetscReal total)
{
  PetscReal x[3], n[3], position = 0, normal = 0;

  for (int i = 0; i < 3; i++) {
    x[i] = a->position[i];
    n[i] = a->normal[i];
  }
  Place(place, x);
  Rotate(place, n);
  for (int i = 0; i < 3; i++) {
    position = PetscMax(position, fabs(x[i] - b->position[i]));
    normal   = PetscMax(normal, fabs(n[i] - b->normal[i]));
  }
  return (PetscBool)(a->body[0] == b->body[0] && a->body[1] == b->body[1] && position < 1e-6 * place->scale &&
                     normal < 1e-5 + 1e-10 * total / a->weight &&
                     fabs(b->weight - forces * a->weight) < 1e-6 * b->weight + 1e-10 * total * forces);
}

static void ExpectPlaced(const char what[], const Placement *place, const AbutPointContacts *a, const AbutPointContacts *b)
{
  const PetscReal forces = a->n ? Force(b) / Force(a) : 1;

  if (a->n != b->n) fail_msg("%s: %d contacts, %d after the placement", what, (int)a->n, (int)b->n);
  for (PetscInt k = 0; k < a->n; k++) {
    const AbutPointContact *c     = &a->a[k];
    PetscBool               found = PETSC_FALSE;

    for (PetscInt j = 0; j < b->n && !found; j++) found = IsPlaced(place, c, &b->a[j], forces, Force(a));
    if (!found)
      fail_msg("%s: no contact for the one at (%g, %g, %g) with normal (%g, %g, %g) and weight %g", what, (double)c->position[0],
               (double)c->position[1], (double)c->position[2], (double)c->normal[0], (double)c->normal[1], (double)c->normal[2],
               (double)c->weight);
  }
}

/* Returns the number of contacts. */
static PetscInt CheckCase(const char name[], const char method[])
{
  AbutScene        *scene;
  AbutPointRules    rules;
  AbutPointContacts contacts;
  char              path[PETSC_MAX_PATH_LEN];

  snprintf(path, sizeof(path), "%s/table4_%s.yaml", CASES_DIR, name);
  AbutTestCall(AbutSceneRead(PETSC_COMM_WORLD, path, &scene));
  contacts = FindPlaced(scene, method, placements, &rules);
  for (size_t k = 1; k < PETSC_STATIC_ARRAY_LENGTH(placements); k++) {
    AbutPointContacts placed = FindPlaced(scene, method, &placements[k], &rules);
    char              what[96];

    snprintf(what, sizeof(what), "%s, %s, placement %d", name, method, (int)k);
    ExpectPlaced(what, &placements[k], &contacts, &placed);
    AbutTestCall(PetscFree(placed.a));
  }
  AbutTestCall(PetscFree(contacts.a));
  AbutTestCall(AbutSceneDestroy(&scene));
  return contacts.n;
}

static void AllCases(void **state)
{
  (void)state;
  AbutTestCall(AbutRegister(ABUT_SCENE_KEY, AbutCommandContacts.key));
  for (int m = 0; AbutContactPointMethodName(m); m++) {
    PetscInt n = 0;

    for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(cases); c++) n += CheckCase(cases[c], AbutContactPointMethodName(m));
    if (n < 20) fail_msg("%s: only %d contacts in all cases", AbutContactPointMethodName(m), (int)n);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(AllCases)};
  return AbutTestMain(argc, argv, tests);
}
