/* Checks that no body starts on the wrong side of a closed surface, where an orientation-aware potential does not repel it. */
#include "app.h"

/* Signed solid angle of a triangle seen from p (2D: angle of an edge), positive inside a surface that faces outward [van Oosterom 1983]. */
static PetscReal SolidAngle(PetscInt dim, const PetscReal p[], const PetscReal *corner[])
{
  PetscReal r[3][3] = {{0}}, size[3], n[3], below;

  for (PetscInt k = 0; k < dim; k++) {
    for (PetscInt i = 0; i < dim; i++) r[k][i] = corner[k][i] - p[i];
    size[k] = PetscSqrtReal(AbutDot(dim, r[k], r[k]));
  }
  if (dim == 2) return PetscAtan2Real(r[0][0] * r[1][1] - r[0][1] * r[1][0], AbutDot(2, r[0], r[1]));
  AbutCross(r[1], r[2], n);
  below =
    size[0] * size[1] * size[2] + AbutDot(3, r[0], r[1]) * size[2] + AbutDot(3, r[1], r[2]) * size[0] + AbutDot(3, r[2], r[0]) * size[1];
  return 2 * PetscAtan2Real(AbutDot(3, r[0], n), below);
}

/* Whether the bounding box of a holder contains that of a body: most pairs are excluded by this test. */
static PetscBool BoxHolds(PetscInt dim, const AbutBody *holder, const AbutBody *body)
{
  for (PetscInt i = 0; i < dim; i++)
    if (body->box[0][i] < holder->box[0][i] || body->box[1][i] > holder->box[1][i]) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Winding number of the surface of `holder` at rest around the first vertex of `body`: 1 inside, 0 outside. Collective. */
static PetscErrorCode WindingNumber(const Model *model, PetscInt holder, PetscInt body, PetscReal *winding)
{
  const AbutMeshLocal *m   = model->local;
  const PetscInt       dim = m->dim, count = dim == 3 ? m->num_faces : m->num_edges, *v = dim == 3 ? m->faces : m->edges;
  PetscReal            p[3] = {0, 0, 0}, sum = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < m->num_owned; k++)
    if (m->vertex_id[k] == m->bodies[body].vertex_start) PetscCall(PetscArraycpy(p, &m->rest[dim * k], dim));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, p, 3, MPIU_REAL, MPIU_SUM, model->comm));
  for (PetscInt f = 0; f < count; f++) {
    const PetscReal *corner[3];
    if (m->vertex_body[v[dim * f]] != holder) continue;
    for (PetscInt k = 0; k < dim; k++) corner[k] = &m->rest[dim * v[dim * f + k]];
    sum += SolidAngle(dim, p, corner);
  }
  PetscCallMPI(MPI_Allreduce(&sum, winding, 1, MPIU_REAL, MPIU_SUM, model->comm));
  *winding /= dim == 3 ? 4 * PETSC_PI : 2 * PETSC_PI;
  PetscFunctionReturn(0);
}

/* ABUT_ERR_INPUT if a body starts inside a solid obstacle or inside another body. Collective. */
static PetscErrorCode CheckSolid(const Model *model, PetscInt holder, PetscInt body)
{
  const AbutBody *bodies   = model->local->bodies;
  const char     *obstacle = bodies[holder].obstacle ? "obstacle" : "body";
  PetscReal       winding  = 0;

  PetscFunctionBegin;
  if (!BoxHolds(model->local->dim, &bodies[holder], &bodies[body])) PetscFunctionReturn(0);
  PetscCall(WindingNumber(model, holder, body, &winding));
  AbutCheck(winding < 0.5, ABUT_ERR_INPUT,
            "%s: body '%s' starts inside %s '%s', which is solid: the potential \"%s\" does not repel bodies inside%s", model->scene->path,
            bodies[body].name, obstacle, bodies[holder].name, model->scene->step.potential,
            bodies[holder].obstacle ? "; for a container give that obstacle `oriented: inward`, or `none` to repel on both sides" : "");
  PetscFunctionReturn(0);
}

/* Whether a body is outside a container. That may be intended, as with two containers side by side. Collective. */
static PetscErrorCode IsOutside(const Model *model, PetscInt container, PetscInt body, PetscBool *outside)
{
  const AbutBody *bodies  = model->local->bodies;
  PetscReal       winding = 0;

  PetscFunctionBegin;
  if (BoxHolds(model->local->dim, &bodies[container], &bodies[body])) PetscCall(WindingNumber(model, container, body, &winding));
  *outside = (PetscBool)(PetscAbsReal(winding) < 0.5);
  PetscFunctionReturn(0);
}

PetscErrorCode ModelCheckInside(const Model *model)
{
  const AbutMeshLocal *m        = model->local;
  PetscInt             first[2] = {-1, -1}, outside = 0;

  PetscFunctionBegin;
  if (!AbutPotentialGetInfo(model->potential)->oriented) PetscFunctionReturn(0);
  for (PetscInt o = 0; o < m->num_bodies; o++) {
    for (PetscInt b = 0; b < m->num_bodies; b++) {
      PetscBool wrong = PETSC_FALSE;
      if (b == o || m->bodies[b].obstacle) continue;
      if (!m->bodies[o].obstacle || m->bodies[o].oriented == ABUT_ORIENTED_OUTWARD) PetscCall(CheckSolid(model, o, b));
      if (m->bodies[o].obstacle && m->bodies[o].oriented == ABUT_ORIENTED_INWARD) PetscCall(IsOutside(model, o, b, &wrong));
      if (!wrong) continue;
      if (outside++ == 0) first[0] = b, first[1] = o;
    }
  }
  if (outside > 0)
    PetscCall(PetscFPrintf(model->comm, PETSC_STDERR,
                           "abut: warning: body '%s' starts outside obstacle '%s', which is oriented inward and does not repel it there "
                           "(bodies outside of containers: %" PetscInt_FMT ")\n",
                           m->bodies[first[0]].name, m->bodies[first[1]].name, outside));
  PetscFunctionReturn(0);
}
