/* abut contacts: expected normals of a scene by pairs of bodies, and the measures of contacts by them. */
#include "contacts.h"
#include <abut/containers.h>
#include <abut/dense.h>
#include <math.h>

/* An expected normal of one pair of bodies. */
typedef struct {
  PetscInt  body[2], order; /* body[0] < body[1]; position in the list */
  PetscReal normal[3];      /* from body[0] to body[1] */
  PetscBool follows_centers;
  PetscInt  contacts;
  PetscReal area;
} Entry;

typedef struct {
  PetscInt n, capacity;
  Entry   *a;
} Entries;

static PetscErrorCode AddEntry(Entries *entries, const ExpectedNormalSpec *spec, PetscInt a, PetscInt b)
{
  const PetscReal sign  = a < b ? 1 : -1;
  Entry           entry = {{PetscMin(a, b), PetscMax(a, b)}, entries->n, {0, 0, 0}, spec->follows_centers, spec->contacts, spec->area};

  PetscFunctionBegin;
  for (int k = 0; k < 3; k++) entry.normal[k] = sign * spec->normal[k];
  PetscCall(AbutReserve(entries->n + 1, &entries->capacity, &entries->a));
  entries->a[entries->n++] = entry;
  PetscFunctionReturn(0);
}

/* Adds an entry for each pair of bodies that the names in the scene denote. */
static PetscErrorCode Resolve(const AbutScene *scene, const AbutMeshLocal *m, Entries *entries)
{
  const AbutSceneList *list = AbutSceneGetList(scene, ExpectedNormalsKey.key);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < list->num; i++) {
    const ExpectedNormalSpec *spec  = &((const ExpectedNormalSpec *)list->items)[i];
    const PetscInt            first = entries->n;

    for (PetscInt a = 0; a < m->num_bodies; a++)
      for (PetscInt b = 0; b < m->num_bodies && NameMeansBody(spec->body[0], &m->bodies[a]); b++)
        if (a != b && NameMeansBody(spec->body[1], &m->bodies[b])) PetscCall(AddEntry(entries, spec, a, b));
    AbutCheck(entries->n > first, ABUT_ERR_INPUT, "%s: expected normal between '%s' and '%s': these are no two bodies", spec->place,
              spec->body[0], spec->body[1]);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode ExpectationsCreate(const AbutScene *scene, const AbutMeshLocal *m, PetscReal angle, PetscReal share, Expectations *e)
{
  Entries        entries = {0, 0, NULL};
  PetscErrorCode code    = Resolve(scene, m, &entries);

  PetscFunctionBegin;
  if (code) PetscCall(PetscFree(entries.a));
  PetscCall(code);
  PetscCall(AbutSortRecords(entries.n, sizeof(*entries.a), 3, entries.a));
  PetscCall(PetscCalloc4(entries.n, &e->pairs, entries.n, &e->normal, entries.n, &e->area, entries.n, &e->follows_centers));
  for (PetscInt i = 0; i < entries.n; i++) {
    const Entry  *entry = &entries.a[i];
    ExpectedPair *pair  = e->num_pairs ? &e->pairs[e->num_pairs - 1] : NULL;

    if (!pair || pair->body[0] != entry->body[0] || pair->body[1] != entry->body[1]) {
      pair = &e->pairs[e->num_pairs++];
      *pair =
        (ExpectedPair){.body    = {entry->body[0], entry->body[1]},
                       .first   = i,
                       .normals = {.normal = (const PetscReal(*)[3]) & e->normal[i], .tolerance = angle * PETSC_PI / 180, .share = share}};
    }
    PetscCall(PetscArraycpy(e->normal[i], entry->normal, 3));
    e->area[i]            = entry->area;
    e->follows_centers[i] = entry->follows_centers;
    pair->normals.num++;
    pair->normals.minimum += entry->contacts;
  }
  e->num_normals = entries.n;
  PetscCall(PetscFree(entries.a));
  PetscFunctionReturn(0);
}

PetscErrorCode ExpectationsDestroy(Expectations *e)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(e->pairs, e->normal, e->area, e->follows_centers));
  PetscFunctionReturn(0);
}

PetscBool ExpectationsFollowCenters(const Expectations *e)
{
  for (PetscInt k = 0; k < e->num_normals; k++)
    if (e->follows_centers[k]) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscErrorCode ExpectationsUpdate(Expectations *e, const AbutMeshLocal *m, const AbutRigidState state[])
{
  PetscFunctionBegin;
  for (PetscInt p = 0; p < e->num_pairs; p++) {
    const ExpectedPair *pair = &e->pairs[p];
    const PetscReal    *from = state[pair->body[0]].center, *to = state[pair->body[1]].center;
    const PetscReal     d[3]   = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    const PetscReal     length = AbutNorm(3, d);

    for (PetscInt k = pair->first; k < pair->first + pair->normals.num; k++) {
      if (!e->follows_centers[k]) continue;
      AbutCheck(length > 0, ABUT_ERR_INPUT,
                "expected normal between '%s' and '%s': their centres coincide, so that `centers` is no direction",
                m->bodies[pair->body[0]].name, m->bodies[pair->body[1]].name);
      for (int c = 0; c < 3; c++) e->normal[k][c] = d[c] / length;
    }
  }
  PetscFunctionReturn(0);
}

/* Range of the contacts of a pair in the sorted list; searches from *from on, which it moves forward. */
static PetscInt FindRange(const AbutPointContacts *contacts, const PetscInt body[2], PetscInt *from)
{
  PetscInt n = 0;

  while (*from < contacts->n) {
    const PetscInt *b = contacts->a[*from].body;
    if (b[0] > body[0] || (b[0] == body[0] && b[1] >= body[1])) break;
    (*from)++;
  }
  while (*from + n < contacts->n && contacts->a[*from + n].body[0] == body[0] && contacts->a[*from + n].body[1] == body[1]) n++;
  return n;
}

AbutContactQuality ExpectationsMeasure(const Expectations *e, const AbutPointContacts *contacts)
{
  AbutContactSums sums = {0};
  PetscInt        from = 0;

  for (PetscInt p = 0; p < e->num_pairs; p++) {
    const PetscInt n = FindRange(contacts, e->pairs[p].body, &from);

    AbutContactsAdd(n, contacts->a + from, &e->pairs[p].normals, &sums);
  }
  return AbutContactSumsQuality(&sums);
}

PetscErrorCode ExpectationsMatch(const Expectations *e, const AbutPointContacts *contacts, PetscReal **match)
{
  PetscInt from = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(contacts->n, match));
  for (PetscInt i = 0; i < contacts->n; i++) (*match)[i] = -2;
  for (PetscInt p = 0; p < e->num_pairs; p++) {
    const AbutExpectedNormals *normals = &e->pairs[p].normals;
    const PetscInt             n       = FindRange(contacts, e->pairs[p].body, &from);

    for (PetscInt i = from; i < from + n; i++) {
      const PetscReal length = contacts->a[i].length, factor = PetscMin(length, 1 / length);

      for (PetscInt k = 0; k < normals->num; k++)
        (*match)[i] = PetscMax((*match)[i], factor * AbutDot(3, contacts->a[i].normal, normals->normal[k]));
    }
  }
  PetscFunctionReturn(0);
}

PetscErrorCode ExpectationsAreas(const Expectations *e, const AbutPointContacts *contacts, AbutContactAreaRow **areas)
{
  PetscInt from = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(e->num_normals, areas));
  for (PetscInt p = 0; p < e->num_pairs; p++) {
    const ExpectedPair *pair = &e->pairs[p];
    const PetscInt      n    = FindRange(contacts, pair->body, &from);

    for (PetscInt k = pair->first; k < pair->first + pair->normals.num; k++) {
      AbutContactAreaRow *row = &(*areas)[k];

      *row = (AbutContactAreaRow){.body = {pair->body[0], pair->body[1]}, .contacts = n, .expected = e->area[k]};
      PetscCall(PetscArraycpy(row->normal, e->normal[k], 3));
      PetscCall(AbutContactsArea(n, contacts->a + from, e->normal[k], &row->area));
      for (PetscInt i = from; i < from + n; i++)
        row->quality += PetscAbsReal(AbutDot(3, contacts->a[i].normal, e->normal[k])) / (PetscReal)n;
    }
  }
  PetscFunctionReturn(0);
}
