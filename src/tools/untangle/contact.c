/* Runs the contact deformer on the pairs of bodies that intersect. */
#include "boundary.h"

#define TAU -2 /* extent of the contact zones in standard deviations of the depth; smaller values give larger zones */

/* A surface of the deformer: the surface of a body, or a square for a plane. */
typedef struct {
  AbutDeformSurface surface;
  PetscInt          num_vertices;
  PetscReal        *x, *y; /* [3 * num_vertices] */
  PetscReal         extent;
} Party;

typedef struct {
  MPI_Comm                     comm;
  const AbutUntangleConstants *constants;
  Boundary                    *b;
  Pairs                       *pairs;
  PetscInt                     num_parties;
  Party                       *party; /* [num_parties] */
  PetscInt                    *index; /* [bodies and planes] into `party`, -1: does not intersect anything */
} Collision;

static PetscErrorCode CreateBodySurface(const Boundary *b, PetscInt body, Party *party)
{
  const PetscInt first = b->vertex_start[body], num = b->vertex_start[body + 1] - first;
  const PetscInt from = b->element_start[body], num_faces = b->element_start[body + 1] - from;
  PetscInt      *faces;
  PetscErrorCode code;

  PetscFunctionBegin;
  AbutCheck(num_faces > 0, ABUT_ERR_INPUT,
            "obstacle '%s' intersects a body; only surfaces of triangles can be moved apart, it has segments or points",
            BoundaryName(b, body));
  PetscCall(PetscMalloc1(3 * num_faces, &faces));
  for (PetscInt i = 0; i < 3 * num_faces; i++) faces[i] = b->element[3 * from + i] - first;
  code = AbutDeformSurfaceCreate(BoundaryName(b, body), num, num_faces, faces, &party->surface);
  PetscCall(PetscFree(faces));
  PetscCall(code);
  PetscCall(AbutDeformSurfaceSetIds(party->surface, &b->id[first]));
  party->num_vertices = num;
  PetscCall(PetscMalloc2(3 * num, &party->x, 3 * num, &party->y));
  PetscCall(PetscArraycpy(party->x, &b->x[3 * first], 3 * num));
  PetscFunctionReturn(0);
}

/* A square on the plane, so large that its border is outside of all bodies. */
static PetscErrorCode CreatePlaneSurface(const Boundary *b, PetscInt plane, Party *party)
{
  static const PetscInt faces[6] = {0, 1, 2, 0, 2, 3};
  const AbutPlaneSpec  *p        = &b->planes[plane];
  PetscReal             t[2][3], size = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * b->num_vertices; i++) size = PetscMax(size, PetscAbsReal(b->x[i] - p->point[i % 3]));
  NormalAxes(3, p->normal, t);
  party->num_vertices = 4;
  PetscCall(PetscMalloc2(12, &party->x, 12, &party->y));
  for (PetscInt i = 0; i < 4; i++)
    for (PetscInt k = 0; k < 3; k++)
      party->x[3 * i + k] = p->point[k] + 4 * size * ((i == 1 || i == 2 ? 1 : -1) * t[0][k] + (i > 1 ? 1 : -1) * t[1][k]);
  PetscCall(AbutDeformSurfaceCreate(p->name, 4, 2, faces, &party->surface));
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateParty(Collision *c, PetscInt party)
{
  Party *p = &c->party[c->num_parties];

  PetscFunctionBegin;
  c->index[party] = c->num_parties++;
  if (party < c->b->num_bodies)
    PetscCall(CreateBodySurface(c->b, party, p));
  else
    PetscCall(CreatePlaneSurface(c->b, party - c->b->num_bodies, p));
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateParties(Collision *c)
{
  const PetscInt total = c->b->num_bodies + c->b->num_planes;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(total, &c->index));
  PetscCall(PetscCalloc1(total, &c->party));
  for (PetscInt i = 0; i < total; i++) c->index[i] = -1;
  for (PetscInt i = 0; i < c->pairs->n; i++) {
    const Pair *pair = &c->pairs->a[i];

    for (int s = 0; s < 2 && PairIsActive(pair); s++) {
      const PetscInt p = pair->party[s];

      if (c->index[p] < 0) PetscCall(CreateParty(c, p));
    }
    for (int s = 0; s < 2 && PairIsActive(pair); s++) {
      Party *party = &c->party[c->index[pair->party[s]]];

      party->extent = PetscMax(party->extent, PairExtent(c->b, pair));
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode DestroyParties(Collision *c)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->num_parties; i++) {
    PetscCall(AbutDeformSurfaceDestroy(&c->party[i].surface));
    PetscCall(PetscFree2(c->party[i].x, c->party[i].y));
  }
  PetscCall(PetscFree(c->party));
  PetscCall(PetscFree(c->index));
  PetscFunctionReturn(0);
}

static PetscErrorCode AddToDeformer(Collision *c, AbutDeformer deformer, AbutDeformPairControl pair_control[],
                                    AbutDeformSurfaceControl surface_control[])
{
  PetscInt index;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->num_parties; i++) {
    PetscCall(AbutDeformerAddSurface(deformer, c->party[i].surface, &index));
    AbutDeformSurfaceControlInit(c->party[i].extent, &surface_control[i]);
  }
  for (PetscInt i = 0; i < c->pairs->n; i++) {
    const Pair *pair = &c->pairs->a[i];

    if (!PairIsActive(pair)) continue;
    PetscCall(AbutDeformerAddPair(deformer, c->index[pair->party[0]], c->index[pair->party[1]], &index));
    AbutDeformPairControlInit(&pair_control[index]);
    for (int s = 0; s < 2; s++) pair_control[index].stiffness[s] = BoundaryShare(c->b, pair->party[1 - s], pair->party[s]);
    pair_control[index].tau = TAU;
  }
  PetscFunctionReturn(0);
}

/* Displaced positions and contact zones of a body. */
static PetscErrorCode TakeBody(Collision *c, AbutDeformer deformer, PetscInt body)
{
  const Party   *party = &c->party[c->index[body]];
  const PetscInt first = c->b->vertex_start[body];
  PetscInt      *contact;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(&c->b->x[3 * first], party->y, 3 * party->num_vertices));
  PetscCall(PetscMalloc1(party->num_vertices, &contact));
  PetscCall(AbutDeformerGetContacts(deformer, c->index[body], contact));
  for (PetscInt i = 0; i < party->num_vertices; i++)
    if (contact[i] >= 0) c->b->zone[first + i] = PETSC_TRUE;
  PetscCall(PetscFree(contact));
  PetscFunctionReturn(0);
}

/* Displaced positions of bodies; directions and depths of the pairs. */
static PetscErrorCode TakeResults(Collision *c, AbutDeformer deformer)
{
  const AbutDeformSurfaceReport *surfaces;
  const AbutDeformPairReport    *reports;
  PetscInt                       next = 0;

  PetscFunctionBegin;
  PetscCall(AbutDeformerGetReports(deformer, &reports, &surfaces));
  for (PetscInt p = 0; p < c->b->num_bodies; p++)
    if (c->index[p] >= 0 && !BoundaryIsRigid(c->b, p)) PetscCall(TakeBody(c, deformer, p));
  for (PetscInt i = 0; i < c->pairs->n; i++) {
    Pair *pair = &c->pairs->a[i];

    if (!PairIsActive(pair)) continue;
    PetscCall(PetscArraycpy(pair->direction, reports[next].direction, 3));
    pair->depth =
      PairDepth(reports[next++].depth, surfaces[c->index[pair->party[0]]].displacement + surfaces[c->index[pair->party[1]]].displacement);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode Solve(Collision *c)
{
  AbutDeformPairControl    *pair_control;
  AbutDeformSurfaceControl *surface_control;
  AbutDeformer              deformer;
  const PetscReal         **x;
  PetscReal               **y;
  PetscErrorCode            code;

  PetscFunctionBegin;
  PetscCall(AbutDeformerCreate(c->comm, &deformer));
  PetscCall(PetscMalloc4(c->pairs->n, &pair_control, c->num_parties, &surface_control, c->num_parties, &x, c->num_parties, &y));
  PetscCall(AddToDeformer(c, deformer, pair_control, surface_control));
  for (PetscInt i = 0; i < c->num_parties; i++) {
    x[i] = c->party[i].x;
    y[i] = c->party[i].y;
  }
  code = AbutDeformerSolve(deformer, x, pair_control, surface_control, y);
  if (!code) PetscCall(TakeResults(c, deformer));
  PetscCall(PetscFree4(pair_control, surface_control, x, y));
  PetscCall(AbutDeformerDestroy(&deformer));
  PetscFunctionReturn(code);
}

PetscErrorCode BoundaryDeform(MPI_Comm comm, const AbutUntangleConstants *constants, Boundary *b, Pairs *pairs)
{
  Collision      c = {.comm = comm, .constants = constants, .b = b, .pairs = pairs};
  PetscErrorCode code;

  PetscFunctionBegin;
  if (b->dim == 2) PetscFunctionReturn(BoundaryDeformCurves(b, pairs));
  code = AbutAgree(comm, CreateParties(&c));
  if (!code) code = Solve(&c);
  PetscCall(DestroyParties(&c));
  PetscFunctionReturn(code);
}
