/*
  Directions and depths of pairs that overlap, and the contact surface between both bodies.

  Rays start at the vertices of a body and go inwards. Where a ray leaves the other body before its own, the vertex is in the overlap, and
  the normal of the other body there is its direction. The sum of these normals is the direction along which the pair separates. The
  vertices in the overlap then move along this direction, the softer body by the larger share, so that both surfaces meet.

  The normals cancel if the overlap is all around, as of a shaft and a ring that is pressed onto it; the surfaces need not even intersect.
  Each vertex then moves along the normal of its own place.
*/
#include "boundary.h"

#define CLOSED   0.3  /* barycentric coordinate outside of an element's border up to which a ray still hits it */
#define OPPOSING 0.2  /* smallest cosine of a ray with the inward normal at its start, and with the normal where it leaves the other body */
#define REACH    0.25 /* length of the inward rays over the size of the smaller body */
#define BORDER   1e-9 /* barycentric coordinate beyond the border of an element up to which a ray still hits it */

/* A ray, and the first element that it hits. */
typedef struct {
  const Boundary *b;
  int32_t         origin;       /* vertex; its own elements do not count */
  PetscReal       direction[3]; /* unit vector */
  PetscInt        first;        /* first element of the body that is hit */
  PetscReal       length;       /* to the hit, or the largest length [m] */
  PetscInt        hit;          /* element; -1: none */
} Ray;

/* Trees of the elements of both parties, vertex normals and lengths of rays for a search for overlaps. */
typedef struct {
  AbutBVH    tree[2];
  PetscReal *normal[2]; /* of the vertices of each party */
  PetscReal *shift[2];  /* of the vertices of each party in the other one, to the contact surface [m]; by FindOverlap() */
  PetscReal  reach;     /* length of rays against the normals [m] */
  PetscReal  size;      /* length of rays that cross both bodies [m] */
} Search;

/* Distance along the ray to an element of 2D; negative if it is missed. */
static PetscReal Distance2D(const Ray *ray, const PetscReal p[], const PetscReal a[], const PetscReal c[])
{
  const PetscReal *d = ray->direction, e[2] = {c[0] - a[0], c[1] - a[1]}, r[2] = {a[0] - p[0], a[1] - p[1]};
  const PetscReal  det = d[0] * e[1] - d[1] * e[0];
  PetscReal        s;

  if (det == 0) return -1;
  s = (r[0] * d[1] - r[1] * d[0]) / det;
  return s < -BORDER || s > 1 + BORDER ? -1 : (r[0] * e[1] - r[1] * e[0]) / det;
}

/* Distance along the ray to a triangle; negative if it is missed [Moeller and Trumbore 1997]. */
static PetscReal Distance3D(const Ray *ray, const PetscReal p[], const PetscReal a[], const PetscReal b[], const PetscReal c[])
{
  PetscReal e[2][3], r[3], q[3], h[3], det, u, v;

  for (int k = 0; k < 3; k++) {
    e[0][k] = b[k] - a[k];
    e[1][k] = c[k] - a[k];
    r[k]    = p[k] - a[k];
  }
  AbutCross(ray->direction, e[1], h);
  AbutCross(r, e[0], q);
  det = AbutDot(3, e[0], h);
  if (det == 0) return -1;
  u = AbutDot(3, r, h) / det;
  v = AbutDot(3, ray->direction, q) / det;
  return u < -BORDER || v < -BORDER || u + v > 1 + BORDER ? -1 : AbutDot(3, e[1], q) / det;
}

static void Hit(void *ctx, int32_t index)
{
  Ray             *ray = (Ray *)ctx;
  const Boundary  *b   = ray->b;
  const PetscInt   dim = b->dim;
  const int32_t   *v   = &b->element[dim * (ray->first + index)];
  const PetscReal *x[3], *p = &b->x[dim * ray->origin];
  PetscReal        t;

  for (PetscInt k = 0; k < dim; k++) {
    if (v[k] == ray->origin) return;
    x[k] = &b->x[dim * v[k]];
  }
  t = dim == 3 ? Distance3D(ray, p, x[0], x[1], x[2]) : Distance2D(ray, p, x[0], x[1]);
  if (t < 0 || t >= ray->length) return;
  ray->length = t;
  ray->hit    = ray->first + index;
}

/* Finds the first element of a body on the ray. */
static void Cast(const AbutBVH *tree, Ray *ray)
{
  AbutBox box = {{0}, {0}};

  for (PetscInt k = 0; k < ray->b->dim; k++) {
    const PetscReal from = ray->b->x[ray->b->dim * ray->origin + k], to = from + ray->length * ray->direction[k];

    box.lo[k] = AbutFloatBelow(PetscMin(from, to));
    box.hi[k] = AbutFloatAbove(PetscMax(from, to));
  }
  ray->hit = -1;
  AbutBVHOverlapBox(tree, box, Hit, ray);
}

/* ---- Overlap */

static PetscErrorCode SearchCreate(const Boundary *b, const Pair *pair, Search *s)
{
  AbutBox *box;

  PetscFunctionBegin;
  *s = (Search){.reach = PETSC_MAX_REAL};
  PetscCall(BoundaryBoxes(b, 0, NULL, pair->party, &box));
  for (int i = 0; i < 2; i++) {
    const PetscInt   body = pair->party[i], from = b->element_start[body];
    const PetscReal *lo = b->bodies[body].box[0], *hi = b->bodies[body].box[1];
    const PetscInt   length = b->dim * (b->vertex_start[body + 1] - b->vertex_start[body]);
    PetscReal        size   = 0;

    for (PetscInt k = 0; k < b->dim; k++) {
      size = PetscMax(size, hi[k] - lo[k]);
      s->size += hi[k] - lo[k];
    }
    s->reach = PetscMin(s->reach, REACH * size);
    PetscCall(PetscMalloc2(length, &s->normal[i], length, &s->shift[i]));
    BoundaryNormals(b, body, s->normal[i]);
    PetscCall(AbutBVHSetUp(&s->tree[i], b->element_start[body + 1] - from, b->dim, &b->element[b->dim * from], box));
  }
  PetscCall(PetscFree(box));
  PetscFunctionReturn(0);
}

static PetscErrorCode SearchDestroy(Search *s)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    PetscCall(AbutBVHDestroy(&s->tree[i]));
    PetscCall(PetscFree2(s->normal[i], s->shift[i]));
  }
  PetscFunctionReturn(0);
}

/*
  Depth of a vertex of side `s` in the other body, and the unit vector `along` of this depth: the common direction, if given, else the
  normal of the element through which the inward ray of the vertex leaves the other body. Negative if the vertex is outside, if the
  surfaces do not oppose each other, or if the ray leaves its own body first.
*/
static PetscReal Depth(const Boundary *b, const Search *search, const Pair *pair, int s, PetscInt vertex, const PetscReal common[3],
                       PetscReal along[3])
{
  const PetscReal *n   = &search->normal[s][b->dim * (vertex - b->vertex_start[pair->party[s]])];
  Ray              ray = {.b = b, .origin = (int32_t)vertex, .first = b->element_start[pair->party[1 - s]]};
  PetscReal        cosine, leaves; /* the other body: length of the ray [m] */

  ray.length = common ? search->size : search->reach;
  for (PetscInt k = 0; k < b->dim; k++) ray.direction[k] = common ? (s ? -common[k] : common[k]) : -n[k];
  if (AbutDot(b->dim, n, ray.direction) > -OPPOSING) return -1;
  Cast(&search->tree[1 - s], &ray);
  if (ray.hit < 0) return -1;
  leaves = ray.length;
  ElementNormal(b, &b->element[b->dim * ray.hit], along);
  (void)AbutNormalize(b->dim, along);
  cosine = AbutDot(b->dim, along, ray.direction);
  if (cosine < OPPOSING) return -1;
  ray.first = b->element_start[pair->party[s]];
  Cast(&search->tree[s], &ray);
  if (ray.hit >= 0) return -1;
  for (PetscInt k = 0; k < b->dim && common; k++) along[k] = ray.direction[k];
  return common ? leaves : leaves * cosine;
}

/* The vertices of each body that are in the other one. */
typedef struct {
  PetscInt  num;    /* vertices */
  PetscReal depth;  /* largest depth [m] */
  PetscReal sum[3]; /* of the unit vectors along which the first body retreats */
} Overlap;

/* Finds these vertices and their depths: along a common direction or, if `common` is NULL, along the normals. */
static void FindOverlap(const Boundary *b, const Search *search, const Pair *pair, const PetscReal common[3], Overlap *o)
{
  const PetscInt dim = b->dim;

  *o = (Overlap){0};
  for (int s = 0; s < 2; s++) {
    const PetscInt  from = b->vertex_start[pair->party[s]], to = b->vertex_start[pair->party[s] + 1];
    const PetscReal share = BoundaryShare(b, pair->party[s], pair->party[1 - s]);

    for (PetscInt v = from; v < to; v++) {
      PetscReal       along[3];
      const PetscReal depth = Depth(b, search, pair, s, v, common, along);

      for (PetscInt k = 0; k < dim; k++) {
        search->shift[s][dim * (v - from) + k] = depth < 0 ? 0 : share * depth * along[k];
        if (depth >= 0) o->sum[k] += s ? -along[k] : along[k];
      }
      o->num += depth >= 0;
      o->depth = PetscMax(o->depth, depth);
    }
  }
}

/* Moves the vertices of a body, and marks the moved ones as members of a contact zone. */
static void Shift(const Boundary *b, PetscInt body, const PetscReal shift[])
{
  const PetscInt from = b->dim * b->vertex_start[body], to = b->dim * b->vertex_start[body + 1];

  for (PetscInt i = from; i < to; i++) {
    b->x[i] += shift[i - from];
    if (shift[i - from] != 0) b->zone[i / b->dim] = PETSC_TRUE;
  }
}

/* Whether a party is a closed surface whose normals point out of a solid. */
static PetscBool IsSolid(const Boundary *b, PetscInt party)
{
  return (PetscBool)(party < b->num_bodies && b->element_start[party] < b->element_start[party + 1] &&
                     b->bodies[party].oriented != ABUT_ORIENTED_NONE);
}

/* Whether an overlap that was found along normals is all around; scales `sum` to a unit vector. */
static PetscBool IsAround(const Boundary *b, const Pair *pair, Overlap *o)
{
  const PetscReal length = AbutNormalize(3, o->sum);

  return (PetscBool)(o->num > 0 && length < CLOSED * (PetscReal)o->num && IsSolid(b, pair->party[0]) && IsSolid(b, pair->party[1]));
}

PetscErrorCode AroundFind(const Boundary *b, PetscInt first, PetscInt second, PetscInt *num)
{
  const Pair pair = {.party = {first, second}};
  Overlap    overlap;
  Search     search;

  PetscFunctionBegin;
  *num = 0;
  if (!IsSolid(b, first) || !IsSolid(b, second)) PetscFunctionReturn(0);
  PetscCall(SearchCreate(b, &pair, &search));
  FindOverlap(b, &search, &pair, NULL, &overlap);
  if (IsAround(b, &pair, &overlap)) *num = overlap.num;
  PetscCall(SearchDestroy(&search));
  PetscFunctionReturn(0);
}

/* Refuses obstacles without elements, which have no normals. */
static PetscErrorCode RefuseBare(const Boundary *b, const Pair *pair)
{
  PetscFunctionBegin;
  for (int s = 0; s < 2; s++)
    AbutCheck(b->element_start[pair->party[s]] < b->element_start[pair->party[s] + 1], ABUT_ERR_INPUT,
              "obstacle '%s' intersects a body; only surfaces of triangles can be moved apart, it has segments or points",
              BoundaryName(b, pair->party[s]));
  PetscFunctionReturn(0);
}

/*
  Sets direction and depth (at least `least`) of a pair of bodies, and moves both to the contact surface. A pair without a vertex in the
  other body gets no direction here.
*/
static PetscErrorCode MeetBodies(const Boundary *b, PetscReal least, Pair *pair)
{
  Overlap overlap;
  Search  search;

  PetscFunctionBegin;
  PetscCall(RefuseBare(b, pair));
  PetscCall(SearchCreate(b, pair, &search));
  FindOverlap(b, &search, pair, NULL, &overlap);
  pair->around = IsAround(b, pair, &overlap);
  if (!overlap.num) { /* as with a body that is halfway through a sheet */
    search.reach = search.size;
    FindOverlap(b, &search, pair, NULL, &overlap);
    (void)AbutNormalize(3, overlap.sum);
  }
  if (overlap.num) {
    PetscCall(PetscArraycpy(pair->direction, overlap.sum, 3));
    if (!pair->around) FindOverlap(b, &search, pair, pair->direction, &overlap);
    for (int s = 0; s < 2; s++) Shift(b, pair->party[s], search.shift[s]);
    pair->depth = PetscMax(overlap.depth, least);
  }
  PetscCall(SearchDestroy(&search));
  PetscFunctionReturn(0);
}

/* Sets direction and depth of a body and a plane, and moves the body out of the half space. */
static void MeetPlane(const Boundary *b, PetscReal least, Pair *pair)
{
  const AbutPlaneSpec *plane = &b->planes[pair->party[1] - b->num_bodies];

  pair->depth = least;
  for (PetscInt k = 0; k < b->dim; k++) pair->direction[k] = plane->normal[k];
  for (PetscInt v = b->vertex_start[pair->party[0]]; v < b->vertex_start[pair->party[0] + 1]; v++) {
    const PetscReal depth = -AbutPlaneHeight(b->dim, plane->normal, plane->point, &b->x[b->dim * v]);

    if (depth <= 0) continue;
    b->zone[v]  = PETSC_TRUE;
    pair->depth = PetscMax(pair->depth, depth);
    for (PetscInt k = 0; k < b->dim; k++) b->x[b->dim * v + k] += depth * plane->normal[k];
  }
}

PetscErrorCode BoundaryMeet(PetscReal gap, const Boundary *b, Pairs *pairs)
{
  const PetscReal least = 2 * TOUCHING * gap;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < pairs->n; i++) {
    if (!PairIsActive(&pairs->a[i])) continue;
    if (pairs->a[i].party[1] < b->num_bodies)
      PetscCall(MeetBodies(b, least, &pairs->a[i]));
    else
      MeetPlane(b, least, &pairs->a[i]);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AroundIsOpen(const Boundary *b, const Pairs *pairs, PetscBool *open)
{
  PetscFunctionBegin;
  *open = PETSC_TRUE;
  for (PetscInt i = 0; i < pairs->n && *open; i++) {
    PetscInt num = 0;

    if (pairs->a[i].around) PetscCall(AroundFind(b, pairs->a[i].party[0], pairs->a[i].party[1], &num));
    if (num) *open = PETSC_FALSE;
  }
  PetscFunctionReturn(0);
}
