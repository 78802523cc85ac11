/*
  Contact potentials as methods: one contact for each pair of closest features of different bodies, with the contact force at unit stiffness
  as weight. A barrier needs a gap: the bodies are eroded as for closest points, and the activation distance is a multiple of the erosion.
  Activation distances are not adapted to the shape at rest, where the bodies may touch.
*/
#include "contact_pointsimpl.h"
#include <math.h>

#define LEAST_FORCE  1e-8  /* smallest force kept, over the largest force; what remains of areas that cancel is less */
#define ROUND_BITS   26    /* binary digits kept of sums over ranks, so that they do not depend on the number of ranks */
#define SMALL_BITS   34    /* a small force is rounded to this binary digit of the largest force */
#define LEAST_WEIGHT 1e-10 /* of a vertex in a closest point: barycentric coordinate */

/* Rounds to a multiple of 2^exponent. */
static PetscReal RoundTo(int exponent, PetscReal value)
{
  return ldexp(rint(ldexp(value, -exponent)), exponent);
}

/* Rounds to ROUND_BITS binary digits. */
static PetscReal Round(PetscReal value)
{
  int exponent;

  (void)frexp(value, &exponent);
  return RoundTo(exponent - ROUND_BITS, value);
}

/* Sets the activation distance of all surface primitives, which AbutPotentialSetUp() has lowered where bodies touch at rest. Collective. */
static PetscErrorCode SetUniformDhat(AbutContactPoints points)
{
  const AbutCandidates *c = AbutContactGetCandidates(points->contact);
  PetscInt              n;
  PetscReal            *dhat;

  PetscFunctionBegin;
  n = PetscMax(c->num_vertices, PetscMax(c->one_ring->num_edges, c->one_ring->num_faces));
  PetscCall(PetscMalloc1(n, &dhat));
  for (PetscInt i = 0; i < n; i++) dhat[i] = points->rules.dhat;
  PetscCall(AbutContactSetDhat(points->contact, dhat, dhat, dhat));
  PetscCall(PetscFree(dhat));
  PetscFunctionReturn(0);
}

/* Creates search and potential for the activation distance in force. Collective. */
static PetscErrorCode SetUp(AbutContactPoints points)
{
  AbutPotentialSpec spec = points->spec;

  PetscFunctionBegin;
  if (spec.length == 0) {
    PetscCall(AbutMeshGetMeanEdge(points->mesh, PETSC_FALSE, &spec.length));
    spec.length = Round(spec.length);
  }
  if (!points->contact) PetscCall(AbutContactCreate(points->mesh, 0, NULL, &points->contact));
  PetscCall(AbutContactSetFromOptions(points->contact));
  PetscCall(AbutPotentialCreate(points->comm, points->name, &points->potential));
  PetscCall(AbutPotentialSetSpec(points->potential, &spec));
  /* The set-up at half the distance makes the potential read the distances of SetUniformDhat() at the next state. */
  PetscCall(AbutPotentialSetDhat(points->potential, points->rules.dhat / 2));
  PetscCall(AbutPotentialSetUp(points->potential, points->mesh, points->contact));
  if (AbutPotentialGetInfo(points->potential)->adaptive_dhat) PetscCall(SetUniformDhat(points));
  PetscCall(AbutPotentialSetDhat(points->potential, points->rules.dhat));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactPointsSetPotentialSpec(AbutContactPoints points, const AbutPotentialSpec *spec)
{
  PetscFunctionBegin;
  points->spec = *spec;
  PetscCall(AbutPointsBarrierReset(points));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPointsBarrierReset(AbutContactPoints points)
{
  PetscFunctionBegin;
  PetscCall(AbutPotentialDestroy(&points->potential));
  PetscCall(AbutContactDestroy(&points->contact));
  PetscFunctionReturn(0);
}

/* One side of a contact: its vertices in the order of their ids. */
typedef struct {
  PetscInt n, v[3], id[3]; /* id: -1 beyond n */
} Side;

/* Vertices [start, end) of a point. Vertices without weight are left out: where a vertex is over an edge, rounding decides over them. */
static Side SideOf(const AbutCandidates *c, const AbutContactPoint *point, PetscInt start, PetscInt end)
{
  Side side = {0, {-1, -1, -1}, {-1, -1, -1}};

  for (PetscInt p = start; p < end; p++) {
    PetscInt at;

    if (PetscAbsReal(point->weight[p]) <= LEAST_WEIGHT) continue;
    at = side.n++;

    for (; at > 0 && side.id[at - 1] > c->vertex_id[point->v[p]]; at--) {
      side.v[at]  = side.v[at - 1];
      side.id[at] = side.id[at - 1];
    }
    side.v[at]  = point->v[p];
    side.id[at] = c->vertex_id[point->v[p]];
  }
  return side;
}

/*
  Middle of the closest points of two sides and the unit vector from the first to the second. Vertices are in the order of ids, so that the
  bits do not depend on the ranks. Returns the distance; PETSC_INFINITY if the sides are two faces.
*/
static PetscReal ClosestPoints(const Side side[2], const PetscReal x[], PetscReal middle[3], PetscReal direction[3])
{
  const int          first = side[0].n > side[1].n; /* the side with fewer vertices */
  const Side        *a = &side[first], *b = &side[1 - first];
  const AbutPairKind kind = a->n == 2 ? ABUT_PAIR_EE : b->n == 1 ? ABUT_PAIR_VV : b->n == 2 ? ABUT_PAIR_EV : ABUT_PAIR_FV;
  PetscReal          stencil[12], form[12];
  AbutClosest        closest;
  AbutDistFrame      frame;

  if (a->n == 3 || a->n + b->n > 4) return PETSC_INFINITY;
  for (PetscInt p = 0; p < a->n + b->n; p++)
    for (int i = 0; i < 3; i++) stencil[3 * p + i] = x[3 * (p < a->n ? a->v[p] : b->v[p - a->n]) + i];
  AbutClosestFeatures(kind, 3, stencil, &closest);
  for (PetscInt p = 0; p < closest.n; p++)
    for (int i = 0; i < 3; i++) form[3 * p + i] = stencil[3 * closest.v[p] + i];
  AbutDist2Frame(closest.form, 3, form, &frame);
  for (int i = 0; i < 3; i++) {
    const PetscReal to_first = (closest.v[0] < a->n) == !first ? -1 : 1; /* sign that turns the normal towards side 1 */

    direction[i] = (frame.h < 0 ? -to_first : to_first) * frame.normal[i];
    middle[i]    = 0;
    for (PetscInt p = 0; p < frame.n; p++) middle[i] += PetscAbsReal(frame.c[p]) / 2 * form[3 * p + i];
  }
  return PetscAbsReal(frame.h);
}

/*
  The contact of a contact point between two bodies; its weight is the force in the direction of the normal. Orientation-aware potentials:
  the normal is the direction of the total force of the pair; else the line between the closest points. `lagged`: the orientation filters
  are held fixed. Their derivatives are a force across the line between the closest points, so that the component along the line is left.
*/
static AbutPointContact ContactOf(PetscBool oriented, PetscBool lagged, const AbutCandidates *c, const PetscReal x[],
                                  const AbutContactPoint *point)
{
  const PetscInt   first    = point->first;
  const PetscInt   body[2]  = {c->vertex_body[point->v[0]], c->vertex_body[point->v[first]]};
  const int        s        = body[0] > body[1]; /* the first side of the point is side s of the contact */
  const Side       parts[2] = {SideOf(c, point, 0, first), SideOf(c, point, first, point->n)}, side[2] = {parts[s], parts[1 - s]};
  AbutPointContact contact;

  (void)PetscMemzero(&contact, sizeof(contact));
  contact.length     = 1;
  contact.weight     = AbutNorm(3, point->force_vector);
  contact.separation = ClosestPoints(side, x, contact.position, contact.normal);
  for (int k = 0; k < 2; k++) {
    contact.body[k]    = body[s ? 1 - k : k];
    contact.cell[k]    = -1;
    contact.feature[k] = (AbutFeatureKind)(side[k].n - 1);
    for (int i = 0; i < 3; i++) contact.vertex[k][i] = side[k].id[i];
  }
  if (oriented && lagged) contact.weight = PetscAbsReal(AbutDot(3, point->force_vector, contact.normal));
  for (int i = 0; i < 3; i++) {
    if (oriented && !lagged && contact.weight > 0) contact.normal[i] = (s ? 1 : -1) * point->force_vector[i] / contact.weight;
    if (!oriented && point->force < 0) contact.normal[i] = -contact.normal[i];
    contact.normal[i] += 0.; /* no negative zeros */
  }
  return contact;
}

PetscErrorCode AbutPointsBarrierFind(AbutContactPoints points, const PetscReal x[])
{
  const AbutCandidates   *c;
  const AbutContactPoint *point;
  PetscBool               oriented;
  AbutPotentialStats      stats;
  PetscInt                count;
  PetscReal               step = 0;

  PetscFunctionBegin;
  if (!points->potential) {
    const PetscErrorCode verdict = SetUp(points);

    if (verdict) PetscCall(AbutPointsBarrierReset(points)); /* so that the next search sets up again */
    PetscCall(verdict);
  }
  PetscCall(AbutContactSearch(points->contact, x, NULL, &step, points->rules.dhat));
  c = AbutContactGetCandidates(points->contact);
  PetscCall(AbutPotentialSetState(points->potential, c, c->x));
  PetscCall(AbutPotentialGetStats(points->potential, &stats));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &stats.min_dist, 1, MPIU_REAL, MPIU_MIN, points->comm));
  AbutCheck(stats.min_dist > 0, ABUT_ERR_INTERSECTION, "the eroded surfaces touch, so that \"%s\" is infinite: raise -points_erosion",
            points->name);
  oriented = AbutPotentialGetInfo(points->potential)->oriented;
  PetscCall(AbutPotentialGetContactPoints(points->potential, &count, &point));
  PetscCall(AbutPointContactsReserve(&points->mine, count));
  for (PetscInt k = 0; k < count; k++) {
    if (point[k].plane >= 0 || c->vertex_body[point[k].v[0]] == c->vertex_body[point[k].v[point[k].first]]) continue;
    points->mine.a[points->mine.n++] = ContactOf(oriented, points->policy.lagged_filters, c, c->x, &point[k]);
  }
  PetscFunctionReturn(0);
}

static PetscBool IsSamePair(const AbutPointContact *a, const AbutPointContact *b)
{
  PetscBool same = (PetscBool)(a->body[0] == b->body[0] && a->body[1] == b->body[1]);

  for (int s = 0; s < 2; s++)
    for (int i = 0; i < 3; i++) same &= (PetscBool)(a->vertex[s][i] == b->vertex[s][i]);
  return same;
}

/*
  Adds a part of the same contact: the force of another rank, or of another pair of primitives with the same closest features. `parallel`:
  the normals are equal or opposite, and the larger part determines the normal, bit for bit; else the forces are added as vectors.
*/
static void AddPart(PetscBool parallel, AbutPointContact *sum, const AbutPointContact *part)
{
  const AbutPointContact *larger = part->weight > sum->weight ? part : sum;
  const PetscReal         sign   = AbutDot(3, sum->normal, part->normal) < 0 ? -1 : 1;
  PetscReal               force[3], total;

  for (int i = 0; i < 3; i++) force[i] = sum->weight * sum->normal[i] + part->weight * part->normal[i];
  total = parallel ? PetscAbsReal(sum->weight + sign * part->weight) : AbutNorm(3, force);
  for (int i = 0; i < 3; i++) sum->normal[i] = parallel || total == 0 ? larger->normal[i] : force[i] / total;
  sum->weight = total;
}

/*
  Rounds the force of a contact: unless its normal is a line between closest points, component by component, so that force and normal have
  the same bits on any number of ranks. Small forces can be differences of large ones, hence SMALL_BITS.
*/
static void RoundContact(PetscBool parallel, PetscReal largest, AbutPointContact *contact)
{
  int       own, most, exponent;
  PetscReal force[3];

  (void)frexp(contact->weight, &own);
  (void)frexp(largest, &most);
  exponent = PetscMax(own - ROUND_BITS, most - SMALL_BITS);
  if (parallel) {
    contact->weight = RoundTo(exponent, contact->weight);
    return;
  }
  for (int i = 0; i < 3; i++) force[i] = RoundTo(exponent, contact->weight * contact->normal[i]);
  contact->weight = AbutNorm(3, force);
  for (int i = 0; i < 3; i++) contact->normal[i] = force[i] / contact->weight + 0.; /* no negative zeros */
}

PetscErrorCode AbutPointsBarrierMerge(AbutContactPoints points, AbutPointContacts *contacts)
{
  const PetscBool parallel = (PetscBool)(!AbutPotentialGetInfo(points->potential)->oriented || points->policy.lagged_filters);
  PetscReal       largest  = 0;
  PetscInt        n = 0, kept = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < contacts->n; k++) {
    const AbutPointContact part = contacts->a[k];

    if (n && IsSamePair(&contacts->a[n - 1], &part))
      AddPart(parallel, &contacts->a[n - 1], &part);
    else
      contacts->a[n++] = part;
  }
  for (PetscInt k = 0; k < n; k++) largest = PetscMax(largest, contacts->a[k].weight); /* sums over all ranks, unlike the parts */
  for (PetscInt k = 0; k < n; k++) {
    AbutPointContact contact = contacts->a[k];

    if (!(contact.weight > LEAST_FORCE * largest)) continue;
    RoundContact(parallel, largest, &contact);
    contacts->a[kept++] = contact;
  }
  contacts->n = kept;
  PetscFunctionReturn(0);
}
