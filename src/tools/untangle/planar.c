/*
  Contact deformer in 2D: vertices in another body move onto the shared curve S, and closed curves bulge beside their contacts, so that
  their area is kept.
*/
#include "planar.h"

/* One curve and its displacement. */
typedef struct {
  PlanarCurve curve;
  PetscReal   extent;  /* [m] */
  PetscReal  *y;       /* [2 * num_vertices] displaced positions [m] */
  PetscInt   *contact; /* [num_vertices] pair, or -1 */
  PetscReal  *depth;   /* [num_vertices] of that contact [m] */
} Side;

typedef struct {
  Side                 *side[2];
  PetscInt              number; /* of the pair */
  AbutDeformPairReport *report;
} Contact;

/* ---- Contact zones */

/*
  Share of the way that each side moves: 1 - kbar, and the whole way if the other side has no vertex to move. Both 0 if the side that could
  move has no vertex either.
*/
static void SetShares(const PlanarPair *p, const PlanarContact *c, PetscReal share[2])
{
  const PetscReal k[2] = {p->curve[0]->surface->stiffness, p->curve[1]->surface->stiffness};

  for (PetscInt s = 0; s < 2; s++) {
    share[s] = k[s] == 0 ? 0 : k[1 - s] == 0 ? 1 : k[1 - s] / (k[0] + k[1]);
    if (k[s] > 0 && !c->vertex[1 - s].n) share[s] = 1;
  }
  for (PetscInt s = 0; s < 2; s++)
    if (!c->vertex[s].n && share[1 - s] > 0) share[s] = 0;
}

/* Moves a vertex by `way` along d_s unless a deeper contact moves it. */
static void MoveVertex(const Contact *to, const PlanarContact *c, PetscInt s, PetscInt v, PetscReal depth, PetscReal way)
{
  Side *side = to->side[s];

  if (side->contact[v] >= 0 && side->depth[v] >= depth) return;
  if (side->contact[v] != to->number) to->report->num_zone[s]++;
  side->contact[v] = to->number;
  side->depth[v]   = depth;
  for (PetscInt k = 0; k < 2; k++) side->y[2 * v + k] = PlanarPoint(&side->curve, v)[k] + (s ? -1 : 1) * way * c->direction[k];
}

/* Moves vertices onto S. A side without vertices in the contact that must move alone moves both ends of its edges by the largest depth. */
static PetscErrorCode MoveContact(void *ctx, const PlanarPair *p, const PlanarContact *c)
{
  Contact  *to = (Contact *)ctx;
  PetscReal share[2];

  PetscFunctionBegin;
  SetShares(p, c, share);
  for (PetscInt s = 0; s < 2; s++) {
    if (share[s] == 0) continue;
    for (PetscInt i = 0; i < c->vertex[s].n; i++) MoveVertex(to, c, s, c->vertex[s].a[i], c->depth[s].a[i], share[s] * c->depth[s].a[i]);
    for (PetscInt i = 0; i < 2 * c->edge[s].n && !c->vertex[s].n; i++)
      MoveVertex(to, c, s, PlanarEnd(p->curve[s], c->edge[s].a[i / 2], i % 2), c->deepest, share[s] * c->deepest);
  }
  if (c->deepest >= to->report->depth)
    for (PetscInt k = 0; k < 2; k++) to->report->direction[k] = c->direction[k];
  to->report->depth = PetscMax(to->report->depth, c->deepest);
  PetscFunctionReturn(0);
}

static PetscErrorCode ResolvePair(Contact *contact)
{
  PlanarPair     pair = {{NULL}};
  PetscErrorCode code;

  PetscFunctionBegin;
  *contact->report = (AbutDeformPairReport){PETSC_FALSE};
  code             = PlanarPairIntersect(&contact->side[0]->curve, &contact->side[1]->curve, &pair);
  if (!code) code = PlanarPairMap(&pair, MoveContact, contact);
  contact->report->intersects    = (PetscBool)(pair.num > 0);
  contact->report->num_crossings = pair.num;
  PetscCall(PlanarPairDestroy(&pair));
  PetscFunctionReturn(code);
}

/* ---- Bulge */

/* Distances along the curve from a vertex, forwards or backwards, as far as they are shorter than the known ones. */
static void Spread(const PlanarCurve *c, PetscInt at, PetscBool back, PetscReal distance[])
{
  PetscInt edge;

  while ((edge = back ? c->prev[at] : c->next[at]) >= 0) {
    const PetscInt   to = PlanarEnd(c, edge, 1 - back);
    const PetscReal *x = PlanarPoint(c, at), *z = PlanarPoint(c, to);
    const PetscReal  sum = distance[at] + PetscSqrtReal(PetscSqr(z[0] - x[0]) + PetscSqr(z[1] - x[1]));

    if (sum >= distance[to]) return;
    distance[to] = sum;
    at           = to;
  }
}

/* Distance along the curve from the nearest vertex in contact, up to the extent [m]. */
static void SetDistance(const Side *side, PetscReal distance[])
{
  const PetscInt n = side->curve.surface->num_vertices;

  for (PetscInt v = 0; v < n; v++) distance[v] = side->contact[v] >= 0 ? 0 : side->extent;
  for (PetscInt k = 0; k < 2 * n; k++)
    if (side->contact[k / 2] >= 0) Spread(&side->curve, k / 2, (PetscBool)(k % 2), distance);
}

/* Outward normals of the vertices, weighted by length. */
static void SetNormals(const PlanarCurve *c, PetscReal normal[])
{
  for (PetscInt i = 0; i < 2 * c->surface->num_vertices; i++) normal[i] = 0;
  for (PetscInt i = 0; i < 2 * c->surface->num_elements; i++) {
    const PetscReal *a = PlanarPoint(c, PlanarEnd(c, i / 2, 0)), *b = PlanarPoint(c, PlanarEnd(c, i / 2, 1));
    const PetscInt   v = PlanarEnd(c, i / 2, i % 2);

    normal[2 * v] += b[1] - a[1];
    normal[2 * v + 1] += a[0] - b[0];
  }
}

/* Direction of the bulge: outward normal times the profile 16 u^2 (1 - u)^2, which is 0 with its slope at both ends. */
static void SetBulge(const Side *side, const PetscReal distance[], PetscReal bulge[])
{
  SetNormals(&side->curve, bulge);
  for (PetscInt v = 0; v < side->curve.surface->num_vertices; v++) {
    const PetscReal u = distance[v] / side->extent, length = PetscSqrtReal(AbutDot(2, bulge + 2 * v, bulge + 2 * v));

    for (PetscInt k = 0; k < 2; k++) bulge[2 * v + k] *= length > 0 ? 16 * PetscSqr(u * (1 - u)) / length : 0;
  }
}

/* Twice the area between the curves x and y, as coefficients of h of y + h bulge. */
static void AreaChange(const Side *side, const PetscReal bulge[], PetscReal area[3])
{
  const PlanarCurve *c = &side->curve;

  area[0] = area[1] = area[2] = 0;
  for (PetscInt e = 0; e < c->surface->num_elements; e++) {
    const PetscInt   i = 2 * PlanarEnd(c, e, 0), j = 2 * PlanarEnd(c, e, 1);
    const PetscReal *x = c->surface->x, *y = side->y, *g = bulge;

    area[0] += y[i] * y[j + 1] - y[i + 1] * y[j] - (x[i] * x[j + 1] - x[i + 1] * x[j]);
    area[1] += y[i] * g[j + 1] - y[i + 1] * g[j] + g[i] * y[j + 1] - g[i + 1] * y[j];
    area[2] += g[i] * g[j + 1] - g[i + 1] * g[j];
  }
}

/* Root of smallest magnitude of a[0] + a[1] h + a[2] h^2, at most `largest`; the extremum if there is no root. */
static PetscReal SmallestRoot(const PetscReal a[3], PetscReal largest)
{
  const PetscReal discriminant = a[1] * a[1] - 4 * a[0] * a[2];
  PetscReal       h;

  if (a[1] == 0) return 0;
  h = discriminant >= 0 ? -2 * a[0] / (a[1] + PetscSign(a[1]) * PetscSqrtReal(discriminant)) : -a[1] / (2 * a[2]);
  return PetscMax(-largest, PetscMin(largest, h));
}

/* A quarter of the extent bounds the bulge, so that its flanks are not steeper than about 45 degrees. */
static PetscErrorCode AddBulge(Side *side)
{
  const PetscInt n = side->curve.surface->num_vertices;
  PetscReal     *distance, *bulge, area[3], h;

  PetscFunctionBegin;
  if (!side->curve.closed || side->curve.surface->stiffness == 0 || !(side->extent > 0)) PetscFunctionReturn(0);
  PetscCall(PetscMalloc2(n, &distance, 2 * n, &bulge));
  SetDistance(side, distance);
  SetBulge(side, distance, bulge);
  AreaChange(side, bulge, area);
  h = SmallestRoot(area, side->extent / 4);
  for (PetscInt i = 0; i < 2 * n; i++) side->y[i] += h * bulge[i];
  PetscCall(PetscFree2(distance, bulge));
  PetscFunctionReturn(0);
}

/* ---- All curves */

static PetscErrorCode SideCreate(const AbutUntangleSurface *surface, PetscReal extent, PetscReal y[], PetscInt contact[], Side *side)
{
  PetscFunctionBegin;
  side->extent  = extent;
  side->y       = y;
  side->contact = contact;
  PetscCall(PlanarCurveCreate(surface, &side->curve));
  PetscCall(PetscCalloc1(surface->num_vertices, &side->depth));
  PetscCall(PetscArraycpy(y, surface->x, 2 * surface->num_vertices));
  for (PetscInt v = 0; v < surface->num_vertices; v++) contact[v] = -1;
  PetscFunctionReturn(0);
}

static PetscErrorCode Resolve(Side sides[], PetscInt num_pairs, const AbutUntanglePair pairs[], AbutDeformPairReport reports[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < num_pairs; i++) {
    Contact contact = {{&sides[pairs[i].surface[0]], &sides[pairs[i].surface[1]]}, i, &reports[i]};

    PetscCall(ResolvePair(&contact));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutUntangleCurves(PetscInt num_surfaces, const AbutUntangleSurface surfaces[], PetscInt num_pairs,
                                  const AbutUntanglePair pairs[], const PetscReal extent[], PetscReal *const y[], PetscInt *const contact[],
                                  AbutDeformPairReport reports[])
{
  Side          *sides;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(num_surfaces, &sides));
  for (PetscInt i = 0; i < num_surfaces; i++) PetscCall(SideCreate(&surfaces[i], extent[i], y[i], contact[i], &sides[i]));
  code = Resolve(sides, num_pairs, pairs, reports);
  for (PetscInt i = 0; i < num_surfaces; i++) {
    if (!code) PetscCall(AddBulge(&sides[i]));
    PetscCall(PlanarCurveDestroy(&sides[i].curve));
    PetscCall(PetscFree(sides[i].depth));
  }
  PetscCall(PetscFree(sides));
  PetscFunctionReturn(code);
}
