/* Field of the anisotropic bulge against eq. 7 summed directly. */
#include "contacts.h"
#include "responseimpl.h"
#include <math.h>

/*
  Area of a vertex: a third of the areas of its faces. In a face that the border of the zone cuts, the vertices in the zone share the part
  inside: the corner of relative size alpha_1 alpha_2 at a vertex, or the rest of the face.
*/
static PetscReal ZoneArea(const Contact *contact, PetscInt side, PetscInt v)
{
  const AbutContactZone  *zone    = &contact->pair->zone[side];
  const AbutDeformSurface surface = contact->surface[side];
  PetscReal               sum     = 0;

  for (PetscInt k = surface->vertex_face.start[v]; k < surface->vertex_face.start[v + 1]; k++) {
    const PetscInt *f = surface->face[surface->vertex_face.item[k]], *edge = surface->face_edge[surface->vertex_face.item[k]];
    PetscReal       n[3], area = 0, corner = 1, rest = 1;
    PetscInt        inside = 0;

    for (PetscInt l = 0; l < 3; l++) {
      const PetscReal *a = &surface->x[3 * f[0]], *b = &surface->x[3 * f[1]], *c = &surface->x[3 * f[2]];
      const PetscInt   p = (l + 1) % 3, q = (l + 2) % 3;

      n[l] = ((b[p] - a[p]) * (c[q] - a[q]) - (b[q] - a[q]) * (c[p] - a[p])) / 2;
      area += n[l] * n[l];
      inside += zone->contains[f[l]];
    }
    for (PetscInt l = 0; l < 3; l++) {
      const PetscInt at = AbutBorderFind(zone->num_border, zone->border, edge[l]);

      if (at >= 0) corner *= zone->border[at].alpha;
      if (at >= 0) rest *= 1 - zone->border[at].alpha;
    }
    sum += sqrt(area) * (inside == 3 ? 1. / 3 : (inside == 2 ? (1 - rest) / 2 : corner));
  }
  return sum;
}

/* Eq. 7 at x for the zone of one contact. */
static PetscReal Field(const Contact *contact, PetscInt side, const PetscReal x[3], PetscReal omega)
{
  const AbutMapping      *mapping = &contact->pair->mapping[side];
  const AbutContactZone  *zone    = &contact->pair->zone[side];
  const AbutDeformSurface surface = contact->surface[side];
  PetscReal               sum     = 0;

  for (PetscInt k = 0; k < zone->num; k++) {
    const PetscInt      v     = zone->vertex[k];
    const AbutMapPoint *point = &mapping->point[mapping->index[v]];
    PetscReal           r2 = 0, ahead = 0, way2 = 0;

    for (PetscInt l = 0; l < 3; l++) {
      const PetscReal r = x[l] - surface->x[3 * v + l], way = point->target[l] - surface->x[3 * v + l];

      r2 += r * r;
      way2 += way * way;
      ahead += r * mapping->direction[l];
    }
    sum += ZoneArea(contact, side, v) * sqrt(way2) / sqrt(r2) * (omega == 0 ? 1 : pow(fmax(ahead, 0) / sqrt(r2), omega));
  }
  return sum;
}

/* The field is scaled to the largest value 1 within the extent; a map of the user multiplies it. */
static void CheckField(const Contact *contact, PetscInt side, PetscReal omega)
{
  AbutDeformSurfaceControl control;
  AbutResponse             response;
  PetscReal               *map, *field, largest = 0, highest = 0;
  AbutDeformSurface        surface = contact->surface[side];
  const AbutDeformContact  one     = {contact->pair, side};

  AbutDeformSurfaceControlInit(0.8, &control);
  AbutTestCall(PetscMalloc2(surface->num_vertices, &map, surface->num_vertices, &field));
  AbutTestCall(AbutResponseCreate(surface, 0, &response));
  control.omega = omega;
  control.bulge = map;
  for (PetscInt v = 0; v < surface->num_vertices; v++) map[v] = cos(4 * surface->x[3 * v]);
  AbutTestCall(AbutResponseFields(response, 1, &one, &control));
  for (PetscInt k = 0; k < response->laplace.num; k++) {
    const PetscInt v = response->laplace.vertex[k];

    field[v] = Field(contact, side, &surface->x[3 * v], omega);
    if (response->u[v] < 1) largest = fmax(largest, field[v]);
  }
  assert_true(largest > 0);
  for (PetscInt k = 0; k < response->laplace.num; k++) {
    const PetscInt v = response->laplace.vertex[k];

    if (response->u[v] >= 1) continue;
    highest = fmax(highest, response->bulge[v] / map[v]);
    assert_true(fabs(response->bulge[v] - map[v] * field[v] / largest) < 1e-5);
  }
  assert_true(fabs(highest - 1) < 1e-12);
  AbutTestCall(AbutResponseDestroy(&response));
  AbutTestCall(PetscFree2(map, field));
}

static void Fields(void **state)
{
  AbutDeformPairControl pair;
  Contact               contact;

  (void)state;
  AbutDeformPairControlInit(&pair);
  pair.direction[0] = -0.3;
  pair.direction[2] = 1;
  ContactBallPlane((PetscInt[]){20, 30}, 4, 0.1, &pair, &contact);
  for (PetscInt side = 0; side < 2; side++)
    for (PetscInt omega = 0; omega <= 3; omega++) CheckField(&contact, side, (PetscReal)omega);
  CheckField(&contact, 0, 1.5);
  ContactFree(&contact);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest fields[] = {cmocka_unit_test(Fields)};

  return AbutTestMain(argc, argv, fields);
}
