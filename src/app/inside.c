/* Bodies that start inside a solid obstacle: nothing would repel them there, as it faces the other way. */
#include "app.h"

/* Share of all directions in which a face is seen from p, times the sphere (2D: an edge, circle); > 0 from inside of what faces outward. */
static PetscReal Angle(PetscInt dim, const PetscReal p[], const PetscReal *corner[])
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

/* Bounding boxes decide about most pairs. */
static PetscBool MayHold(PetscInt dim, const AbutBody *obstacle, const AbutBody *body)
{
  if (!obstacle->obstacle || obstacle->oriented != ABUT_ORIENTED_OUTWARD || body->obstacle) return PETSC_FALSE;
  for (PetscInt i = 0; i < dim; i++)
    if (body->box[0][i] < obstacle->box[0][i] || body->box[1][i] > obstacle->box[1][i]) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* How often the surface of an obstacle goes round the first vertex of a body, at rest. Collective. */
static PetscErrorCode Turns(const Model *model, PetscInt obstacle, PetscInt body, PetscReal *turns)
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
    if (m->vertex_body[v[dim * f]] != obstacle) continue;
    for (PetscInt k = 0; k < dim; k++) corner[k] = &m->rest[dim * v[dim * f + k]];
    sum += Angle(dim, p, corner);
  }
  PetscCallMPI(MPI_Allreduce(&sum, turns, 1, MPIU_REAL, MPIU_SUM, model->comm));
  *turns /= dim == 3 ? 4 * PETSC_PI : 2 * PETSC_PI;
  PetscFunctionReturn(0);
}

PetscErrorCode ModelCheckInside(const Model *model)
{
  const AbutMeshLocal *m         = model->local;
  const char          *potential = model->scene->step.potential;
  PetscBool            smooth[2];

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(potential, "oipc", &smooth[0]));
  PetscCall(PetscStrcmp(potential, "gcp", &smooth[1]));
  if (!smooth[0] && !smooth[1]) PetscFunctionReturn(0);
  for (PetscInt o = 0; o < m->num_bodies; o++) {
    for (PetscInt b = 0; b < m->num_bodies; b++) {
      PetscReal turns;
      if (!MayHold(m->dim, &m->bodies[o], &m->bodies[b])) continue;
      PetscCall(Turns(model, o, b, &turns));
      AbutCheck(
        turns < 0.5, ABUT_ERR_INPUT,
        "%s: body '%s' starts inside obstacle '%s', which is solid there, so that \"%s\" lets nothing repel it; for a container give "
        "that obstacle `oriented: inward`, or `none` to repel on both sides",
        model->scene->path, m->bodies[b].name, m->bodies[o].name, potential);
    }
  }
  PetscFunctionReturn(0);
}
