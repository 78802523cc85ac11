/* The surface that pairs are searched on, the list of pairs, and the distance at which quadrature replaces a pair. */
#include "oriented.h"

static inline PetscReal Dist2(PetscInt dim, const PetscReal a[], const PetscReal b[])
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < dim; i++) sum += PetscSqr(a[i] - b[i]);
  return sum;
}

/* Longest edge of the primitive or between it and its stencil. */
static PetscReal LongestEdge(PetscInt dim, const AbutOrientedPrimitive *p, const PetscReal rest[])
{
  PetscReal most = 0;

  for (PetscInt j = 0; j <= (PetscInt)p->kind; j++) {
    for (PetscInt k = j + 1; k < p->n; k++) most = PetscMax(most, Dist2(dim, rest + dim * p->v[j], rest + dim * p->v[k]));
  }
  return PetscSqrtReal(most);
}

/* Sets AbutOriented.length from positions at rest. */
static PetscErrorCode MeasureEdges(AbutOriented *sm, const PetscReal rest[])
{
  const AbutOrientedSurface *s        = sm->surface;
  const PetscInt             counts[] = {s->num_vertices, s->num_edges, s->num_faces};

  PetscFunctionBegin;
  for (PetscInt kind = 0; kind < s->dim; kind++) {
    PetscCall(Reserve(&sm->length[kind], counts[kind], sizeof(PetscReal)));
    for (PetscInt i = 0; i < counts[kind]; i++) {
      AbutOrientedPrimitive p;
      AbutOrientedGetPrimitive(s, (AbutOrientedKind)kind, i, &p);
      ((PetscReal *)sm->length[kind].data)[i] = p.num_normals ? LongestEdge(s->dim, &p, rest) : 0;
    }
  }
  PetscFunctionReturn(0);
}

/* Copies the activation distances of primitives, limited to dhat; NULL if they are all dhat. */
static PetscErrorCode CopyDhat(PetscInt n, const PetscReal from[], PetscReal dhat, Buffer *buffer, PetscReal **to)
{
  PetscFunctionBegin;
  *to = NULL;
  if (!from) PetscFunctionReturn(0);
  PetscCall(Reserve(buffer, n, sizeof(PetscReal)));
  *to = buffer->data;
  for (PetscInt i = 0; i < n; i++) (*to)[i] = PetscMin(from[i], dhat);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrientedUpdateSurface(AbutPotential pot, const AbutCandidates *c)
{
  AbutOriented      *sm = pot->data;
  const AbutOneRing *r  = c->one_ring;

  PetscFunctionBegin;
  PetscCheck(r, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Potential \"%s\" needs AbutContactSetOneRing() before the search", pot->info->name);
  if (!sm->surface || sm->one_ring != r || sm->version != r->version || sm->surface->num_vertices != c->num_vertices) {
    PetscCall(AbutOrientedSurfaceDestroy(&sm->surface));
    PetscCall(
      AbutOrientedSurfaceCreate(c->dim, c->num_vertices, r->num_edges, r->edges, r->num_faces, r->faces, r->oriented, &sm->surface));
    sm->one_ring      = r;
    sm->version       = r->version;
    sm->adaptive.dhat = -1;
    if (sm->spec.samples > 0) PetscCall(MeasureEdges(sm, c->rest));
  }
  sm->surface->id = c->vertex_id;
  if (sm->adaptive.dhat != pot->dhat) {
    sm->adaptive.dhat = pot->dhat;
    PetscCall(CopyDhat(c->num_vertices, r->vertex_dhat, pot->dhat, &sm->vertex_dhat, &sm->adaptive.vertex));
    PetscCall(CopyDhat(r->num_edges, r->edge_dhat, pot->dhat, &sm->edge_dhat, &sm->adaptive.edge));
    PetscCall(CopyDhat(r->num_faces, r->face_dhat, pot->dhat, &sm->face_dhat, &sm->adaptive.face));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrientedAddPairs(AbutOriented *sm, PetscInt n, const AbutOrientedPair pairs[], PetscInt plane)
{
  PetscFunctionBegin;
  PetscCall(Reserve(&sm->found, sm->num_found + n, sizeof(AbutOrientedContact)));
  for (PetscInt k = 0; k < n; k++)
    ((AbutOrientedContact *)sm->found.data)[sm->num_found++] = (AbutOrientedContact){.pair = pairs[k], .plane = plane};
  PetscFunctionReturn(0);
}

PetscReal AbutOrientedSplitDistance(const AbutOriented *sm, const AbutOrientedPair *pair)
{
  const PetscReal a = ((PetscReal *)sm->length[AbutOrientedKindOf(sm->dim, pair, 0)].data)[pair->a];
  const PetscReal b = ((PetscReal *)sm->length[AbutOrientedKindOf(sm->dim, pair, 1)].data)[pair->b];
  PetscReal       split;

  if (sm->spec.samples == 0 || !sm->adaptive.vertex || !(a > 0) || !(b > 0)) return 0;
  split = AbutOrientedResolvedDistance(&sm->spec, PetscMax(a, b));
  return split < pair->dhat ? split : 0;
}
