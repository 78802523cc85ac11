#include "contacts.h"
#include <math.h>

void ContactCreate(const Shape shape[2], const AbutDeformPairControl *control, Contact *contact)
{
  PetscReal threshold;

  for (PetscInt s = 0; s < 2; s++) {
    contact->shape[s] = shape[s];
    ShapeSurface(&shape[s], s ? "second" : "first", &contact->surface[s]);
  }
  AbutTestCall(AbutDeformPairCreate(contact->surface[0], contact->surface[1], &contact->pair));
  contact->pair->control = *control;
  AbutTestCall(AbutDeformPairIntersect(contact->pair));
  AbutTestCall(AbutDeformPairMap(contact->pair));
  AbutTestCall(AbutZoneThreshold(contact->pair, &threshold));
  AbutTestCall(AbutZoneExtract(contact->pair, threshold));
}

void ContactBallPlane(const PetscInt n[2], PetscReal width, PetscReal depth, const AbutDeformPairControl *control, Contact *contact)
{
  /* a position off the vertices of the square and the middle of its edges */
  const PetscReal centre[3] = {0.0123, 0.0071, 1 - depth};
  Shape           shape[2];

  ShapeSphere(n[0], 1, centre, &shape[0]);
  ShapeGrid(n[1], width, 0, &shape[1]);
  ContactCreate(shape, control, contact);
}

static PetscReal Zero(AbutDeformSurface surface, PetscInt i, PetscInt j, PetscReal (*level)(const PetscReal x[3], PetscReal at),
                      PetscReal at)
{
  const PetscReal *a = &surface->x[3 * i], *b = &surface->x[3 * j];
  PetscReal        low = 0, high = 1;

  for (PetscInt k = 0; k < 60; k++) {
    const PetscReal middle = (low + high) / 2;
    const PetscReal x[3]   = {a[0] + middle * (b[0] - a[0]), a[1] + middle * (b[1] - a[1]), a[2] + middle * (b[2] - a[2])};

    if (level(x, at) < 0)
      low = middle;
    else
      high = middle;
  }
  return low;
}

void ContactZone(const Shape *shape, PetscReal (*level)(const PetscReal x[3], PetscReal at), PetscReal at, Contact *contact)
{
  AbutContactZone *zone;

  contact->shape[0] = *shape;
  ShapeSphere(1, 1, (PetscReal[]){0, 0, 0}, &contact->shape[1]);
  for (PetscInt s = 0; s < 2; s++) ShapeSurface(&contact->shape[s], s ? "second" : "first", &contact->surface[s]);
  AbutTestCall(AbutDeformPairCreate(contact->surface[0], contact->surface[1], &contact->pair));
  zone = &contact->pair->zone[0];
  for (PetscInt v = 0; v < shape->num_vertices; v++) {
    zone->contains[v] = (PetscBool)(level(&shape->x[3 * v], at) < 0);
    if (zone->contains[v]) zone->vertex[zone->num++] = v;
  }
  for (PetscInt e = 0; e < contact->surface[0]->num_edges; e++) {
    const PetscInt *v = contact->surface[0]->edge[e], in = zone->contains[v[0]] ? v[0] : v[1], out = v[0] + v[1] - in;

    if (zone->contains[v[0]] == zone->contains[v[1]]) continue;
    AbutTestCall(AbutReserve(zone->num_border + 1, &zone->border_capacity, &zone->border));
    zone->border[zone->num_border++] =
      (AbutBorderPoint){.edge = e, .inside = in, .outside = out, .alpha = Zero(contact->surface[0], in, out, level, at)};
  }
}

void ContactFree(Contact *contact)
{
  AbutTestCall(AbutDeformPairDestroy(&contact->pair));
  for (PetscInt s = 0; s < 2; s++) {
    AbutTestCall(AbutDeformSurfaceDestroy(&contact->surface[s]));
    ShapeFree(&contact->shape[s]);
  }
}

void PairFree(AbutDeformPair **pair, Shape shape[2])
{
  AbutDeformSurface surface[2] = {(*pair)->surface[0], (*pair)->surface[1]};

  AbutTestCall(AbutDeformPairDestroy(pair));
  for (PetscInt s = 0; s < 2; s++) {
    AbutTestCall(AbutDeformSurfaceDestroy(&surface[s]));
    ShapeFree(&shape[s]);
  }
}
