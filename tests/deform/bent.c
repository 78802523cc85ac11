#include "bent.h"
#include <math.h>
#include <stdlib.h>

#define RADIUS 0.5
#define LENGTH 4.0

/* Point of the unit sphere to point of the capsule at the same fraction of the arc from pole to pole. */
static void PlaceOnCapsule(PetscReal p[3])
{
  const PetscReal total = PETSC_PI * RADIUS + LENGTH, along = asin(PetscMax(-1, PetscMin(1, p[2]))) / PETSC_PI * total;
  const PetscReal flat = hypot(p[0], p[1]), beyond = (fabs(along) - LENGTH / 2) / RADIUS;
  PetscReal       r = RADIUS, x = along;

  if (beyond > 0) {
    r = RADIUS * cos(beyond);
    x = copysign(LENGTH / 2 + RADIUS * sin(beyond), along);
  }
  p[2] = flat > 1e-12 ? r * p[1] / flat : 0;
  p[1] = flat > 1e-12 ? r * p[0] / flat : 0;
  p[0] = x;
}

static PetscReal Fraction(PetscReal x, PetscReal half)
{
  return PetscMax(0, PetscMin(1, (x + half) / (2 * half)));
}

void BentCreate(PetscInt n, PetscReal angle, Bent *bent)
{
  const PetscReal c = cos(angle), s = sin(angle), centre[3] = {0, 0, 0};

  ShapeSphere(n, 1, centre, &bent->rest);
  bent->x      = malloc(3 * (size_t)bent->rest.num_vertices * sizeof(PetscReal));
  bent->region = malloc((size_t)bent->rest.num_vertices * sizeof(PetscReal));
  for (PetscInt v = 0; v < bent->rest.num_vertices; v++) {
    PetscReal *p = &bent->rest.x[3 * v], *y = &bent->x[3 * v], w;

    PlaceOnCapsule(p);
    bent->region[v] = Fraction(p[0], 0.7);
    w               = Fraction(p[0], 0.5);
    w               = w * w * (3 - 2 * w);
    y[0]            = p[0] + w * (c * p[0] + s * p[2] - p[0]);
    y[1]            = p[1];
    y[2]            = p[2] + w * (-s * p[0] + c * p[2] - p[2]);
  }
}

void BentRing(PetscInt n, PetscReal radius, Bent *bent)
{
  BentCreate(n, 0, bent);
  for (PetscInt v = 0; v < bent->rest.num_vertices; v++) {
    const PetscReal *p = &bent->rest.x[3 * v], angle = p[0] / radius;
    PetscReal       *y = &bent->x[3 * v];

    y[0]            = (radius + p[2]) * sin(angle);
    y[1]            = p[1];
    y[2]            = (radius + p[2]) * cos(angle);
    bent->region[v] = p[0] < 0 ? Fraction(p[0] + 0.9, 0.3) : 1 + Fraction(p[0] - 0.9, 0.3);
  }
}

PetscErrorCode BentSetRegions(const Bent *bent, const PetscInt number[], AbutDeformSurface surface)
{
  const PetscInt nv    = bent->rest.num_vertices;
  PetscInt      *start = malloc((size_t)(nv + 1) * sizeof(PetscInt)), num = 0;
  PetscInt      *region = malloc(2 * (size_t)nv * sizeof(PetscInt));
  PetscErrorCode code;

  for (PetscInt v = 0; v < nv; v++) {
    const PetscInt low = (PetscInt)floor(bent->region[v]), high = (PetscInt)ceil(bent->region[v]);
    const PetscInt of[2] = {number ? number[low] : low, number ? number[high] : high};

    start[v]      = num;
    region[num++] = PetscMin(of[0], of[1]);
    if (low < high) region[num++] = PetscMax(of[0], of[1]);
  }
  start[nv] = num;
  code      = AbutDeformSurfaceSetRegions(surface, bent->rest.x, start, region);
  free(start);
  free(region);
  return code;
}

void BentFree(Bent *bent)
{
  ShapeFree(&bent->rest);
  free(bent->x);
  free(bent->region);
}
