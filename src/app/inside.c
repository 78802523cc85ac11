/* Checks that no body starts on the wrong side of a closed surface, where an orientation-aware potential does not repel it. */
#include "app.h"

/* Whether the bounding box of a holder contains that of a body: most pairs are excluded by this test. */
static PetscBool BoxHolds(PetscInt dim, const AbutBody *holder, const AbutBody *body)
{
  for (PetscInt i = 0; i < dim; i++)
    if (body->box[0][i] < holder->box[0][i] || body->box[1][i] > holder->box[1][i]) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Winding number of the surface of `holder` at the start around the first vertex of `body`: 1 inside, 0 outside. Collective. */
static PetscErrorCode WindingNumber(const Model *model, PetscInt holder, PetscInt body, PetscReal *winding)
{
  const AbutMeshLocal *m   = model->sim.local;
  const PetscInt       dim = m->dim, count = dim == 3 ? m->num_faces : m->num_edges, *v = dim == 3 ? m->faces : m->edges;
  const PetscReal     *start = AbutMeshGetStart(model->sim.mesh);
  PetscReal            p[3] = {0, 0, 0}, sum = 0;

  PetscFunctionBegin;
  *winding = 0;
  if (!BoxHolds(dim, &m->bodies[holder], &m->bodies[body])) PetscFunctionReturn(0);
  for (PetscInt k = 0; k < m->num_owned; k++)
    if (m->vertex_id[k] == m->bodies[body].vertex_start) PetscCall(PetscArraycpy(p, &start[dim * k], dim));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, p, 3, MPIU_REAL, MPIU_SUM, model->comm));
  for (PetscInt f = 0; f < count; f++) {
    const PetscReal *corner[3];
    if (m->vertex_body[v[dim * f]] != holder) continue;
    for (PetscInt k = 0; k < dim; k++) corner[k] = &start[dim * v[dim * f + k]];
    sum += AbutSolidAngle(dim, p, corner);
  }
  PetscCallMPI(MPI_Allreduce(&sum, winding, 1, MPIU_REAL, MPIU_SUM, model->comm));
  *winding /= dim == 3 ? 4 * PETSC_PI : 2 * PETSC_PI;
  PetscFunctionReturn(0);
}

PetscErrorCode ModelCheckInside(const Model *model)
{
  const AbutMeshLocal *m       = model->sim.local;
  const AbutBody      *bodies  = m->bodies, *first[2];
  PetscInt             outside = 0;

  PetscFunctionBegin;
  if (!AbutPotentialGetInfo(model->sim.potential)->oriented) PetscFunctionReturn(0);
  for (PetscInt o = 0; o < m->num_bodies; o++) {
    for (PetscInt b = 0; b < m->num_bodies; b++) {
      const PetscBool container = (PetscBool)(bodies[o].obstacle && bodies[o].oriented == ABUT_ORIENTED_INWARD);
      PetscReal       winding;

      if (b == o || bodies[b].obstacle || (bodies[o].obstacle && bodies[o].oriented == ABUT_ORIENTED_NONE)) continue;
      PetscCall(WindingNumber(model, o, b, &winding));
      AbutCheck(container || winding < 0.5, ABUT_ERR_INPUT,
                "%s: body '%s' starts inside %s '%s', which is solid: the potential \"%s\" does not repel bodies inside%s",
                model->scene->path, bodies[b].name, bodies[o].obstacle ? "obstacle" : "body", bodies[o].name, model->scene->step.potential,
                bodies[o].obstacle ? "; for a container give that obstacle `oriented: inward`, or `none` to repel on both sides" : "");
      if (!container || PetscAbsReal(winding) >= 0.5)
        continue; /* a body outside a container may be intended: two containers side by side */
      if (outside++ == 0) first[0] = &bodies[b], first[1] = &bodies[o];
    }
  }
  if (outside > 0)
    PetscCall(PetscFPrintf(model->comm, PETSC_STDERR,
                           "abut: warning: body '%s' starts outside obstacle '%s', which is oriented inward and does not repel it there "
                           "(bodies outside of containers: %" PetscInt_FMT ")\n",
                           first[0]->name, first[1]->name, outside));
  PetscFunctionReturn(0);
}
