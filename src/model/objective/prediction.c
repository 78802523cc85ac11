/*
  Predicted contacts: the first pairs that a direction p would bring closer than a limit, each as a spring of the Hessian without energy.

  The gap of a pair at the end of a direction p' is linearised where CCD stops p, at the fraction t of p: d(t) + u . (p' - t p), with the
  gradient u of the distance d there. The spring holds this gap at a wanted value w:

      k / 2 (r + u . p')^2,    r = d(t) - t u . p - w.

  Its Hessian is k u u^T, its gradient at p' = 0 is k r u.
*/
#include <abut/containers.h>
#include <abut/objective.h>

/* Appends the spring of n contact vertices; adds its gradient at p' = 0 to `gradient`. slope: u [n * dim]; residual: r. */
static PetscErrorCode AddSpring(AbutPrediction *s, const AbutCandidates *c, PetscInt n, const PetscInt v[], const PetscReal slope[],
                                PetscReal residual, PetscReal gradient[])
{
  const AbutColumn columns[] = {{&s->vertices, 4 * sizeof(*s->vertices)}, {&s->slopes, 12 * sizeof(*s->slopes)}};

  PetscFunctionBegin;
  PetscCall(AbutReserveColumns(s->num + 1, &s->capacity, 2, columns));
  for (PetscInt i = 0; i < 4; i++) s->vertices[4 * s->num + i] = i < n ? c->vertex_global[v[i]] : -1;
  PetscCall(PetscArraycpy(s->slopes + 12 * s->num, slope, n * s->dim));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt k = 0; k < s->dim; k++) gradient[v[i] * s->dim + k] += s->stiffness * residual * slope[i * s->dim + k];
  s->num++;
  PetscFunctionReturn(0);
}

/* Distance d of a pair of positions x, and its gradient by the points of its closest features, which are points[0], ... of the stencil. */
static PetscReal Distance(AbutPairKind kind, PetscInt dim, const PetscReal x[], AbutClosest *closest, PetscReal slope[12])
{
  PetscReal points[12], d;

  AbutClosestFeatures(kind, dim, x, closest);
  for (PetscInt i = 0; i < closest->n; i++)
    for (PetscInt k = 0; k < dim; k++) points[dim * i + k] = x[dim * closest->v[i] + k];
  d = PetscSqrtReal(AbutDist2(closest->form, dim, points, slope, NULL));
  for (PetscInt i = 0; i < closest->n * dim; i++) slope[i] /= 2 * d;
  return d;
}

/* Adds the spring of a candidate of n points if the direction brings it closer than the limit before the horizon. */
static PetscErrorCode AddPair(AbutPrediction *s, const AbutCandidates *c, AbutPairKind kind, PetscInt n, const PetscInt v[],
                              const AbutPredictionLimit *limit, PetscReal gradient[])
{
  const PetscInt dim = s->dim;
  PetscReal      x[12], dx[12], slope[12], start, slack, t, d, along = 0;
  PetscInt       vertices[4];
  AbutClosest    closest;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt k = 0; k < dim; k++) {
      x[dim * i + k]  = c->x[dim * v[i] + k];
      dx[dim * i + k] = c->p[dim * v[i] + k];
    }
  if (!AbutCCD(kind, dim, x, dx, limit->horizon, limit->slack, &t)) PetscFunctionReturn(0);
  start = PetscSqrtReal(AbutPairDist2(kind, dim, x));
  slack = AbutContactSlack(limit->slack, limit->floor, start);
  if (slack > limit->slack && !AbutCCD(kind, dim, x, dx, limit->horizon, slack, &t)) PetscFunctionReturn(0);
  for (PetscInt i = 0; i < n * dim; i++) x[i] += t * dx[i];
  d = Distance(kind, dim, x, &closest, slope);
  for (PetscInt i = 0; i < closest.n; i++) {
    vertices[i] = v[closest.v[i]];
    along += AbutDot(dim, slope + dim * i, dx + dim * closest.v[i]);
  }
  PetscCall(AddSpring(s, c, closest.n, vertices, slope, d - t * along - PetscMin(limit->wanted, start / 2), gradient));
  PetscFunctionReturn(0);
}

/*
  Adds the springs of vertices that the direction brings closer to a half space than the limit before the horizon. Heights are linear in the
  direction.
*/
static PetscErrorCode AddPlanes(AbutPrediction *s, const AbutCandidates *c, const AbutPredictionLimit *limit, PetscReal gradient[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->num_pv; i++) {
    const AbutPlaneSpec *plane = &c->planes[c->pv[i][0]];
    const PetscReal     *x = c->x + s->dim * c->pv[i][1], *p = c->p + s->dim * c->pv[i][1];
    const PetscReal      height = AbutPlaneHeight(s->dim, plane->normal, plane->point, x), rate = AbutDot(s->dim, plane->normal, p);

    if (height + limit->horizon * rate >= (1 - AbutContactSlack(limit->slack, limit->floor, height)) * height) continue;
    PetscCall(AddSpring(s, c, 1, &c->pv[i][1], plane->normal, height - PetscMin(limit->wanted, height / 2), gradient));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPredictionAdd(AbutPrediction *s, const AbutPredictionLimit *limit, PetscReal gradient[], PetscInt *added)
{
  const AbutCandidates *c      = AbutContactGetCandidates(s->contact);
  const PetscInt        before = s->num;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_CCD));
  PetscCall(PetscArrayzero(gradient, c->num_vertices * s->dim));
  for (PetscInt i = 0; i < c->num_fv; i++) PetscCall(AddPair(s, c, ABUT_PAIR_FV, 4, c->fv[i], limit, gradient));
  for (PetscInt i = 0; i < c->num_ee; i++) PetscCall(AddPair(s, c, ABUT_PAIR_EE, 4, c->ee[i], limit, gradient));
  for (PetscInt i = 0; i < c->num_ev; i++) PetscCall(AddPair(s, c, ABUT_PAIR_EV, 3, c->ev[i], limit, gradient));
  PetscCall(AddPlanes(s, c, limit, gradient));
  PetscCall(AbutContactReduceAdd(s->contact, s->dim, gradient));
  *added = s->num - before;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, added, 1, MPIU_INT, MPI_SUM, s->comm));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_CCD));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPredictionFree(AbutPrediction *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(s->vertices));
  PetscCall(PetscFree(s->slopes));
  s->num = s->capacity = 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode GetPattern(void *ctx, PetscBool all, AbutStencilList *needed, AbutStencilList *lookahead)
{
  const AbutPrediction *s = (const AbutPrediction *)ctx;

  PetscFunctionBegin;
  (void)all, (void)lookahead;
  *needed = (AbutStencilList){s->num, NULL, s->vertices};
  PetscFunctionReturn(0);
}

static PetscErrorCode AddHessian(void *ctx, const AbutTrial *at, AbutProjection projection, AbutAssembler assembler)
{
  const AbutPrediction *s = (const AbutPrediction *)ctx;

  PetscFunctionBegin;
  (void)at, (void)projection;
  for (PetscInt k = 0; k < s->num; k++) {
    const PetscInt  *v = s->vertices + 4 * k;
    const PetscReal *u = s->slopes + 12 * k;
    PetscReal        H[144];
    PetscInt         n = 0;

    while (n < 4 && v[n] >= 0) n++;
    const PetscInt m = n * s->dim;
    for (PetscInt i = 0; i < m; i++)
      for (PetscInt j = 0; j < m; j++) H[m * i + j] = s->stiffness * u[i] * u[j];
    PetscCall(AbutAssemblerAdd(assembler, n, v, H));
  }
  PetscFunctionReturn(0);
}

const AbutTermOps AbutPredictionTerm = {.name       = "predicted contacts",
                                        .kind       = ABUT_ENERGY_OTHER,
                                        .phase      = ABUT_PHASE_CONTACT_ASSEMBLY,
                                        .getpattern = GetPattern,
                                        .addhessian = AddHessian};
