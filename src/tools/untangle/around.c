/*
  Pairs that overlap all around a closed curve or surface, as a shaft and a ring that is pressed onto it. The normals of their overlap
  cancel, so that the contact deformer has no mapping direction; the surfaces need not even intersect. Each vertex in the other body has
  its own direction instead: the ray from the vertex into its body leaves the other body at a point. Both surfaces move along the normal at
  that point, by the shares of their stiffnesses, so that they meet on a surface between them.
*/
#include "boundary.h"

#define CLOSED   0.3  /* sum of the normals of an overlap over their number, below which it is all around; a hemisphere has 0.5 */
#define OPPOSING 0.2  /* smallest cosine of a ray and the normal where it leaves the other body */
#define REACH    0.25 /* length of the rays over the size of the smaller body */
#define BORDER   1e-9 /* barycentric coordinates by which rays hit elements beside their border */

/* A ray, and the first element that it hits. */
typedef struct {
  const Boundary *b;
  int32_t         origin;       /* vertex; its own elements do not count */
  PetscReal       direction[3]; /* unit vector */
  PetscInt        first;        /* first element of the body that is hit */
  PetscReal       length;       /* to the hit, or the largest length [m] */
  PetscInt        hit;          /* element; -1: none */
} Ray;

/* Trees of the elements of both parties. */
typedef struct {
  AbutBVH    tree[2];
  PetscReal *normal[2]; /* of the vertices of each party */
  PetscReal  reach;     /* [m] */
} Search;

/* Distance along the ray to an element of 2D; negative if it is missed. */
static PetscReal Distance2D(const Ray *ray, const PetscReal p[], const PetscReal a[], const PetscReal c[])
{
  const PetscReal *d = ray->direction, e[2] = {c[0] - a[0], c[1] - a[1]}, r[2] = {a[0] - p[0], a[1] - p[1]};
  const PetscReal  det = d[0] * e[1] - d[1] * e[0], s = (r[0] * d[1] - r[1] * d[0]) / det;

  return det == 0 || s < -BORDER || s > 1 + BORDER ? -1 : (r[0] * e[1] - r[1] * e[0]) / det;
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
    PetscReal        size = 0;

    for (PetscInt k = 0; k < b->dim; k++) size = PetscMax(size, hi[k] - lo[k]);
    s->reach = PetscMin(s->reach, REACH * size);
    PetscCall(PetscMalloc1(b->dim * (b->vertex_start[body + 1] - b->vertex_start[body]), &s->normal[i]));
    BoundaryNormals(b, body, s->normal[i]);
    PetscCall(BoundaryTree((int)b->dim, b->element_start[body + 1] - from, &b->element[b->dim * from], box, &s->tree[i]));
  }
  PetscCall(PetscFree(box));
  PetscFunctionReturn(0);
}

static PetscErrorCode SearchDestroy(Search *s)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    PetscCall(AbutBVHDestroy(&s->tree[i]));
    PetscCall(PetscFree(s->normal[i]));
  }
  PetscFunctionReturn(0);
}

/*
  Depth of a vertex of side `s` in the other body, along the unit normal of the element through which its ray leaves that body; negative if
  the vertex is outside, or if the ray leaves its own body first.
*/
static PetscReal Depth(const Boundary *b, const Search *search, const Pair *pair, int s, PetscInt vertex, PetscReal normal[3])
{
  Ray              ray = {.b = b, .origin = (int32_t)vertex, .first = b->element_start[pair->party[1 - s]], .length = search->reach};
  const PetscReal *n   = &search->normal[s][b->dim * (vertex - b->vertex_start[pair->party[s]])];
  PetscReal        cosine;
  PetscInt         exit;

  for (PetscInt k = 0; k < b->dim; k++) ray.direction[k] = -n[k];
  Cast(&search->tree[1 - s], &ray);
  if ((exit = ray.hit) < 0) return -1;
  ElementNormal(b, &b->element[b->dim * exit], normal);
  (void)Normalize(b->dim, normal);
  cosine = AbutDot(b->dim, normal, ray.direction);
  if (cosine < OPPOSING) return -1;
  ray.first = b->element_start[pair->party[s]];
  Cast(&search->tree[s], &ray);
  return ray.hit < 0 ? ray.length * cosine : -1;
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

/* Vertices of the overlap, their greatest depth, and whether it is all around; moves them to the contact surface if `move`. */
static PetscErrorCode Overlap(const Boundary *b, Pair *pair, PetscBool move, PetscInt *num, PetscReal *depth, PetscBool *around)
{
  const PetscInt *start = b->vertex_start, dim = b->dim;
  PetscReal       sum[3] = {0, 0, 0}, *shift[2]; /* of the vertices of each party */
  Search          search;

  PetscFunctionBegin;
  PetscCall(SearchCreate(b, pair, &search));
  *num   = 0;
  *depth = 0;
  for (int s = 0; s < 2; s++) {
    const PetscInt from = start[pair->party[s]], to = start[pair->party[s] + 1];

    PetscCall(PetscCalloc1(dim * (to - from), &shift[s]));
    for (PetscInt v = from; v < to; v++) {
      PetscReal       normal[3];
      const PetscReal inside = Depth(b, &search, pair, s, v, normal), share = BoundaryShare(b, pair->party[s], pair->party[1 - s]);

      if (inside < 0) continue;
      ++*num;
      *depth = PetscMax(*depth, inside);
      for (PetscInt k = 0; k < dim; k++) {
        sum[k] += (s ? -1 : 1) * normal[k];
        shift[s][dim * (v - from) + k] = share * inside * normal[k];
      }
    }
  }
  *around = (PetscBool)(*num > 0 && Normalize(3, sum) < CLOSED * (PetscReal)*num);
  for (int s = 0; s < 2; s++) {
    if (move && *around) Shift(b, pair->party[s], shift[s]);
    PetscCall(PetscFree(shift[s]));
  }
  PetscCall(SearchDestroy(&search));
  PetscFunctionReturn(0);
}

/* Whether a party is a closed surface whose normals point out of a solid. */
static PetscBool IsSolid(const Boundary *b, PetscInt party)
{
  return (PetscBool)(party < b->num_bodies && b->element_start[party] < b->element_start[party + 1] &&
                     b->bodies[party].oriented != ABUT_ORIENTED_NONE);
}

PetscErrorCode AroundFind(const Boundary *b, PetscInt first, PetscInt second, PetscInt *num)
{
  Pair      pair = {.party = {first, second}};
  PetscReal depth;
  PetscBool around = PETSC_FALSE;

  PetscFunctionBegin;
  *num = 0;
  if (!IsSolid(b, first) || !IsSolid(b, second)) PetscFunctionReturn(0);
  PetscCall(Overlap(b, &pair, PETSC_FALSE, num, &depth, &around));
  if (!around) *num = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode BoundaryAround(PetscReal gap, Boundary *b, Pairs *pairs)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < pairs->n; i++) {
    Pair     *pair = &pairs->a[i];
    PetscReal depth;
    PetscInt  num;

    if (!PairIsActive(pair) || !IsSolid(b, pair->party[0]) || !IsSolid(b, pair->party[1])) continue;
    PetscCall(Overlap(b, pair, PETSC_TRUE, &num, &depth, &pair->around));
    if (!pair->around) continue;
    pair->depth = PetscMax(depth, 2 * TOUCHING * gap);
    for (int s = 0; s < 2; s++) b->bends[pair->party[s]] = PETSC_TRUE; /* the other surfaces of a ring follow its bore */
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
