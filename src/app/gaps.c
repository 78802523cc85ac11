/* abut check: smallest gaps at the start of a scene, pairs in contact, activation distances, barrier stiffness. */
#include "app.h"
#include <stdio.h>

#define REACH_FACTOR 4   /* growth of the search distance from one search to the next */
#define REACH_MAX    64  /* largest search distance, in dhat */
#define PAIRS_MAX    1e6 /* candidate pairs on a rank at which the search distance does not grow any more */

enum { TWO_BODIES, ONE_BODY, NUM_KINDS };

/* The pair of a kind with the smallest distance, and the number of pairs within dhat. */
typedef struct {
  PetscReal  distance;
  PetscInt   n, vertex_id[4], body[2]; /* body[1] = -1 - plane for a plane */
  PetscInt64 active;
} Nearest;

static void Add(const AbutCandidates *c, PetscInt n, const PetscInt v[], PetscInt second, PetscReal distance, PetscReal dhat,
                Nearest nearest[NUM_KINDS])
{
  const PetscInt first = c->vertex_body[v[0]];
  Nearest       *of    = &nearest[first == second ? ONE_BODY : TWO_BODIES];

  of->active += distance < dhat;
  if (distance > of->distance || (distance == of->distance && c->vertex_id[v[0]] >= of->vertex_id[0])) return;
  of->distance = distance;
  of->n        = n;
  of->body[0]  = first;
  of->body[1]  = second;
  for (PetscInt i = 0; i < n; i++) of->vertex_id[i] = c->vertex_id[v[i]];
}

static void AddPair(const AbutCandidates *c, const PetscReal at[], AbutPairKind kind, PetscInt n, const PetscInt v[], PetscInt second,
                    PetscReal dhat, Nearest nearest[NUM_KINDS])
{
  PetscReal x[12];

  for (PetscInt i = 0; i < n; i++)
    for (PetscInt d = 0; d < c->dim; d++) x[i * c->dim + d] = at[v[i] * c->dim + d];
  Add(c, n, v, c->vertex_body[v[second]], PetscSqrtReal(AbutPairDist2(kind, c->dim, x)), dhat, nearest);
}

/* All candidates with the vertices at positions `at`. */
static void AddAll(const AbutCandidates *c, const PetscReal at[], PetscReal dhat, Nearest nearest[NUM_KINDS])
{
  for (int k = 0; k < NUM_KINDS; k++) nearest[k] = (Nearest){.distance = PETSC_INFINITY};
  for (PetscInt i = 0; i < c->num_fv; i++) AddPair(c, at, ABUT_PAIR_FV, 4, c->fv[i], 1, dhat, nearest);
  for (PetscInt i = 0; i < c->num_ee; i++) AddPair(c, at, ABUT_PAIR_EE, 4, c->ee[i], 2, dhat, nearest);
  for (PetscInt i = 0; i < c->num_ev; i++) AddPair(c, at, ABUT_PAIR_EV, 3, c->ev[i], 1, dhat, nearest);
  for (PetscInt i = 0; i < c->num_pv; i++) {
    const AbutPlaneSpec *plane = &c->planes[c->pv[i][0]];
    Add(c, 1, &c->pv[i][1], -1 - c->pv[i][0], AbutPlaneHeight(c->dim, plane->normal, plane->point, &at[c->pv[i][1] * c->dim]), dhat,
        nearest);
  }
}

/* Rank with the smallest value; on ties, the one with the lowest id among them. Collective. */
static PetscErrorCode FindLowest(MPI_Comm comm, PetscReal value, PetscInt id, PetscMPIInt *rank)
{
  PetscReal lowest = value;
  struct {
    double id;
    int    rank;
  } first = {PETSC_INFINITY, 0};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &first.rank));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPIU_REAL, MPIU_MIN, comm));
  if (value == lowest && id >= 0) first.id = (double)id;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_DOUBLE_INT, MPI_MINLOC, comm));
  *rank = first.rank;
  PetscFunctionReturn(0);
}

/* Reduces to the pair with the smallest distance over all ranks, the lowest vertex id on ties, and to the sum of the counts. Collective. */
static PetscErrorCode AgreeOnNearest(MPI_Comm comm, Nearest *nearest)
{
  PetscInt64  active = nearest->active;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCall(FindLowest(comm, nearest->distance, nearest->n ? nearest->vertex_id[0] : -1, &rank));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &active, 1, MPIU_INT64, MPI_SUM, comm));
  PetscCallMPI(MPI_Bcast(nearest, sizeof(*nearest), MPI_BYTE, rank, comm));
  nearest->active = active;
  PetscFunctionReturn(0);
}

/*
  Increases the search distance until a gap between two bodies is found or a limit is reached. No gap below *reach is missed.
  Collective.
*/
static PetscErrorCode FindNearest(Model *model, PetscReal dhat, PetscReal *reach, Nearest nearest[NUM_KINDS])
{
  const AbutCandidates *c;
  PetscReal            *x, step = 0, most;

  PetscFunctionBegin;
  PetscCall(ModelGetPositions(model, &x));
  *reach = dhat;
  for (;;) {
    PetscCall(AbutContactSearch(model->sim.contact, x, NULL, &step, *reach));
    c = AbutContactGetCandidates(model->sim.contact);
    AddAll(c, c->x, dhat, nearest);
    for (int k = 0; k < NUM_KINDS; k++) PetscCall(AgreeOnNearest(model->comm, &nearest[k]));
    most = (PetscReal)c->num_fv + (PetscReal)c->num_ee + (PetscReal)c->num_ev;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_REAL, MPIU_MAX, model->comm));
    if (nearest[TWO_BODIES].distance <= *reach || *reach >= REACH_MAX * dhat || most > PAIRS_MAX) break;
    *reach *= REACH_FACTOR;
  }
  PetscCall(PetscFree(x));
  PetscFunctionReturn(0);
}

PetscErrorCode WarnOfOwnContacts(Model *model, const PetscReal x[])
{
  const PetscReal       dhat = ModelGetActivationDistance(model);
  const AbutCandidates *c;
  PetscReal             step = 0;
  Nearest               nearest[NUM_KINDS], *own = &nearest[ONE_BODY];

  PetscFunctionBegin;
  if (AbutPotentialGetInfo(model->sim.potential)->adaptive_dhat) PetscFunctionReturn(0);
  PetscCall(AbutContactSearch(model->sim.contact, x, NULL, &step, dhat));
  c = AbutContactGetCandidates(model->sim.contact);
  AddAll(c, c->rest, dhat, nearest);
  PetscCall(AgreeOnNearest(model->comm, own));
  if (own->active)
    PetscCall(
      AbutWarn(model->comm,
               "body '%s' repels itself without any load: parts of its undeformed surface that share no vertex are %g m apart, less "
               "than contact.dhat, %g m; choose a smaller contact.dhat, or a mesh without shorter edges (such pairs of all bodies: "
               "%" PetscInt64_FMT ")",
               model->sim.local->bodies[own->body[0]].name, (double)own->distance, (double)dhat, own->active));
  PetscFunctionReturn(0);
}

static PetscErrorCode PrintPair(Model *model, const char what[], const Nearest *nearest)
{
  const AbutBody *bodies    = model->sim.local->bodies;
  const PetscInt  second    = nearest->body[1];
  char            text[128] = "";
  size_t          used      = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < nearest->n; i++)
    used += (size_t)snprintf(text + used, sizeof(text) - used, " %" PetscInt_FMT, nearest->vertex_id[i]);
  PetscCall(PetscPrintf(model->comm, "%s %g m, %s%s of '%s' and '%s'\n", what, (double)nearest->distance,
                        nearest->n > 1 ? "vertices" : "vertex", text, bodies[nearest->body[0]].name,
                        second >= 0 ? bodies[second].name : model->scene->planes[-1 - second].name));
  PetscFunctionReturn(0);
}

/* Counts the contacts at the start: the potential decides by its angles and activation distances, not by distance alone. Collective. */
static PetscErrorCode PrintActive(Model *model)
{
  const AbutCandidates *c = AbutContactGetCandidates(model->sim.contact);
  const AbutStencil    *st;
  PetscInt              count;
  PetscInt64            active[NUM_KINDS] = {0, 0};

  PetscFunctionBegin;
  PetscCall(AbutPotentialSetState(model->sim.potential, c, c->x));
  PetscCall(AbutPotentialGetStencils(model->sim.potential, &count, &st));
  for (PetscInt i = 0; i < count; i++) {
    PetscBool within = (PetscBool)(st[i].plane < 0);
    for (PetscInt a = 1; a < st[i].n; a++) within = (PetscBool)(within && c->vertex_body[st[i].v[a]] == c->vertex_body[st[i].v[0]]);
    active[within ? ONE_BODY : TWO_BODIES] += AbutPotentialGetInfo(model->sim.potential)->area_weighted ? 1 : (PetscInt64)st[i].weight;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, active, NUM_KINDS, MPIU_INT64, MPI_SUM, model->comm));
  PetscCall(PetscPrintf(model->comm,
                        "contacts at the start        %" PetscInt64_FMT " of two bodies, %" PetscInt64_FMT " within a body (%s)\n",
                        active[TWO_BODIES], active[ONE_BODY], model->scene->step.potential));
  PetscFunctionReturn(0);
}

/* The smallest activation distance of a primitive, and the vertex of the primitive with the lowest id. */
typedef struct {
  PetscReal range, x[3];
  PetscInt  id, body;
} Range;

static void UpdateLeast(const AbutCandidates *c, PetscInt n, const PetscInt v[], PetscReal range, Range *least)
{
  PetscInt at = v[0];

  for (PetscInt k = 0; k < n; k++) {
    if (!c->one_ring->complete[v[k]]) return; /* another rank has the complete one-ring neighbourhood */
    if (c->vertex_id[v[k]] < c->vertex_id[at]) at = v[k];
  }
  if (range > least->range || (range == least->range && c->vertex_id[at] >= least->id)) return;
  *least = (Range){.range = range, .id = c->vertex_id[at], .body = c->vertex_body[at]};
  for (PetscInt i = 0; i < c->dim; i++) least->x[i] = c->x[c->dim * at + i];
}

/* The smallest activation distance after its adaptation to the shape at rest, with its place; the lowest vertex id on ties. Collective. */
static PetscErrorCode PrintSmallestActivation(Model *model, PetscReal dhat)
{
  const AbutCandidates *c     = AbutContactGetCandidates(model->sim.contact);
  Range                 least = {.range = dhat, .id = -1};
  PetscInt64            pairs;
  PetscMPIInt           rank;

  PetscFunctionBegin;
  if (!c->one_ring || !c->one_ring->vertex_dhat) PetscFunctionReturn(0);
  for (PetscInt v = 0; v < c->num_vertices; v++) UpdateLeast(c, 1, &v, c->one_ring->vertex_dhat[v], &least);
  for (PetscInt e = 0; e < c->one_ring->num_edges; e++) UpdateLeast(c, 2, c->one_ring->edges[e], c->one_ring->edge_dhat[e], &least);
  for (PetscInt f = 0; f < c->one_ring->num_faces; f++) UpdateLeast(c, 3, c->one_ring->faces[f], c->one_ring->face_dhat[f], &least);
  PetscCall(FindLowest(model->comm, least.range, least.id, &rank));
  PetscCallMPI(MPI_Bcast(&least, sizeof(least), MPI_BYTE, rank, model->comm));
  pairs = AbutPotentialGetRestPairs(model->sim.potential);
  PetscCall(PetscPrintf(model->comm, "contacts at rest with dhat    %" PetscInt64_FMT "%s\n", pairs,
                        pairs > 0 ? ": activation distances are lowered so that there is none" : ""));
  if (least.id < 0)
    PetscCall(PetscPrintf(model->comm, "smallest activation distance dhat\n"));
  else
    PetscCall(PetscPrintf(model->comm, "smallest activation distance %g m at vertex %" PetscInt_FMT " of '%s' (%g, %g, %g)\n",
                          (double)least.range, least.id, model->sim.local->bodies[least.body].name, (double)least.x[0], (double)least.x[1],
                          (double)least.x[2]));
  PetscFunctionReturn(0);
}

/* Sides on which obstacles repel. A solid that lacks a triangle is a sheet, which this list shows. */
static PetscErrorCode PrintSides(Model *model)
{
  static const char *const sides[] = {[ABUT_ORIENTED_OUTWARD] = "from outside: it is closed, a solid",
                                      [ABUT_ORIENTED_INWARD]  = "from inside: it is a container",
                                      [ABUT_ORIENTED_NONE]    = "on both sides"};
  const AbutMeshLocal     *m       = model->sim.local;
  PetscInt                 count   = 0;

  PetscFunctionBegin;
  if (!AbutPotentialGetInfo(model->sim.potential)->oriented) PetscFunctionReturn(0);
  for (PetscInt b = 0; b < m->num_bodies; b++) {
    if (!m->bodies[b].obstacle || count++ >= LINES_MAX) continue;
    PetscCall(PetscPrintf(model->comm, "obstacle '%s' repels %s\n", m->bodies[b].name, sides[m->bodies[b].oriented]));
  }
  if (count > LINES_MAX)
    PetscCall(PetscPrintf(model->comm, "and %" PetscInt_FMT " more obstacles, %" PetscInt_FMT " in all\n", count - LINES_MAX, count));
  PetscFunctionReturn(0);
}

/* Barrier stiffness and its source. With "ipc" it is relative to inertia and has no single value before the first step. */
static PetscErrorCode PrintStiffness(Model *model)
{
  const AbutStepSpec *spec       = &model->scene->step;
  PetscReal           kappa      = AbutStiffnessGetRelative(AbutStepperGetNewton(model->sim.stepper));
  char                number[64] = "";

  PetscFunctionBegin;
  if (AbutPotentialGetInfo(model->sim.potential)->physical) PetscCall(PetscSNPrintf(number, sizeof(number), "%g, ", (double)kappa));
  if (kappa > 0)
    PetscCall(PetscPrintf(model->comm,
                          "barrier stiffness            %sa contact pressure of %g times Young's modulus, %g Pa, at a gap of dhat / 2\n",
                          number, (double)spec->relative_kappa, (double)AbutElasticGetLargestYoung(model->sim.elastic)));
  else if (spec->kappa > 0)
    PetscCall(PetscPrintf(model->comm, "barrier stiffness            %g\n", (double)spec->kappa));
  else
    PetscCall(PetscPrintf(model->comm, "barrier stiffness            adaptive\n"));
  PetscFunctionReturn(0);
}

PetscErrorCode PrintGaps(Model *model)
{
  const PetscReal dhat  = ModelGetActivationDistance(model);
  PetscReal       reach = 0;
  Nearest         nearest[NUM_KINDS];

  PetscFunctionBegin;
  PetscCall(FindNearest(model, dhat, &reach, nearest));
  PetscCall(PetscPrintf(model->comm, "diagonal of the bodies       %g m\n", (double)model->sim.local->global.diagonal));
  PetscCall(PetscPrintf(model->comm, "activation distance dhat     %g m\n", (double)dhat));
  PetscCall(PrintStiffness(model));
  if (nearest[TWO_BODIES].distance <= reach)
    PetscCall(PrintPair(model, "smallest gap                ", &nearest[TWO_BODIES]));
  else
    PetscCall(PetscPrintf(model->comm, "smallest gap                 more than %g m\n", (double)reach));
  if (nearest[ONE_BODY].distance < dhat) PetscCall(PrintPair(model, "smallest gap within a body  ", &nearest[ONE_BODY]));
  PetscCall(PetscPrintf(model->comm, "pairs within dhat            %" PetscInt64_FMT " of two bodies, %" PetscInt64_FMT " within a body\n",
                        nearest[TWO_BODIES].active, nearest[ONE_BODY].active));
  PetscCall(PrintActive(model));
  PetscCall(PrintSmallestActivation(model, dhat));
  PetscCall(PrintSides(model));
  PetscFunctionReturn(0);
}
