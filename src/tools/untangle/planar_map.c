/* Contacts of two curves in 2D: border of the common part, mapping direction, depths. */
#include "planar.h"

/* ---- Border of the common part */

static void CrossingPoint(const PlanarPair *p, PetscInt crossing, PetscReal x[2])
{
  const PlanarCrossing *c = &p->crossing[crossing];
  const PetscReal      *a = PlanarPoint(p->curve[0], PlanarEnd(p->curve[0], c->edge[0], 0));
  const PetscReal      *b = PlanarPoint(p->curve[0], PlanarEnd(p->curve[0], c->edge[0], 1));

  for (PetscInt k = 0; k < 2; k++) x[k] = (1 - c->t[0]) * a[k] + c->t[0] * b[k];
}

/* The crossing after `crossing` (-1: the first) on an edge of a side; -1 if there is none. */
static PetscInt NextOnEdge(const PlanarPair *p, PetscInt side, PetscInt edge, PetscInt crossing)
{
  const AbutCSR *at = &p->at[side];
  PetscInt       k  = at->start[edge];

  if (crossing >= 0) {
    while (at->item[k] != crossing) k++;
    k++;
  }
  return k < at->start[edge + 1] ? at->item[k] : -1;
}

static PetscErrorCode AddSegment(PlanarContact *c, PetscInt side, PetscInt edge, const PetscReal from[2], const PetscReal to[2])
{
  const PetscReal ends[4] = {from[0], from[1], to[0], to[1]};

  PetscFunctionBegin;
  PetscCall(AbutIntsPush(&c->edge[side], 1, &edge));
  PetscCall(AbutRealsPush(&c->segment[side], 4, ends));
  PetscFunctionReturn(0);
}

/* Refuses a curve that the walk cannot follow at vertex v. */
static PetscErrorCode RefuseEnd(const PlanarPair *p, PetscInt side, PetscInt v)
{
  const char *name = p->curve[side]->surface->name, *other = p->curve[1 - side]->surface->name;

  PetscFunctionBegin;
  if (p->curve[side]->next[v] == -2)
    PetscFunctionReturn(AbutErrorSet(ABUT_ERR_DIVERGED, "the curve of %s branches inside of %s, at vertex %" PetscInt_FMT, name, other,
                                     PlanarId(p->curve[side], v)));
  PetscFunctionReturn(AbutErrorSet(ABUT_ERR_DIVERGED, "the curve of %s ends inside of %s, at vertex %" PetscInt_FMT, name, other,
                                   PlanarId(p->curve[side], v)));
}

/* Follows side `side` from crossing *at, where it enters the other body, to the crossing *at where it leaves. */
static PetscErrorCode FollowChain(const PlanarPair *p, PetscInt side, PetscInt *at, PlanarContact *contact)
{
  const PlanarCurve *c    = p->curve[side];
  PetscInt           edge = p->crossing[*at].edge[side], next = NextOnEdge(p, side, edge, *at);
  PetscReal          start[2], from[2], to[2];

  PetscFunctionBegin;
  CrossingPoint(p, *at, start);
  PetscCall(PetscArraycpy(from, start, 2));
  while (next < 0) {
    const PetscInt   v = PlanarEnd(c, edge, 1);
    const PetscReal *x = PlanarPoint(c, v);

    PetscCall(AddSegment(contact, side, edge, from, x));
    PetscCall(AbutIntsPush(&contact->vertex[side], 1, &v));
    PetscCall(PetscArraycpy(from, x, 2));
    edge = c->next[v];
    if (edge < 0) PetscFunctionReturn(RefuseEnd(p, side, v));
    next = NextOnEdge(p, side, edge, -1);
  }
  CrossingPoint(p, next, to);
  PetscCall(AddSegment(contact, side, edge, from, to));
  PetscCall(AbutRealsPush(&contact->chain[side], 2, (PetscReal[]){to[1] - start[1], start[0] - to[0]}));
  AbutCheck(p->crossing[next].enters == (PetscBool)(side == 1), ABUT_ERR_DIVERGED,
            "the curve of '%s' intersects itself inside of '%s', near vertex %" PetscInt_FMT, c->surface->name,
            p->curve[1 - side]->surface->name, PlanarId(c, PlanarEnd(c, edge, 1)));
  *at = next;
  PetscFunctionReturn(0);
}

/* Border of the common part that contains crossing `first`; marks its crossings. */
static PetscErrorCode FollowBorder(const PlanarPair *p, PetscInt first, PetscBool done[], PlanarContact *contact)
{
  PetscInt at = first;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < 2; s++) contact->vertex[s].n = contact->edge[s].n = contact->segment[s].n = contact->chain[s].n = 0;
  do {
    for (PetscInt s = p->crossing[at].enters ? 0 : 1, k = 0; k < 2; k++, s = 1 - s) {
      AbutCheck(
        !done[at], ABUT_ERR_DIVERGED, "the curves of '%s' and '%s' intersect themselves where they overlap, near vertex %" PetscInt_FMT,
        p->curve[0]->surface->name, p->curve[1]->surface->name, PlanarId(p->curve[0], PlanarEnd(p->curve[0], p->crossing[at].edge[0], 1)));
      done[at] = PETSC_TRUE;
      PetscCall(FollowChain(p, s, &at, contact));
    }
  } while (at != first);
  PetscFunctionReturn(0);
}

/* ---- Direction and depths */

/*
  A chain that faces away from d shows a body that has passed through the other one. A corner that pierces a side at a grazing angle leaves
  chains that are nearly parallel to d; they may face away a little.
*/
static PetscErrorCode CheckFacing(const PlanarPair *p, const PlanarContact *contact)
{
  const PetscReal *d = contact->direction;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < 2; s++)
    for (PetscInt i = 0; i < contact->chain[s].n; i += 2) {
      const PetscReal *n = contact->chain[s].a + i;

      AbutCheck(AbutDot(2, d, d) > 0 && (s ? 1 : -1) * AbutDot(2, d, n) >= -0.5 * PetscSqrtReal(AbutDot(2, n, n)), ABUT_ERR_DIVERGED,
                "'%s' passes through '%s': no direction separates them", p->curve[s]->surface->name, p->curve[1 - s]->surface->name);
    }
  PetscFunctionReturn(0);
}

/*
  Eq. 2 with the normals of edges: the border of the common part is closed, so that the integrals of the normals over the chains of both
  sides are opposite, and d is their direction whatever the variations. *found is false if the common part has no extent.
*/
static PetscErrorCode SetDirection(const PlanarPair *p, PlanarContact *contact, PetscBool *found)
{
  const PetscReal tiny = 1e-12 * PetscMin(p->curve[0]->size, p->curve[1]->size);
  PetscReal       n[2] = {0, 0}, length;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  for (PetscInt i = 0; i < contact->chain[0].n; i++) {
    n[i % 2] += contact->chain[0].a[i];
    if (PetscAbsReal(contact->chain[0].a[i]) > tiny) *found = PETSC_TRUE;
  }
  length = PetscSqrtReal(AbutDot(2, n, n));
  for (PetscInt k = 0; k < 2; k++) contact->direction[k] = length > tiny ? -n[k] / length : 0;
  PetscFunctionReturn(*found ? CheckFacing(p, contact) : 0);
}

/* Height along d above x at which the ray from x meets a segment; PETSC_INFINITY if it does not, or behind x. */
static PetscReal Hit(const PetscReal x[2], const PetscReal d[2], const PetscReal a[2], const PetscReal b[2])
{
  const PetscReal ua = d[0] * (a[1] - x[1]) - d[1] * (a[0] - x[0]), ub = d[0] * (b[1] - x[1]) - d[1] * (b[0] - x[0]);
  const PetscReal ca = d[0] * (a[0] - x[0]) + d[1] * (a[1] - x[1]), cb = d[0] * (b[0] - x[0]) + d[1] * (b[1] - x[1]);
  PetscReal       height;

  if (ua == ub || PetscMin(ua, ub) > 0 || PetscMax(ua, ub) < 0) return PETSC_INFINITY;
  height = ca + (cb - ca) * (ua / (ua - ub));
  return height >= 0 ? height : PETSC_INFINITY;
}

/*
  Way from x along d to the other side: to the last hit of its border of the common part, else to the first hit of its curve, which is the
  end of the other body where x lies behind an overhang. 0 if the ray meets nothing.
*/
static PetscReal Depth(const PlanarCurve *other, const AbutReals *border, const PetscReal x[2], const PetscReal d[2])
{
  PetscReal last = -1, first = PETSC_INFINITY;

  for (PetscInt i = 0; i < border->n; i += 4) {
    const PetscReal height = Hit(x, d, border->a + i, border->a + i + 2);

    if (height < PETSC_INFINITY) last = PetscMax(last, height);
  }
  if (last >= 0) return last;
  for (PetscInt e = 0; e < other->surface->num_elements; e++)
    first = PetscMin(first, Hit(x, d, PlanarPoint(other, PlanarEnd(other, e, 0)), PlanarPoint(other, PlanarEnd(other, e, 1))));
  return first < PETSC_INFINITY ? first : 0;
}

static PetscErrorCode SetDepths(const PlanarPair *p, PlanarContact *c)
{
  PetscFunctionBegin;
  c->deepest = 0;
  for (PetscInt s = 0; s < 2; s++) {
    const PetscReal d[2] = {(s ? -1 : 1) * c->direction[0], (s ? -1 : 1) * c->direction[1]};

    c->depth[s].n = 0;
    for (PetscInt i = 0; i < c->vertex[s].n; i++) {
      const PetscReal depth = Depth(p->curve[1 - s], &c->segment[1 - s], PlanarPoint(p->curve[s], c->vertex[s].a[i]), d);

      PetscCall(AbutRealsPush(&c->depth[s], 1, &depth));
      c->deepest = PetscMax(c->deepest, depth);
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode MapAll(const PlanarPair *p, PlanarContactFn fn, void *ctx, PetscBool done[], PlanarContact *contact)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < p->num; i++) {
    PetscBool found;

    if (done[i]) continue;
    PetscCall(FollowBorder(p, i, done, contact));
    PetscCall(SetDirection(p, contact, &found));
    if (!found) continue;
    PetscCall(SetDepths(p, contact));
    PetscCall((*fn)(ctx, p, contact));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode ContactFree(PlanarContact *contact)
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < 2; s++) {
    PetscCall(PetscFree(contact->vertex[s].a));
    PetscCall(PetscFree(contact->edge[s].a));
    PetscCall(PetscFree(contact->segment[s].a));
    PetscCall(PetscFree(contact->chain[s].a));
    PetscCall(PetscFree(contact->depth[s].a));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode PlanarPairMap(const PlanarPair *p, PlanarContactFn fn, void *ctx)
{
  PlanarContact  contact = {{0}};
  PetscBool     *done;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(p->num, &done));
  code = MapAll(p, fn, ctx, done, &contact);
  PetscCall(PetscFree(done));
  PetscCall(ContactFree(&contact));
  PetscFunctionReturn(code);
}
