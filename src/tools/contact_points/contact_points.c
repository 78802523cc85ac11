/* Generator of point contacts: life cycle, options, and one search. */
#include "contact_pointsimpl.h"
#include <petscviewer.h>
#include <string.h>

#define THRESHOLD       2    /* largest distance of closest points over the erosion */
#define PARALLEL        1e-6 /* sine of the angle up to which two edges are parallel */
#define OPPOSING_COSINE 0.1  /* cosine between a normal and the opposite of the other below which two faces do not oppose each other */
#define GROWTH_GAP      0.01 /* distance of two cells shrunk by the growth method over the longest edge of the smaller cell */
#define GROWTH_ANGLE    4    /* angle up to which the growth method prefers the normal of a face [degrees] */

static const AbutOption options[] = {
  {"-points_erosion", ABUT_OPTION_REAL, offsetof(AbutPointPolicy, erosion), 0, 0, 1e30, "m",
   "Distance by which closest points moves the surface vertices inwards; 0: -points_erosion_relative"},
  {"-points_erosion_relative", ABUT_OPTION_REAL, offsetof(AbutPointPolicy, erosion_relative), 2.5e-3, 0, 1, "",
   "This distance as a fraction of the mesh diagonal"},
  {"-points_shrink", ABUT_OPTION_REAL, offsetof(AbutPointPolicy, shrink), 1, 0.5, 1, "",
   "Factor by which closest points scales each body about the mean of its vertices; 1: erosion along vertex normals"},
  {"-points_touch", ABUT_OPTION_REAL, offsetof(AbutPointPolicy, touch), 1e-9, 0, 1, "",
   "Distance up to which a point is on a plane, as a fraction of the mesh diagonal; 0: exact predicates decide"},
  {"-points_merge", ABUT_OPTION_REAL, offsetof(AbutPointPolicy, merge), 1e-6, 0, 1, "",
   "Distance up to which contacts are redundant, as a fraction of the mesh diagonal; 0: all are kept"},
  {"-points_merge_normal", ABUT_OPTION_REAL, offsetof(AbutPointPolicy, merge_normal), 1e-6, 0, 2, "",
   "Length of the difference of unit normals up to which contacts are redundant"},
  {"-points_unit_normals", ABUT_OPTION_BOOL, offsetof(AbutPointPolicy, unit), 0, 0, 1, "",
   "Whether intersection normalises the normals of faces, whose length otherwise is twice the area of the face"},
  {"-points_opposing_mean", ABUT_OPTION_BOOL, offsetof(AbutPointPolicy, opposing_mean), 0, 0, 1, "",
   "Whether opposing takes the mean of the two normals instead of the normal of the body with the lower index"},
  {"-points_strict", ABUT_OPTION_BOOL, offsetof(AbutPointPolicy, strict), 0, 0, 1, "",
   "Whether an edge that starts on a plane does not cross it, for consistent-vertex"},
  {"-points_dhat", ABUT_OPTION_REAL, offsetof(AbutPointPolicy, dhat), 4, 1e-6, 1e6, "",
   "Activation distance of contact potentials over the erosion"},
  {"-points_lagged_filters", ABUT_OPTION_BOOL, offsetof(AbutPointPolicy, lagged_filters), 0, 0, 1, "",
   "Whether the orientation filters of oipc and gcp are held fixed when the force is computed"}};
const AbutOptionTable AbutContactPointsOptions = {"Contact points", PETSC_STATIC_ARRAY_LENGTH(options), options};

const AbutPointMethod AbutPointMethods[ABUT_NUM_POINT_METHODS] = {{"closest-points", AbutFindClosestPoints, PETSC_TRUE},
                                                                  {"intersection", AbutFindIntersections, PETSC_FALSE},
                                                                  {"vertex-only", AbutFindVertices, PETSC_FALSE},
                                                                  {"consistent-vertex", AbutFindConsistentVertices, PETSC_FALSE},
                                                                  {"volume-sat", AbutFindVolumeAxis, PETSC_FALSE},
                                                                  {"surface-sat", AbutFindSurfaceAxis, PETSC_FALSE},
                                                                  {"growth", AbutFindGrowth, PETSC_FALSE},
                                                                  {"opposing", AbutFindOpposing, PETSC_FALSE}};

static const AbutPointMethod potential = {NULL, NULL, PETSC_TRUE}; /* of all contact potentials */

const char *AbutContactPointMethodName(PetscInt i)
{
  return i < ABUT_NUM_POINT_METHODS ? AbutPointMethods[i].name : AbutPotentialNames[i - ABUT_NUM_POINT_METHODS];
}

static const char *MethodName(const void *from, PetscInt i)
{
  (void)from;
  return AbutContactPointMethodName(i);
}

static PetscErrorCode FindMethod(const char name[], const AbutPointMethod **method)
{
  PetscInt num       = 0;
  char     list[512] = "";

  PetscFunctionBegin;
  for (; AbutContactPointMethodName(num); num++) {
    const size_t used = strlen(list);

    *method = num < ABUT_NUM_POINT_METHODS ? &AbutPointMethods[num] : &potential;
    if (!strcmp(name, AbutContactPointMethodName(num))) PetscFunctionReturn(0);
    PetscCall(PetscSNPrintf(list + used, sizeof(list) - used, "%s%s", num ? ", " : "", AbutContactPointMethodName(num)));
  }
  const char *nearest = AbutNearestName(name, NULL, num, MethodName);
  PetscFunctionReturn(AbutErrorSet(ABUT_ERR_INPUT, "there is no contact-point method '%s'%s%s%s; must be one of %s", name,
                                   nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "", list));
}

/* Tolerances in force for the size of the mesh. */
static void SetRules(AbutContactPoints points)
{
  const AbutPointPolicy *policy   = &points->policy;
  const PetscReal        diagonal = points->m->global.diagonal;
  const PetscReal        erosion  = policy->erosion > 0 ? policy->erosion : policy->erosion_relative * diagonal;

  points->rules = (AbutPointRules){.erosion         = erosion,
                                   .reach           = THRESHOLD * erosion,
                                   .dhat            = policy->dhat * erosion,
                                   .touch           = policy->touch * diagonal,
                                   .parallel        = PARALLEL,
                                   .merge           = policy->merge * diagonal,
                                   .merge_normal    = policy->merge_normal,
                                   .opposing_cosine = OPPOSING_COSINE,
                                   .opposing_mean   = policy->opposing_mean,
                                   .strict          = policy->strict,
                                   .unit            = policy->unit,
                                   .growth_gap      = GROWTH_GAP,
                                   .growth_cosine   = PetscCosReal(GROWTH_ANGLE * PETSC_PI / 180)};
}

/* Methods of pairs of cells know no obstacles, which have no cells. */
static PetscErrorCode CheckMesh(const AbutMeshLocal *m, const char name[], const AbutPointMethod *method)
{
  PetscFunctionBegin;
  AbutCheck(m->dim == 3, ABUT_ERR_INPUT, "contact points need a three-dimensional mesh, dim is %" PetscInt_FMT, m->dim);
  for (PetscInt b = 0; b < m->num_bodies && method->find; b++)
    AbutCheck(
      !m->bodies[b].obstacle, ABUT_ERR_INPUT,
      "the contact-point method '%s' needs tetrahedra, the obstacle '%s' has none: use a body in its place, or contact potentials only",
      name, m->bodies[b].name);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactPointsCreate(AbutMesh mesh, const char method[], AbutContactPoints *points)
{
  const AbutPointMethod *found = NULL;
  const AbutMeshLocal   *m     = AbutMeshGetLocal(mesh);
  AbutContactPoints      p;

  PetscFunctionBegin;
  *points = NULL;
  PetscCall(FindMethod(method, &found));
  PetscCall(CheckMesh(m, method, found));
  PetscCall(PetscNew(&p));
  p->mesh   = mesh;
  p->m      = m;
  p->method = found;
  PetscCall(PetscStrncpy(p->name, method, sizeof(p->name)));
  p->comm = AbutMeshGetComm(mesh);
  PetscCallMPI(MPI_Comm_rank(p->comm, &p->rank));
  PetscCallMPI(MPI_Comm_size(p->comm, &p->size));
  for (int i = 0; i < 3 && m->num_bodies; i++) p->origin[i] = (m->bodies[0].box[0][i] + m->bodies[0].box[1][i]) / 2;
  p->spec = (AbutPotentialSpec){.alpha = 0.5};
  AbutOptionTableSetDefaults(&AbutContactPointsOptions, &p->policy);
  SetRules(p);
  PetscCall(AbutPointsFindSurfaceCells(p));
  *points = p;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactPointsDestroy(AbutContactPoints *points)
{
  AbutContactPoints p = *points;

  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(0);
  PetscCall(PetscFree2(p->cells, p->surface));
  PetscCall(AbutPointsBarrierReset(p));
  PetscCall(AbutPointCellsDestroy(&p->local));
  PetscCall(AbutPointCellsDestroy(&p->remote));
  PetscCall(AbutSurfaceDestroy(&p->topology));
  PetscCall(PetscFree(p->mine.a));
  PetscCall(PetscFree(p->all.a));
  PetscCall(PetscFree(*points));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactPointsSetFromOptions(AbutContactPoints points)
{
  PetscFunctionBegin;
  PetscCall(AbutOptionTableSetFromOptions(points->comm, &AbutContactPointsOptions, &points->policy));
  SetRules(points);
  PetscCall(AbutPointsBarrierReset(points));
  PetscFunctionReturn(0);
}

/* Verdict of this rank on positions: finite, no inverted cell. Not collective. */
static PetscErrorCode CheckPositions(AbutContactPoints points, const PetscReal x[])
{
  const AbutMeshLocal *m = points->m;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * m->num_local; i++)
    AbutCheck(PetscAbsReal(x[i]) <= 1e60, ABUT_ERR_INPUT, "body '%s': vertex %" PetscInt_FMT " has the coordinate %g m",
              m->bodies[m->vertex_body[i / 3]].name, m->vertex_id[i / 3], (double)x[i]);
  for (PetscInt i = 0; i < points->num_cells; i++) {
    const PetscInt *v = m->cells + 4 * points->cells[i];

    AbutCheck(AbutOrient3D(x + 3 * v[0], x + 3 * v[1], x + 3 * v[2], x + 3 * v[3]) > 0, ABUT_ERR_INPUT,
              "body '%s': cell %" PetscInt_FMT " is inverted or flat", m->bodies[m->cell_body[points->cells[i]]].name,
              m->cell_id[points->cells[i]]);
  }
  PetscFunctionReturn(0);
}

/* Warns once of bodies that intersect in spite of the erosion: the closest points of their surfaces give no normal. Collective. */
static PetscErrorCode WarnOfIntersection(AbutContactPoints points, const PetscReal eroded[])
{
  AbutIntersection *found, first;
  PetscInt          count, own, k = 0;
  PetscMPIInt       owner;

  PetscFunctionBegin;
  if (points->intersect) PetscFunctionReturn(0);
  if (!points->contact) PetscCall(AbutContactCreate(points->mesh, 0, NULL, &points->contact));
  PetscCall(AbutContactCheck(points->contact, eroded, &count, &own, &found));
  while (k < own && found[k].body[0] == found[k].body[1]) k++;
  owner = k < own ? points->rank : points->size;
  if (k < own) first = found[k];
  PetscCall(PetscFree(found));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &owner, 1, MPI_INT, MPI_MIN, points->comm));
  if (owner == points->size) PetscFunctionReturn(0);
  PetscCallMPI(MPI_Bcast(&first, sizeof(first), MPI_BYTE, owner, points->comm));
  points->intersect = PETSC_TRUE;
  PetscCall(AbutWarn(points->comm,
                     "%s: bodies '%s' and '%s' intersect though they are %s: normals there are wrong; choose a larger -points_erosion or a "
                     "smaller -points_shrink, or start the bodies less deep in each other",
                     points->name, points->m->bodies[PetscMin(first.body[0], first.body[1])].name,
                     points->m->bodies[PetscMax(first.body[0], first.body[1])].name, points->policy.shrink < 1 ? "shrunk" : "eroded"));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactPointsFind(AbutContactPoints points, const PetscReal x[], const AbutPointContacts **found)
{
  PetscErrorCode verdict = CheckPositions(points, x);
  PetscReal     *eroded  = NULL;

  PetscFunctionBegin;
  *found = NULL;
  PetscCall(AbutAgree(points->comm, verdict));
  points->mine.n    = 0;
  points->num_pairs = 0;
  if (points->method->eroded && points->policy.shrink < 1) PetscCall(AbutPointsShrink(points, x, &eroded));
  if (points->method->eroded && !eroded) PetscCall(AbutPointsErode(points, x, &eroded));
  if (eroded) PetscCall(WarnOfIntersection(points, eroded));
  verdict = points->method->find ? AbutPointsGenerate(points, eroded ? eroded : x) : AbutPointsBarrierFind(points, eroded);
  PetscCall(PetscFree(eroded));
  PetscCall(verdict);
  PetscCall(AbutPointsGather(points));
  if (!points->method->find) PetscCall(AbutPointsBarrierMerge(points, &points->all));
  PetscCall(AbutPointContactsFilter(&points->rules, (PetscBool)!points->method->find, &points->all));
  *found = &points->all;
  PetscFunctionReturn(0);
}
