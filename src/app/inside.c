/*
  Bodies that lie wholly inside the material of another body, or on the wrong side of an obstacle. No edge crosses a face there, so that the
  check of intersections does not see them. Surfaces that cross no other one lie on one side of it: the winding number of a body around one
  surface vertex of the other decides. The surface of a body has a cavity, too, so the number is 0 in a cavity. A body of several parts is
  judged by the part with that vertex.
*/
#include "app.h"
#include <abut/containers.h>

/* The bodies as they are placed, and for each holder the bodies inside its bounding box. */
typedef struct {
  const AbutMeshLocal *m;
  PetscReal           *box;     /* [6 * num_bodies] lower corner, then the upper corner negated */
  PetscReal           *x;       /* [3 * num_bodies] surface vertex with the lowest id */
  PetscInt            *id;      /* [num_bodies] its id */
  PetscInt            *start;   /* [num_bodies + 1] of the bodies of each holder in `held` */
  AbutInts             held;    /* bodies */
  PetscReal           *winding; /* [held.n] winding number of the holder's surface around each of them: 1 inside, 0 outside */
} Inside;

/* Boxes and surface vertices at the local positions x. Collective. */
static PetscErrorCode Place(const Model *model, const PetscReal x[], Inside *in)
{
  const AbutMeshLocal *m   = in->m;
  const PetscInt       dim = m->dim, num = m->num_bodies;
  PetscMPIInt          length;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(6 * num, &length));
  PetscCall(PetscMalloc4(6 * num, &in->box, 3 * num, &in->x, num, &in->id, num + 1, &in->start));
  PetscCall(PetscArrayzero(in->x, 3 * num));
  for (PetscInt i = 0; i < 6 * num; i++) in->box[i] = PETSC_MAX_REAL;
  for (PetscInt b = 0; b < num; b++) in->id[b] = PETSC_MAX_INT;
  for (PetscInt i = 0; i < dim * m->num_owned; i++) {
    PetscReal *box = &in->box[6 * m->vertex_body[i / dim] + i % dim];
    box[0]         = PetscMin(box[0], x[i]);
    box[3]         = PetscMin(box[3], -x[i]);
  }
  for (PetscInt i = 0; i < m->num_points; i++) {
    PetscInt *id = &in->id[m->vertex_body[m->points[i]]];
    *id          = PetscMin(*id, m->vertex_id[m->points[i]]);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, in->box, length, MPIU_REAL, MPIU_MIN, model->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, in->id, length / 6, MPIU_INT, MPI_MIN, model->comm));
  for (PetscInt i = 0; i < m->num_points; i++) {
    const PetscInt v = m->points[i], b = m->vertex_body[v];
    if (m->vertex_id[v] == in->id[b]) PetscCall(PetscArraycpy(&in->x[3 * b], &x[dim * v], dim));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, in->x, length / 2, MPIU_REAL, MPIU_SUM, model->comm));
  PetscFunctionReturn(0);
}

/* Whether the bounding box of a holder contains that of a body: most pairs are excluded by this test. */
static PetscBool BoxHolds(const Inside *in, PetscInt holder, PetscInt body)
{
  for (PetscInt i = 0; i < 6; i++)
    if (i % 3 < in->m->dim && in->box[6 * body + i] < in->box[6 * holder + i]) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Lists the bodies in the boxes of bodies and obstacles that no tie holds there; `oriented`: obstacles have sides. */
static PetscErrorCode ListHeld(const Model *model, PetscBool oriented, Inside *in)
{
  const AbutBody *bodies = in->m->bodies;

  PetscFunctionBegin;
  for (PetscInt o = 0; o < in->m->num_bodies; o++) {
    in->start[o] = in->held.n;
    if (bodies[o].obstacle && (!oriented || bodies[o].oriented == ABUT_ORIENTED_NONE)) continue;
    for (PetscInt b = 0; b < in->m->num_bodies; b++)
      if (!AbutStepperAreTied(model->sim.stepper, b, o) && !(oriented && bodies[b].obstacle) && BoxHolds(in, o, b))
        PetscCall(AbutIntsPush(&in->held, 1, &b));
  }
  in->start[in->m->num_bodies] = in->held.n;
  PetscFunctionReturn(0);
}

/* Sets the winding numbers at the local positions x. Collective. */
static PetscErrorCode SetWinding(const Model *model, const PetscReal x[], Inside *in)
{
  const AbutMeshLocal *m   = in->m;
  const PetscInt       dim = m->dim, count = AbutNumFacets(m), *v = AbutFacets(m);
  PetscMPIInt          num;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(in->held.n, &num));
  PetscCall(PetscCalloc1(num, &in->winding));
  for (PetscInt f = 0; f < count; f++) {
    const PetscInt   holder = m->vertex_body[v[dim * f]];
    const PetscReal *corner[3];
    for (PetscInt k = 0; k < dim; k++) corner[k] = &x[dim * v[dim * f + k]];
    for (PetscInt k = in->start[holder]; k < in->start[holder + 1]; k++)
      in->winding[k] += AbutSolidAngle(dim, &in->x[3 * in->held.a[k]], corner) / (dim == 3 ? 4 * PETSC_PI : 2 * PETSC_PI);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, in->winding, num, MPIU_REAL, MPIU_SUM, model->comm));
  PetscFunctionReturn(0);
}

/* Winding number of the surface of a holder around a body; 0 for a body beside its box. */
static PetscReal WindingNumber(const Inside *in, PetscInt holder, PetscInt body)
{
  for (PetscInt k = in->start[holder]; k < in->start[holder + 1]; k++)
    if (in->held.a[k] == body) return in->winding[k];
  return 0;
}

/* Potentials that are oriented do not repel bodies inside a solid. A body outside a container may be intended: two of them side by side. */
static PetscErrorCode CheckSides(const Model *model, const Inside *in)
{
  const AbutBody *bodies = in->m->bodies, *first[2] = {NULL, NULL};
  PetscInt        outside = 0;

  PetscFunctionBegin;
  for (PetscInt o = 0; o < in->m->num_bodies; o++)
    for (PetscInt b = 0; b < in->m->num_bodies; b++) {
      const PetscBool container = (PetscBool)(bodies[o].obstacle && bodies[o].oriented == ABUT_ORIENTED_INWARD);
      const PetscReal winding   = WindingNumber(in, o, b);

      AbutCheck(container || winding < 0.5, ABUT_ERR_INPUT,
                "%s: body '%s' starts inside %s '%s', which is solid: the potential \"%s\" does not repel bodies inside%s",
                model->scene->path, bodies[b].name, bodies[o].obstacle ? "obstacle" : "body", bodies[o].name, model->scene->step.potential,
                bodies[o].obstacle ? "; for a container give that obstacle `oriented: inward`, or `none` to repel on both sides" : "");
      if (!container || bodies[b].obstacle || PetscAbsReal(winding) >= 0.5) continue;
      if (outside++ == 0) first[0] = &bodies[b], first[1] = &bodies[o];
    }
  if (outside > 0)
    PetscCall(AbutWarn(model->comm,
                       "body '%s' starts outside obstacle '%s', which is oriented inward and does not repel it there "
                       "(bodies outside of containers: %" PetscInt_FMT ")",
                       first[0]->name, first[1]->name, outside));
  PetscFunctionReturn(0);
}

static PetscErrorCode WarnOfNested(const Model *model, const Inside *in)
{
  const AbutBody *bodies = in->m->bodies;
  PetscInt        count = 0, first[2] = {0, 0};
  char            command[64] = "";

  PetscFunctionBegin;
  for (PetscInt o = 0; o < in->m->num_bodies; o++)
    for (PetscInt k = in->start[o]; k < in->start[o + 1]; k++)
      if (in->winding[k] >= 0.5 && count++ == 0) first[0] = in->held.a[k], first[1] = o;
  CommandThatSeparates("", sizeof(command), command);
  if (count > 0)
    PetscCall(AbutWarn(model->comm,
                       "'%s' (vertex %" PetscInt_FMT
                       ") lies wholly inside the material of '%s': the surfaces do not cross, so contact keeps it there%s%s%s (pairs of "
                       "bodies: %" PetscInt_FMT ")",
                       bodies[first[0]].name, in->id[first[0]], bodies[first[1]].name,
                       command[0] ? "; if bodies overlap all around, as a press fit does, " : "", command,
                       command[0] ? " moves them apart" : "", count));
  PetscFunctionReturn(0);
}

PetscErrorCode ModelCheckInside(const Model *model, const PetscReal x[])
{
  const PetscBool oriented = AbutPotentialGetInfo(model->sim.potential)->oriented;
  Inside          in       = {.m = model->sim.local};
  PetscErrorCode  verdict;

  PetscFunctionBegin;
  PetscCall(Place(model, x, &in));
  PetscCall(ListHeld(model, oriented, &in));
  PetscCall(SetWinding(model, x, &in));
  verdict = oriented ? CheckSides(model, &in) : WarnOfNested(model, &in);
  PetscCall(PetscFree4(in.box, in.x, in.id, in.start));
  PetscCall(PetscFree(in.held.a));
  PetscCall(PetscFree(in.winding));
  PetscFunctionReturn(verdict);
}
