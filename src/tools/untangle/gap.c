/*
  Opens the gap between bodies. On the contact surface of a pair the triangles of the two meshes still cross, because they approximate the
  surface differently. Here the distance of each pair of close elements is a constraint. The constraints are satisfied one after the other:
  vertices move along the gradient of the distance, the softer body by the larger share.

  Opposite elements are separated along the direction of the pair, so that elements that crossed get the right order. Other close elements
  are separated along the line between their closest points.
*/
#include "boundary.h"
#include "untangleimpl.h"

#define MAX_ROUNDS    60   /* searches for close elements */
#define MAX_IDLE      8    /* rounds in which the number of crossings has not become smaller than ever before */
#define MAX_SWEEPS    40   /* sweeps over the constraints between two searches */
#define EXCESS        0.02 /* constraints ask for 1 + EXCESS gaps, because sweeps only converge towards their distance */
#define PARALLEL      1e-3 /* sine of the angle below which edges that touch are parallel */
#define LEAST_COSINE  0.3 /* cosine of element normal and direction below which elements are separated along their closest points instead */
#define OPPOSING      0.2 /* least cosine of a face normal and the opposite of a vertex normal at which two surfaces oppose each other */
#define ON_WRONG_SIDE -0.1 /* cosine between the direction of the pair and the line of closest points below which elements have crossed */

/*
  A distance to be enlarged: the difference of two points, first party minus second, as weights of the vertices of a stencil, and its
  direction.
*/
typedef struct {
  int       n;
  PetscReal weight[4];
  PetscReal direction[3];
  PetscReal distance; /* along the direction [m] */
} Constraint;

static inline PetscReal *Position(const Boundary *b, PetscInt v)
{
  return &b->x[b->dim * v];
}

/* Moves the vertices of a stencil so that the distance becomes `target`. */
static void Separate(const Boundary *b, const int32_t v[], const Constraint *c, PetscReal target)
{
  const PetscInt  body[2] = {b->body[v[0]], b->body[v[c->n - 1]]}; /* the last vertex belongs to another body than the first */
  const PetscReal part[2] = {BoundaryShare(b, body[0], body[1]), BoundaryShare(b, body[1], body[0])};
  PetscReal       share[4], sum = 0;

  for (int i = 0; i < c->n; i++) sum += (share[i] = part[b->body[v[i]] != body[0]]) * PetscSqr(c->weight[i]);
  for (int i = 0; i < c->n && sum > 0; i++)
    for (PetscInt k = 0; k < b->dim; k++) Position(b, v[i])[k] += (target - c->distance) * share[i] * c->weight[i] / sum * c->direction[k];
}

/* ---- Normals */

/* Unit normal of the face (2D: edge) of a stencil; false if it has none. */
static PetscBool FaceNormal(const Boundary *b, const int32_t v[4], PetscReal normal[3])
{
  ElementNormal(b, &v[1], normal);
  return (PetscBool)(AbutNormalize(b->dim, normal) > 0);
}

/* Unit normal of two edges; false if they are parallel. */
static PetscBool EdgesNormal(const Boundary *b, const int32_t v[4], PetscReal normal[3])
{
  PetscReal u[2][3], sizes;

  for (int i = 0; i < 2; i++)
    for (PetscInt k = 0; k < 3; k++) u[i][k] = Position(b, v[2 * i + 1])[k] - Position(b, v[2 * i])[k];
  sizes = PetscSqrtReal(AbutDot(3, u[0], u[0]) * AbutDot(3, u[1], u[1]));
  AbutCross(u[0], u[1], normal);
  return (PetscBool)(AbutNormalize(3, normal) > PARALLEL * sizes);
}

/* ---- Along the direction of a pair */

/* A plane normal to the direction of the pair, with two coordinates relative to a point. */
typedef struct {
  PetscReal axis[2][3], direction[3];
} Frame;

static PetscReal Cross2(const PetscReal a[2], const PetscReal b[2])
{
  return a[0] * b[1] - a[1] * b[0];
}

/* Coordinates of x - origin in that plane. */
static void Project(const Boundary *b, const Frame *f, int32_t origin, int32_t v, PetscReal at[2])
{
  PetscReal r[3];

  for (PetscInt k = 0; k < b->dim; k++) r[k] = Position(b, v)[k] - Position(b, origin)[k];
  at[1] = 0;
  for (PetscInt a = 0; a < b->dim - 1; a++) at[a] = AbutDot(b->dim, r, f->axis[a]);
}

/* Weights of the element's vertices at the projection of the vertex; false if that is outside. */
static PetscBool VertexWeights(const Boundary *b, const Frame *f, const int32_t v[4], PetscReal weight[4])
{
  PetscReal p[3][2], area;

  for (int k = 0; k < b->dim; k++) Project(b, f, v[0], v[1 + k], p[k]);
  weight[0] = 1;
  if (b->dim == 2) {
    const PetscReal length = p[1][0] - p[0][0];

    if (length == 0) return PETSC_FALSE;
    weight[1] = -p[1][0] / length;
    weight[2] = p[0][0] / length;
  } else {
    const PetscReal u[2] = {p[1][0] - p[0][0], p[1][1] - p[0][1]}, w[2] = {p[2][0] - p[0][0], p[2][1] - p[0][1]};

    area = Cross2(u, w);
    if (area == 0) return PETSC_FALSE;
    weight[1] = -Cross2(p[1], p[2]) / area;
    weight[2] = -Cross2(p[2], p[0]) / area;
    weight[3] = -Cross2(p[0], p[1]) / area;
  }
  for (int k = 1; k <= b->dim; k++)
    if (!(weight[k] <= 0)) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Weights of the ends of two edges whose projections cross; false if they do not. */
static PetscBool EdgeWeights(const Boundary *b, const Frame *f, const int32_t v[4], PetscReal weight[4])
{
  PetscReal p[4][2], u[2], w[2], r[2], cross, s, t;

  for (int k = 0; k < 4; k++) Project(b, f, v[0], v[k], p[k]);
  for (int k = 0; k < 2; k++) {
    u[k] = p[1][k] - p[0][k];
    w[k] = p[3][k] - p[2][k];
    r[k] = p[2][k] - p[0][k];
  }
  cross = Cross2(u, w);
  if (cross == 0) return PETSC_FALSE;
  s         = Cross2(r, w) / cross;
  t         = Cross2(r, u) / cross;
  weight[0] = 1 - s;
  weight[1] = s;
  weight[2] = t - 1;
  weight[3] = -t;
  return (PetscBool)(s >= 0 && s <= 1 && t >= 0 && t <= 1);
}

/* Cosine of the direction of the pair and the normal of a face (2D: edge), or of two edges; 0 without a normal. */
static PetscReal NormalCosine(const Boundary *b, const Frame *f, const int32_t v[4], PetscBool edges)
{
  PetscReal n[3];

  if (edges ? !EdgesNormal(b, v, n) : !FaceNormal(b, v, n)) return 0;
  return PetscAbsReal(AbutDot(b->dim, n, f->direction));
}

/* Separates the elements of a stencil along the direction of their pair. True if they had to move. */
static PetscBool SeparateOpposite(const Boundary *b, const Pair *pair, const Frame *f, const int32_t v[4], PetscBool edges, PetscReal gap)
{
  const PetscReal sign = b->body[v[0]] == pair->party[0] ? 1 : -1; /* the first party retreats along the direction */
  Constraint      c    = {.n = edges ? 4 : (int)b->dim + 1};
  PetscReal       target;

  if (!(edges ? EdgeWeights(b, f, v, c.weight) : VertexWeights(b, f, v, c.weight))) return PETSC_FALSE;
  for (PetscInt k = 0; k < b->dim; k++) c.direction[k] = sign * f->direction[k];
  for (int i = 0; i < c.n; i++) c.distance += c.weight[i] * AbutDot(b->dim, Position(b, v[i]), c.direction);
  if (c.distance >= gap || c.distance < -2 * pair->depth - gap) return PETSC_FALSE;
  target = gap / PetscMax(NormalCosine(b, f, v, edges), LEAST_COSINE);
  Separate(b, v, &c, target * (1 + EXCESS));
  return PETSC_TRUE;
}

PetscErrorCode BoundaryDepth(const Boundary *b, const Pair *pair, PetscReal *depth)
{
  const PetscReal *d = pair->direction;
  Near             near;
  Frame            frame;
  PetscReal        weight[4];

  PetscFunctionBegin;
  *depth = 0;
  PetscCall(FindOpposite(b, pair, 0, &near));
  PetscCall(PetscArraycpy(frame.direction, d, 3));
  AbutTangents(b->dim, d, frame.axis);
  for (PetscInt i = 0; i < near.vertex.n + near.edge.n; i++) {
    const PetscBool edges    = (PetscBool)(i >= near.vertex.n);
    const int32_t  *v        = edges ? near.edge.a[i - near.vertex.n].v : near.vertex.a[i].v;
    PetscReal       distance = 0;

    if (!(edges ? EdgeWeights(b, &frame, v, weight) : VertexWeights(b, &frame, v, weight))) continue;
    for (int k = 0; k < (edges ? 4 : b->dim + 1); k++) distance += weight[k] * AbutDot(b->dim, Position(b, v[k]), d);
    *depth = PetscMax(*depth, b->body[v[0]] == pair->party[0] ? -distance : distance);
  }
  PetscCall(NearDestroy(&near));
  PetscFunctionReturn(0);
}

/*
  For pairs that overlap all around: the direction along which the first party retreats at a stencil, which is the normal of its face (2D:
  edge) or of both edges. False if the two surfaces do not oppose each other there.
*/
static PetscBool LocalDirection(const Boundary *b, const Pair *pair, const PetscReal normal[], const int32_t v[4], PetscBool edges,
                                PetscReal direction[3])
{
  const PetscReal *own = &normal[b->dim * v[0]], *other = &normal[b->dim * v[2]];
  PetscReal        sign;

  if (edges ? !EdgesNormal(b, v, direction) : !FaceNormal(b, v, direction)) return PETSC_FALSE;
  sign = AbutDot(b->dim, own, direction) < 0 ? 1 : -1; /* the body of the first vertex retreats from its own normal */
  if (sign * AbutDot(b->dim, own, direction) > -OPPOSING || (!edges && sign < 0)) return PETSC_FALSE;
  if (edges && sign * AbutDot(3, other, direction) < OPPOSING) return PETSC_FALSE;
  if (b->body[v[0]] != pair->party[0]) sign = -sign;
  for (PetscInt k = 0; k < b->dim; k++) direction[k] *= sign;
  return PETSC_TRUE;
}

/* Separates the elements of a stencil along the direction of their pair, or of the stencil if the pair overlaps all around. */
static PetscBool SeparateAlong(const Boundary *b, const Pair *pair, const PetscReal normal[], Frame *f, const int32_t v[4], PetscBool edges,
                               PetscReal gap)
{
  if (pair->around) {
    if (!LocalDirection(b, pair, normal, v, edges, f->direction)) return PETSC_FALSE;
    AbutTangents(b->dim, f->direction, f->axis);
  }
  return SeparateOpposite(b, pair, f, v, edges, gap);
}

static PetscErrorCode SeparatePair(const Boundary *b, const Pair *pair, const PetscReal normal[], PetscReal gap)
{
  Near      near;
  Frame     frame;
  PetscBool moved = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(pair->around ? FindNear(b, pair->party, pair->depth + gap, &near) : FindOpposite(b, pair, pair->depth + gap, &near));
  PetscCall(PetscArraycpy(frame.direction, pair->direction, 3));
  AbutTangents(b->dim, pair->direction, frame.axis);
  for (int sweep = 0; sweep < MAX_SWEEPS && moved; sweep++) {
    moved = PETSC_FALSE;
    for (PetscInt i = 0; i < near.vertex.n; i++)
      if (SeparateAlong(b, pair, normal, &frame, near.vertex.a[i].v, PETSC_FALSE, gap)) moved = PETSC_TRUE;
    for (PetscInt i = 0; i < near.edge.n; i++)
      if (SeparateAlong(b, pair, normal, &frame, near.edge.a[i].v, PETSC_TRUE, gap)) moved = PETSC_TRUE;
  }
  PetscCall(NearDestroy(&near));
  PetscFunctionReturn(0);
}

/* Separates all pairs with a direction. */
static PetscErrorCode SeparatePairs(const Boundary *b, const Pairs *pairs, PetscReal gap)
{
  PetscReal *normal;

  PetscFunctionBegin;
  PetscCall(BoundaryAllNormals(b, &normal));
  for (PetscInt i = 0; i < pairs->n; i++)
    if (pairs->a[i].depth > 0 && pairs->a[i].party[1] < b->num_bodies) PetscCall(SeparatePair(b, &pairs->a[i], normal, gap));
  PetscCall(PetscFree(normal));
  PetscFunctionReturn(0);
}

/* ---- Along the line between closest points */

/*
  Direction that separates elements that touch: the normal of the face (2D: edge) or of both edges. False if it does not face the first
  body; another pair of elements at this place then has a direction.
*/
static PetscBool TouchDirection(const Boundary *b, const PetscReal normal[], const int32_t v[4], PetscBool edges, Constraint *c)
{
  PetscReal facing;

  if (edges ? !EdgesNormal(b, v, c->direction) : !FaceNormal(b, v, c->direction)) return PETSC_FALSE;
  facing = AbutDot(b->dim, &normal[b->dim * v[0]], c->direction);
  if (edges) facing -= AbutDot(3, &normal[3 * v[2]], c->direction);
  for (PetscInt k = 0; k < b->dim && facing > 0; k++) c->direction[k] = -c->direction[k];
  return (PetscBool)(facing < 0 || (facing > 0 && edges));
}

/* Closest points of a stencil; the weights are positive for the first party of the stencil. */
static void Closest(const Boundary *b, const int32_t v[4], PetscBool edges, Constraint *c)
{
  const AbutPairKind kind = edges ? ABUT_PAIR_EE : b->dim == 3 ? ABUT_PAIR_FV : ABUT_PAIR_EV;
  AbutClosest        closest;
  AbutDistFrame      frame;
  PetscReal          x[12], y[12], sign;

  for (int i = 0; i < c->n; i++)
    for (PetscInt k = 0; k < b->dim; k++) x[b->dim * i + k] = Position(b, v[i])[k];
  AbutClosestFeatures(kind, b->dim, x, &closest);
  for (PetscInt i = 0; i < closest.n; i++)
    for (PetscInt k = 0; k < b->dim; k++) y[b->dim * i + k] = x[b->dim * closest.v[i] + k];
  AbutDist2Frame(closest.form, b->dim, y, &frame);
  for (int i = 0; i < 4; i++) c->weight[i] = 0;
  sign = 0;
  for (PetscInt i = 0; i < closest.n; i++) {
    c->weight[closest.v[i]] = frame.c[i];
    if (b->body[v[closest.v[i]]] == b->body[v[0]]) sign += frame.c[i];
  }
  for (int i = 0; i < c->n && sign < 0; i++) c->weight[i] = -c->weight[i];
  c->distance = PetscAbsReal(frame.h);
  for (PetscInt k = 0; k < b->dim; k++) c->direction[k] = (frame.h < 0) == (sign < 0) ? frame.normal[k] : -frame.normal[k];
}

/* Separates the elements of a stencil that are closer than the gap; true if they had to move. */
static PetscErrorCode SeparateNear(const Boundary *b, const Pairs *pairs, const PetscReal normal[], const int32_t v[4], PetscBool edges,
                                   PetscReal gap, PetscBool *moved)
{
  Constraint c = {.n = edges ? 4 : (int)b->dim + 1};
  Pair      *pair;

  PetscFunctionBegin;
  Closest(b, v, edges, &c);
  if (c.distance >= gap) PetscFunctionReturn(0);
  if (c.distance < TOUCHING * gap && !TouchDirection(b, normal, v, edges, &c)) PetscFunctionReturn(0);
  PetscCall(PairsFind(pairs, b->body[v[0]], b->body[v[c.n - 1]], &pair));
  if (pair && pair->depth > 0) {
    const PetscReal sign = b->body[v[0]] == pair->party[0] ? 1 : -1;
    PetscReal       retreat[3];

    PetscCall(PetscArraycpy(retreat, pair->direction, 3));
    if (pair->around && !LocalDirection(b, pair, normal, v, edges, retreat)) PetscCall(PetscArrayzero(retreat, 3));
    if (sign * AbutDot(b->dim, c.direction, retreat) < ON_WRONG_SIDE) {
      c.distance = -c.distance;
      for (PetscInt k = 0; k < b->dim; k++) c.direction[k] = -c.direction[k];
    }
  }
  Separate(b, v, &c, gap * (1 + EXCESS));
  *moved = PETSC_TRUE;
  PetscFunctionReturn(0);
}

static PetscErrorCode SeparateAll(const Boundary *b, const Pairs *pairs, PetscReal gap)
{
  Near       near;
  PetscReal *normal;
  PetscBool  moved = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(FindNear(b, NULL, gap * (1 + EXCESS), &near));
  PetscCall(BoundaryAllNormals(b, &normal));
  for (int sweep = 0; sweep < MAX_SWEEPS && moved; sweep++) {
    moved = PETSC_FALSE;
    for (PetscInt i = 0; i < near.vertex.n; i++) PetscCall(SeparateNear(b, pairs, normal, near.vertex.a[i].v, PETSC_FALSE, gap, &moved));
    for (PetscInt i = 0; i < near.edge.n; i++) PetscCall(SeparateNear(b, pairs, normal, near.edge.a[i].v, PETSC_TRUE, gap, &moved));
  }
  PetscCall(PetscFree(normal));
  PetscCall(NearDestroy(&near));
  PetscFunctionReturn(0);
}

/* Moves vertices that are closer to a plane than the gap, or behind it. */
static void SeparatePlanes(const Boundary *b, PetscReal gap)
{
  for (PetscInt p = 0; p < b->num_planes; p++) {
    for (PetscInt v = 0; v < b->num_vertices; v++) {
      const PetscReal height = AbutPlaneHeight(b->dim, b->planes[p].normal, b->planes[p].point, &b->x[b->dim * v]);

      if (BoundaryIsRigid(b, b->body[v]) || height >= gap) continue;
      for (PetscInt k = 0; k < b->dim; k++) b->x[b->dim * v + k] += (gap * (1 + EXCESS) - height) * b->planes[p].normal[k];
    }
  }
}

/* ---- All */

/* Whether a body is closer to a plane than the gap. */
static PetscBool IsNearPlane(const Boundary *b, PetscReal gap)
{
  for (PetscInt p = 0; p < b->num_planes; p++)
    for (PetscInt v = 0; v < b->num_vertices; v++)
      if (!BoundaryIsRigid(b, b->body[v]) && AbutPlaneHeight(b->dim, b->planes[p].normal, b->planes[p].point, Position(b, v)) < gap)
        return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Whether any two bodies, or a body and a plane, are closer than the gap. */
static PetscErrorCode IsTooClose(const Boundary *b, PetscReal gap, PetscBool *close)
{
  Near near;

  PetscFunctionBegin;
  PetscCall(FindNear(b, NULL, gap, &near));
  *close = (PetscBool)(near.vertex.n + near.edge.n > 0 || IsNearPlane(b, gap));
  PetscCall(NearDestroy(&near));
  PetscFunctionReturn(0);
}

PetscErrorCode BoundaryIsOpen(PetscReal gap, const Boundary *b, Pairs *pairs, PetscBool *open)
{
  PetscInt  count;
  PetscBool close = PETSC_TRUE, apart;

  PetscFunctionBegin;
  PetscCall(FindCrossings(b, pairs, &count));
  PetscCall(IsTooClose(b, gap, &close));
  PetscCall(AroundIsOpen(b, pairs, &apart));
  *open = (PetscBool)(!count && !close && apart);
  PetscFunctionReturn(0);
}

/* Counts the crossings that are left after a round, and says so. Collective. */
static PetscErrorCode Look(const Boundary *b, const Pairs *pairs, int round, PetscInt *left)
{
  PetscInt num = 0, crossings = 0, first = -1;

  PetscFunctionBegin;
  for (PetscInt i = pairs->n - 1; i >= 0; i--) {
    if (!pairs->a[i].crossings) continue;
    first = i;
    num++;
    crossings += pairs->a[i].crossings;
  }
  if (first < 0)
    PetscCall(WatchLook(b->comm, b->watch, "round %d over the surfaces: no crossings left, bodies are closer than the gap", round));
  else
    PetscCall(WatchLook(b->comm, b->watch,
                        "round %d over the surfaces: %" PetscInt_FMT " crossings of %" PetscInt_FMT " pairs left, as of '%s' and '%s'",
                        round, crossings, num, BoundaryName(b, pairs->a[first].party[0]), BoundaryName(b, pairs->a[first].party[1])));
  *left = crossings;
  PetscFunctionReturn(0);
}

PetscErrorCode BoundaryOpen(PetscReal gap, Boundary *b, Pairs *pairs, PetscBool *done)
{
  PetscInt least = PETSC_MAX_INT, left = 0;
  int      idle = 0;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  for (int round = 0; round < MAX_ROUNDS && idle < MAX_IDLE && !*done; round++) {
    PetscCall(SeparatePairs(b, pairs, gap));
    SeparatePlanes(b, gap);
    PetscCall(SeparateAll(b, pairs, gap));
    PetscCall(BoundaryIsOpen(gap, b, pairs, done));
    if (*done) break;
    PetscCall(Look(b, pairs, round + 1, &left));
    idle  = left && left >= least ? idle + 1 : 0;
    least = PetscMin(least, left);
    if (PairsAreActive(pairs) && round) break;
  }
  PetscFunctionReturn(0);
}
