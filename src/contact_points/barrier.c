/*
  Contact potentials as methods: one contact for each active pair of primitives of different bodies, with the contact force as weight. A
  barrier needs a gap: the bodies are eroded as for closest points, and the activation distance is a multiple of the erosion. Activation
  distances are not adapted to the shape at rest, where the bodies may touch.
*/
#include "contact_pointsimpl.h"
#include <math.h>

#define LEAST_FORCE 1e-9 /* of a contact over the largest force; what remains where positive and negative areas cancel is less */
#define ROUND_BITS  33   /* of the forces: a contact may have parts on several ranks, whose sum depends on the number of ranks */

/* Sets the activation distance of all surface primitives, which AbutPotentialSetUp() has lowered where bodies touch at rest. Collective. */
static PetscErrorCode SetUniformDhat(AbutContactPoints points)
{
  const AbutCandidates *c;
  PetscInt              n;
  PetscReal            *dhat;

  PetscFunctionBegin;
  PetscCall(AbutContactGetCandidates(points->contact, &c));
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
  PetscFunctionBegin;
  PetscCall(AbutContactCreate(points->mesh, 0, NULL, &points->contact));
  PetscCall(AbutContactSetFromOptions(points->contact));
  PetscCall(AbutPotentialCreate(points->comm, points->name, &points->potential));
  PetscCall(AbutPotentialSetSpec(points->potential, &points->spec));
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

/* Vertices `start` to `end` of a contact point: kind and ids, ascending; the part of its closest point, with the sign of the weights. */
static AbutFeatureKind SetSide(const AbutCandidates *c, const PetscReal x[], const AbutContactPoint *point, PetscInt start, PetscInt end,
                               PetscInt vertex[3], PetscReal closest[3])
{
  PetscInt n = 0;

  for (int i = 0; i < 3; i++) {
    vertex[i]  = -1;
    closest[i] = 0;
  }
  for (PetscInt p = start; p < end; p++) {
    const PetscInt id = c->vertex_id[point->v[p]];
    PetscInt       at = n++;

    for (; at > 0 && vertex[at - 1] > id; at--) vertex[at] = vertex[at - 1];
    vertex[at] = id;
    for (int i = 0; i < 3; i++) closest[i] += point->weight[p] * x[3 * point->v[p] + i];
  }
  return (AbutFeatureKind)(n - 1);
}

/* The contact of a contact point between two bodies; its weight is the force in the direction of the normal. */
static AbutPointContact ContactOf(const AbutCandidates *c, const PetscReal x[], const AbutContactPoint *point)
{
  const PetscInt   first   = point->first;
  const PetscInt   body[2] = {c->vertex_body[point->v[0]], c->vertex_body[point->v[first]]};
  const int        s       = body[0] > body[1]; /* the first side of the point is side s of the contact */
  AbutPointContact contact;
  PetscReal        closest[2][3];
  const PetscReal  force = PetscSqrtReal(AbutDot(3, point->force_vector, point->force_vector));

  (void)PetscMemzero(&contact, sizeof(contact));
  contact.feature[s]     = SetSide(c, x, point, 0, first, contact.vertex[s], closest[0]);
  contact.feature[1 - s] = SetSide(c, x, point, first, point->n, contact.vertex[1 - s], closest[1]);
  for (int i = 0; i < 2; i++) {
    contact.body[s ? 1 - i : i] = body[i];
    contact.cell[i]             = -1;
  }
  for (int i = 0; i < 3; i++) {
    contact.position[i] = (closest[0][i] - closest[1][i]) / 2;
    contact.normal[i]   = force > 0 ? (s ? 1 : -1) * point->force_vector[i] / force : 0;
  }
  contact.separation = point->dist;
  contact.weight     = force;
  return contact;
}

PetscErrorCode AbutPointsBarrierFind(AbutContactPoints points, const PetscReal x[])
{
  const AbutCandidates   *c;
  const AbutContactPoint *point;
  AbutPotentialStats      stats;
  PetscInt                count;
  PetscReal               step = 0;

  PetscFunctionBegin;
  if (!points->potential) PetscCall(SetUp(points));
  PetscCall(AbutContactSearch(points->contact, x, NULL, &step, points->rules.dhat));
  PetscCall(AbutContactGetCandidates(points->contact, &c));
  PetscCall(AbutPotentialSetState(points->potential, c, c->x));
  PetscCall(AbutPotentialGetStats(points->potential, &stats));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &stats.min_dist, 1, MPIU_REAL, MPIU_MIN, points->comm));
  AbutCheck(stats.min_dist > 0, ABUT_ERR_INTERSECTION, "the eroded surfaces touch, so that \"%s\" is infinite: raise -points_erosion",
            points->name);
  PetscCall(AbutPotentialGetContactPoints(points->potential, &count, &point));
  PetscCall(AbutPointContactsReserve(&points->mine, count));
  for (PetscInt k = 0; k < count; k++) {
    if (point[k].plane >= 0 || c->vertex_body[point[k].v[0]] == c->vertex_body[point[k].v[point[k].first]]) continue;
    points->mine.a[points->mine.n++] = ContactOf(c, c->x, &point[k]);
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

/* Adds a part of the same contact: a part with the opposite normal has a negative force. */
static void AddPart(AbutPointContact *sum, const AbutPointContact *part)
{
  sum->weight += AbutDot(3, sum->normal, part->normal) < 0 ? -part->weight : part->weight;
  if (sum->weight >= 0) return;
  sum->weight = -sum->weight;
  for (int i = 0; i < 3; i++) sum->normal[i] = -sum->normal[i];
}

/* Rounds to ROUND_BITS binary digits. */
static PetscReal Round(PetscReal value)
{
  int             exponent;
  const PetscReal fraction = frexp(value, &exponent);

  return ldexp(rint(ldexp(fraction, ROUND_BITS)), exponent - ROUND_BITS);
}

PetscErrorCode AbutPointsBarrierMerge(AbutPointContacts *contacts)
{
  PetscReal largest = 0;
  PetscInt  n = 0, kept = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < contacts->n; k++) {
    const AbutPointContact part = contacts->a[k];

    largest = PetscMax(largest, part.weight);
    if (n && IsSamePair(&contacts->a[n - 1], &part))
      AddPart(&contacts->a[n - 1], &part);
    else
      contacts->a[n++] = part;
  }
  for (PetscInt k = 0; k < n; k++) {
    AbutPointContact contact = contacts->a[k];

    if (!(contact.weight > LEAST_FORCE * largest)) continue;
    contact.weight      = Round(contact.weight);
    contacts->a[kept++] = contact;
  }
  contacts->n = kept;
  PetscFunctionReturn(0);
}

const AbutPointMethod AbutBarrierMethod = {NULL, PETSC_TRUE};
