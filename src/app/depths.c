/* How deep vertices of bodies lie behind half spaces and in solid obstacles at the start, for abut check. */
#include "app.h"

#define MOST_WORK 3e8 /* pairs of a vertex and a face of an obstacle, which take about 10 s */

/* Vertices of each body in a half space or obstacle: the deepest one, and their number. */
typedef struct {
  struct {
    double depth; /* [m] */
    int    id;
  } * deepest;      /* [num_bodies] */
  PetscInt *number; /* [num_bodies] */
} Depths;

static void Add(const Model *model, Depths *d, PetscInt v, PetscReal depth)
{
  const AbutMeshLocal *m = model->sim.local;
  const PetscInt       b = m->vertex_body[v];

  if (m->bodies[b].obstacle || depth < 0) return;
  d->number[b]++;
  if ((double)depth <= d->deepest[b].depth) return;
  d->deepest[b].depth = (double)depth;
  d->deepest[b].id    = (int)m->vertex_id[v];
}

/* Prints a line for each body with vertices in `where`, and starts anew. *lines: printed so far. Collective. */
static PetscErrorCode Print(const Model *model, Depths *d, const char where[], const char name[], PetscInt *lines)
{
  const AbutMeshLocal *m   = model->sim.local;
  const PetscMPIInt    num = (PetscMPIInt)m->num_bodies;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, d->deepest, num, MPI_DOUBLE_INT, MPI_MAXLOC, model->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, d->number, num, MPIU_INT, MPI_SUM, model->comm));
  for (PetscInt b = 0; b < m->num_bodies; b++) {
    if (d->number[b] && (*lines)++ < LINES_MAX)
      PetscCall(PetscPrintf(model->comm, "  '%s' lies %s '%s': %" PetscInt_FMT " surface vertices, the deepest is vertex %d by %.6g m\n",
                            m->bodies[b].name, where, name, d->number[b], d->deepest[b].id, d->deepest[b].depth));
    d->number[b]        = 0;
    d->deepest[b].depth = -1;
  }
  PetscFunctionReturn(0);
}

/* The corners of the faces of an obstacle on all ranks [num * dim * dim], and its box. Collective. */
static PetscErrorCode GatherFaces(const Model *model, PetscInt obstacle, const PetscReal x[], PetscReal box[6], PetscInt *num,
                                  PetscReal **corners)
{
  const AbutMeshLocal *m   = model->sim.local;
  const PetscInt       dim = m->dim, *v = AbutFacets(m);
  AbutReals            own = {0};
  PetscInt             total;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < AbutNumFacets(m); f++)
    for (PetscInt k = 0; k < dim && m->vertex_body[v[dim * f]] == obstacle; k++)
      PetscCall(AbutRealsPush(&own, dim, &x[dim * v[dim * f + k]]));
  PetscCall(AbutGatherRecords(model->comm, sizeof(PetscReal), own.n, own.a, &total, corners));
  *num = total / (dim * dim);
  for (PetscInt i = 0; i < 3; i++) box[i] = PETSC_MAX_REAL, box[3 + i] = -PETSC_MAX_REAL;
  for (PetscInt i = 0; i < total; i++) {
    box[i % dim]     = PetscMin(box[i % dim], (*corners)[i]);
    box[3 + i % dim] = PetscMax(box[3 + i % dim], (*corners)[i]);
  }
  PetscCall(PetscFree(own.a));
  PetscFunctionReturn(0);
}

static PetscBool IsInBox(PetscInt dim, const PetscReal box[6], const PetscReal p[])
{
  PetscBool in = PETSC_TRUE;

  for (PetscInt i = 0; i < dim; i++) in = (PetscBool)(in && p[i] >= box[i] && p[i] <= box[3 + i]);
  return in;
}

/* Depth of a point in a closed surface, negative outside. */
static PetscReal DepthIn(PetscInt dim, PetscInt num, const PetscReal corners[], PetscBool inward, const PetscReal p[])
{
  const AbutPairKind kind  = dim == 3 ? ABUT_PAIR_FV : ABUT_PAIR_EV;
  PetscReal          angle = 0, dist2 = PETSC_MAX_REAL, x[12];

  (void)PetscArraycpy(x, p, dim);
  for (PetscInt f = 0; f < num; f++) {
    const PetscReal *face = &corners[dim * dim * f], *corner[3] = {face, face + dim, face + 2 * (dim - 2) * dim};
    (void)PetscArraycpy(x + dim, face, dim * dim);
    angle += AbutSolidAngle(dim, p, corner);
    dist2 = PetscMin(dist2, AbutPairDist2(kind, dim, x));
  }
  return ((PetscAbsReal(angle) > (PetscReal)(dim - 1) * PETSC_PI) != inward ? 1 : -1) * PetscSqrtReal(dist2);
}

static PetscErrorCode AddObstacle(const Model *model, PetscInt obstacle, const PetscReal x[], Depths *d, PetscInt *lines)
{
  const AbutMeshLocal *m      = model->sim.local;
  const AbutBody      *body   = &m->bodies[obstacle];
  const PetscBool      inward = (PetscBool)(body->oriented == ABUT_ORIENTED_INWARD);
  PetscInt             num = 0, near = 0;
  PetscBool            known;
  PetscReal           *corners, box[6];

  PetscFunctionBegin;
  PetscCall(GatherFaces(model, obstacle, x, box, &num, &corners));
  for (PetscInt k = 0; k < m->num_points; k++) near += inward || IsInBox(m->dim, box, &x[m->dim * m->points[k]]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &near, 1, MPIU_INT, MPI_SUM, model->comm));
  known = (PetscBool)((PetscReal)near * (PetscReal)num <= MOST_WORK);
  if (!known && (*lines)++ < LINES_MAX)
    PetscCall(PetscPrintf(model->comm,
                          "  depths in obstacle '%s' are not computed: %" PetscInt_FMT " vertices near %" PetscInt_FMT " faces\n",
                          body->name, near, num));
  for (PetscInt k = 0; known && k < m->num_points; k++) {
    const PetscInt v = m->points[k];
    if (!m->bodies[m->vertex_body[v]].obstacle && (inward || IsInBox(m->dim, box, &x[m->dim * v])))
      Add(model, d, v, DepthIn(m->dim, num, corners, inward, &x[m->dim * v]));
  }
  PetscCall(PetscFree(corners));
  PetscCall(Print(model, d, "in obstacle", body->name, lines));
  PetscFunctionReturn(0);
}

PetscErrorCode PrintDepths(const Model *model, const PetscReal x[])
{
  const AbutMeshLocal *m      = model->sim.local;
  const PetscReal     *planes = AbutStepperGetState(model->sim.stepper)->plane_point;
  PetscInt             lines  = 0;
  Depths               d;

  PetscFunctionBegin;
  PetscCall(PetscMalloc(sizeof(*d.deepest) * (size_t)m->num_bodies, &d.deepest));
  PetscCall(PetscCalloc1(m->num_bodies, &d.number));
  for (PetscInt b = 0; b < m->num_bodies; b++) {
    d.deepest[b].depth = -1;
    d.deepest[b].id    = 0;
  }
  for (PetscInt p = 0; p < model->scene->num_planes; p++) {
    const AbutPlaneSpec *plane = &model->scene->planes[p];
    for (PetscInt k = 0; k < m->num_points; k++)
      Add(model, &d, m->points[k], -AbutPlaneHeight(m->dim, plane->normal, planes + 3 * p, &x[m->dim * m->points[k]]));
    PetscCall(Print(model, &d, "behind plane", plane->name, &lines));
  }
  for (PetscInt b = 0; b < m->num_bodies; b++)
    if (m->bodies[b].obstacle && m->bodies[b].oriented != ABUT_ORIENTED_NONE) PetscCall(AddObstacle(model, b, x, &d, &lines));
  if (lines > LINES_MAX) PetscCall(PetscPrintf(model->comm, "  and %" PetscInt_FMT " more pairs\n", lines - LINES_MAX));
  PetscCall(PetscFree(d.deepest));
  PetscCall(PetscFree(d.number));
  PetscFunctionReturn(0);
}
