/* Start of a run from a checkpoint of another mesh of the same bodies: the state is interpolated and freed of intersections. */
#include "resolve.h"
#include "transfer.h"
#include <string.h>

/* A checkpoint on the mesh of its own scene, and the model that it is interpolated to. */
typedef struct {
  const char      *checkpoint; /* its path */
  Model           *model;
  Model            coarse;
  AbutState       *from, *to; /* of the coarse stepper and of the model's */
  AbutMeshTransfer transfer;
} Interpolation;

/* The checkpoint must have the state of each half space and motion of this scene. */
static PetscErrorCode CheckScenes(const Interpolation *ip)
{
  const AbutScene *from = ip->coarse.scene, *to = ip->model->scene;

  PetscFunctionBegin;
  AbutCheck(from->num_planes == to->num_planes, ABUT_ERR_INPUT,
            "%s has %" PetscInt_FMT " half spaces, %s has %" PetscInt_FMT ": their positions cannot be matched", from->path,
            from->num_planes, to->path, to->num_planes);
  for (PetscInt k = 0; k < to->num_planes; k++)
    AbutCheck(!strcmp(from->planes[k].name, to->planes[k].name), ABUT_ERR_INPUT, "half space '%s' of %s is '%s' in %s", to->planes[k].name,
              to->path, from->planes[k].name, from->path);
  AbutCheck(from->num_motions == to->num_motions, ABUT_ERR_INPUT,
            "%s has %" PetscInt_FMT " motions, %s has %" PetscInt_FMT ": their states cannot be matched", from->path, from->num_motions,
            to->path, to->num_motions);
  PetscFunctionReturn(0);
}

/*
  Interpolates the accumulated slip as the first component of a vector. It is zero inside of bodies and extrapolated outside: negative
  values become 0. Collective.
*/
static PetscErrorCode SetSlip(const Interpolation *ip)
{
  const AbutMeshLocal *coarse = AbutMeshGetLocal(ip->coarse.sim.mesh), *fine = ip->model->sim.local;
  const PetscInt       dim = fine->dim;
  PetscReal           *from, *to;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(coarse->num_owned * dim, &from, fine->num_owned * dim, &to));
  for (PetscInt v = 0; v < coarse->num_owned; v++) from[v * dim] = ip->from->slip[v];
  PetscCall(AbutMeshTransferVectors(ip->transfer, from, to));
  for (PetscInt k = 0; k < fine->num_points; k++) ip->to->slip[fine->points[k]] = PetscMax(0, to[fine->points[k] * dim]);
  PetscCall(PetscFree2(from, to));
  PetscFunctionReturn(0);
}

/* Strains of a kind that a body does not have in both scenes would be lost, or missing. Collective. */
static PetscErrorCode CheckStrains(const Interpolation *ip)
{
  const AbutMeshLocal *from = AbutMeshGetLocal(ip->coarse.sim.mesh), *to = ip->model->sim.local;
  const PetscInt      *body_of = AbutMeshTransferBodies(ip->transfer);
  PetscInt            *found, *wanted;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(from->num_bodies, &found, to->num_bodies, &wanted));
  PetscCall(AbutElasticHistoryKinds(ip->coarse.sim.elastic, found));
  PetscCall(AbutElasticHistoryKinds(ip->model->sim.elastic, wanted));
  for (PetscInt b = 0; b < from->num_bodies; b++)
    PetscCall(AbutCheckpointCompareStrains(ip->checkpoint, from->bodies[b].name, found[b], wanted[body_of[b]]));
  PetscCall(PetscFree2(found, wanted));
  AbutCheck(AbutElasticStrainWidth(ip->coarse.sim.elastic) == AbutElasticStrainWidth(ip->model->sim.elastic), ABUT_ERR_INPUT,
            "j2-plasticity and the largest number of terms of prony must be the same in %s and %s", ip->coarse.scene->path,
            ip->model->scene->path);
  PetscFunctionReturn(0);
}

/* Interpolates plastic and viscous strains. Collective. */
static PetscErrorCode SetStrains(const Interpolation *ip)
{
  const AbutElastic from = ip->coarse.sim.elastic, to = ip->model->sim.elastic;
  const PetscInt    dim = ip->model->sim.local->dim, width = AbutElasticStrainWidth(from), num = AbutElasticStrainPoints(to, NULL, NULL);
  PetscReal        *corners, *points, *values;
  PetscInt         *body;

  PetscFunctionBegin;
  if (!AbutElasticHasHistory(from)) PetscFunctionReturn(0); /* they start at 0 */
  PetscCall(CheckStrains(ip));
  PetscCall(PetscMalloc1((dim + 1) * width * AbutMeshGetLocal(ip->coarse.sim.mesh)->num_cells, &corners));
  PetscCall(PetscMalloc3(dim * num, &points, num, &body, width * num, &values));
  PetscCall(AbutElasticGetStrains(from, corners));
  (void)AbutElasticStrainPoints(to, points, body);
  PetscCall(AbutMeshTransferCells(ip->transfer, width, corners, num, points, body, values));
  PetscCall(AbutElasticSetStrains(to, values));
  PetscCall(PetscFree(corners));
  PetscCall(PetscFree3(points, body, values));
  PetscFunctionReturn(0);
}

/*
  Interpolates all values of the state. The contact factor 0 says that no contact force is known yet, as before the first step of a run: the
  forces of the coarse contacts are no forces of the fine ones.
*/
static PetscErrorCode SetState(const Interpolation *ip)
{
  const AbutState *from = ip->from;
  AbutState       *to   = ip->to;

  PetscFunctionBegin;
  to->step   = from->step;
  to->time   = from->time;
  to->dt     = from->dt;
  to->good   = from->good;
  to->dt_old = from->dt_old;
  to->a_of   = from->a_of;
  to->kappa  = 0;
  to->c2     = 0;
  PetscCall(PetscArraycpy(to->motion, from->motion, to->num_motions));
  PetscCall(PetscArraycpy(to->plane_point, from->plane_point, 3 * to->num_planes));
  PetscCall(PetscArraycpy(to->plane_turn, from->plane_turn, 3 * to->num_planes));
  to->driven = from->driven;
  PetscCall(SetSlip(ip));
  PetscCall(SetStrains(ip));
  PetscCall(AbutMeshTransferPositions(ip->transfer, from->x, to->x));
  PetscCall(AbutMeshTransferVectors(ip->transfer, from->v, to->v));
  PetscCall(AbutMeshTransferVectors(ip->transfer, from->a, to->a));
  PetscCall(AbutMeshTransferVectors(ip->transfer, from->v_old, to->v_old));
  if (from->dt_old > 0) PetscCall(AbutMeshTransferPositions(ip->transfer, from->x_old, to->x_old));
  PetscFunctionReturn(0);
}

/* Removes the intersections of the interpolated state; the positions of the step before move equally, so that slips stay. Collective. */
static PetscErrorCode Separate(const Interpolation *ip, AbutUntangleShrinkReport *report)
{
  const Model            *model = ip->model;
  AbutState              *to    = ip->to;
  const AbutScene        *scene = model->scene;
  const PetscInt          n     = model->sim.local->num_owned * model->sim.local->dim;
  const PetscReal         size  = model->sim.local->global.diagonal;
  const PetscReal         dhat  = AbutQuantityResolve(&scene->step.dhat, AbutStepSpecLength(&scene->step, size));
  const AbutUntangleParts parts = {.mesh = model->sim.mesh, .num_materials = scene->num_materials, .materials = scene->materials};
  PetscReal              *x;
  PetscErrorCode          code;

  PetscFunctionBegin;
  PetscCall(AbutContactSetPlanes(model->sim.contact, to->plane_point, NULL));
  PetscCall(PetscMalloc1(n, &x));
  PetscCall(PetscArraycpy(x, to->x, n));
  code = AbutUntangleShrink(&parts, model->sim.contact, dhat, x, report);
  for (PetscInt i = 0; !code && i < n; i++) {
    if (to->dt_old > 0) to->x_old[i] += x[i] - to->x[i];
    to->x[i] = x[i];
  }
  PetscCall(PetscFree(x));
  PetscFunctionReturn(code);
}

static PetscErrorCode RefuseIntersections(const Interpolation *ip, const AbutUntangleShrinkReport *r)
{
  PetscFunctionBegin;
  AbutCheck(!r->left, ABUT_ERR_INTERSECTION,
            "the state interpolated from %s has %" PetscInt_FMT " intersections, of which %" PetscInt_FMT
            " remain after surface vertices moved inwards by %.3g m; start from a finer mesh or from an earlier checkpoint, or increase "
            "-abut_shrink_most",
            ip->checkpoint, r->crossings, r->left, (double)r->displacement);
  AbutCheck(r->follow == 1, ABUT_ERR_INTERSECTION,
            "the state interpolated from %s has %" PetscInt_FMT
            " intersections; cells would invert if surface vertices moved inwards by up to %.3g m to remove them",
            ip->checkpoint, r->crossings, (double)r->displacement);
  PetscFunctionReturn(0);
}

/* Kinetic energy of the vertices of this rank [J]. Collective. */
static PetscErrorCode KineticEnergy(Model *model, PetscReal *energy)
{
  const AbutMeshLocal *m = model->sim.local;
  const PetscReal     *v = AbutStepperGetState(model->sim.stepper)->v;
  PetscReal           *mass;

  PetscFunctionBegin;
  *energy = 0;
  PetscCall(PetscMalloc1(m->num_owned, &mass));
  PetscCall(AbutElasticGetMass(model->sim.elastic, mass, NULL));
  for (PetscInt i = 0; i < m->num_owned * m->dim; i++) *energy += mass[i / m->dim] * PetscSqr(v[i]) / 2;
  PetscCall(PetscFree(mass));
  PetscFunctionReturn(0);
}

/*
  Strains that do not fit to the deformation of the new cells raise the elastic energy, which the next step dissipates. Over 1.5 the plastic
  work was wrong by 20 to 50 % (blocks of one and two cells over the height), below 1.3 by less than 1 %.
*/
static PetscErrorCode WarnOfStrains(const Model *model, PetscReal before, PetscReal after, PetscReal round_off)
{
  PetscFunctionBegin;
  if (AbutElasticHasHistory(model->sim.elastic) && after > 1.5 * before + round_off)
    PetscCall(
      AbutWarn(model->comm,
               "the interpolation raises the elastic energy by %.3g J, because plastic or viscous strains of the mesh of the checkpoint "
               "do not fit to the new cells; the next step dissipates it: divide the cells of that mesh (jobs/refine_mesh.py), or "
               "start from a finer one",
               (double)(after - before)));
  PetscFunctionReturn(0);
}

/* Kinetic and elastic energy of a state, and the round-off of the latter [J]. Collective. */
static PetscErrorCode Energies(Model *model, PetscReal energy[3])
{
  PetscReal *x;

  PetscFunctionBegin;
  PetscCall(KineticEnergy(model, &energy[0]));
  PetscCall(ModelGetPositions(model, &x));
  energy[1] = AbutElasticEnergy(model->sim.elastic, x);
  energy[2] = AbutElasticGetRoundOff(model->sim.elastic);
  PetscCall(PetscFree(x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, energy, 3, MPIU_REAL, MPIU_SUM, model->comm));
  PetscFunctionReturn(0);
}

static PetscErrorCode Report(Interpolation *ip, const AbutUntangleShrinkReport *r)
{
  Model    *model = ip->model;
  MPI_Comm  comm  = model->comm;
  PetscInt  outside;
  PetscReal distance, before[3], after[3];

  PetscFunctionBegin;
  AbutMeshTransferGetOutside(ip->transfer, &outside, &distance);
  PetscCall(Energies(&ip->coarse, before));
  PetscCall(Energies(model, after));
  PetscCall(PetscPrintf(comm, "interpolated %s, step %" PetscInt_FMT ", t = %g s: %" PetscInt_FMT " to %" PetscInt_FMT " vertices\n",
                        ip->checkpoint, ip->to->step, (double)ip->to->time, ip->coarse.sim.local->num_global,
                        model->sim.local->num_global));
  PetscCall(PetscPrintf(comm, "  vertices outside of the coarse mesh: %" PetscInt_FMT ", at most by %.3g m\n", outside, (double)distance));
  PetscCall(PetscPrintf(comm, "  intersections removed: %" PetscInt_FMT ", surface vertices moved: %" PetscInt_FMT ", at most by %.3g m\n",
                        r->crossings, r->num_moved, (double)r->displacement));
  PetscCall(PetscPrintf(comm, "  kinetic energy %.6g J to %.6g J, elastic energy %.6g J to %.6g J\n", (double)before[0], (double)after[0],
                        (double)before[1], (double)after[1]));
  PetscCall(WarnOfStrains(model, before[1], after[1], after[2]));
  PetscFunctionReturn(0);
}

/* Interpolates the checkpoint of `scene`. Collective. */
static PetscErrorCode Interpolate(Interpolation *ip, const char scene[], PetscReal distance)
{
  AbutUntangleShrinkReport report;
  char                    *initial;

  PetscFunctionBegin;
  PetscCall(ModelCreate(ip->model->comm, scene, -1, &ip->coarse));
  ip->from = AbutStepperGetState(ip->coarse.sim.stepper);
  ip->to   = AbutStepperGetState(ip->model->sim.stepper);
  PetscCall(CheckScenes(ip));
  PetscCall(AbutCheckpointRead(ip->coarse.sim.mesh, ip->checkpoint, ip->from, &initial));
  PetscCall(PetscFree(initial));
  PetscCall(AbutMeshTransferCreate(ip->coarse.sim.mesh, ip->model->sim.mesh, distance, &ip->transfer));
  PetscCall(SetState(ip));
  PetscCall(Separate(ip, &report));
  PetscCall(RefuseIntersections(ip, &report));
  PetscCall(Report(ip, &report));
  PetscFunctionReturn(0);
}

PetscErrorCode InterpolateCheckpoint(Model *model, const char scene[], const char checkpoint[], PetscReal distance)
{
  Interpolation  ip = {.checkpoint = checkpoint, .model = model, .coarse = {.comm = model->comm}};
  PetscErrorCode code;

  PetscFunctionBegin;
  code = Interpolate(&ip, scene, distance);
  if (code && !AbutIsVerdict(code)) PetscFunctionReturn(code);
  PetscCall(AbutMeshTransferDestroy(&ip.transfer));
  PetscCall(ModelDestroy(&ip.coarse));
  PetscFunctionReturn(code);
}
