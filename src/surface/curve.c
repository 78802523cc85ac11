/* Edges without faces, and surfaces with an inner and an outer side. */
#include "surfaceimpl.h"

PetscErrorCode AbutSurfaceFindCurves(AbutSurface s)
{
  const AbutMeshLocal *m     = s->m;
  const PetscInt      *start = s->table.edge_face.start;
  PetscInt             n     = 0, any;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < m->num_edges && m->dim == 3; i++) n += start[i] == start[i + 1];
  any = n;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPIU_INT, MPI_MAX, s->comm));
  s->any_curves = (PetscBool)(any > 0);
  PetscCall(PetscMalloc1(n, &s->curve));
  for (PetscInt i = 0; i < m->num_edges && n; i++)
    if (start[i] == start[i + 1]) s->curve[s->num_curves++] = i;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSurfaceGetCurves(AbutSurface s, PetscInt *num, const PetscInt *edges[], PetscBool *any)
{
  PetscFunctionBegin;
  *num   = s->num_curves;
  *edges = s->curve;
  *any   = s->any_curves;
  PetscFunctionReturn(0);
}

/* Number of faces at an edge in its direction minus number of faces against it. */
static PetscInt EdgeBalance(const AbutTable *t, PetscInt edge)
{
  PetscInt balance = 0;

  for (PetscInt i = t->edge_face.start[edge]; i < t->edge_face.start[edge + 1]; i++) {
    const PetscInt f = t->edge_face.item[i];

    for (int k = 0; k < 3; k++) {
      if (t->face_edge[f][k] == edge) balance += t->faces[f][k] == t->edges[edge][0] ? 1 : -1;
    }
  }
  return balance;
}

/* 2D: number of edges that start at a vertex minus number of edges that end at it. */
static PetscInt VertexBalance(const AbutTable *t, PetscInt v)
{
  PetscInt balance = 0;

  for (PetscInt i = t->vertex_edge.start[v]; i < t->vertex_edge.start[v + 1]; i++)
    balance += t->edges[t->vertex_edge.item[i]][0] == v ? 1 : -1;
  return balance;
}

PetscErrorCode AbutSurfaceFindClosed(AbutSurface s)
{
  const AbutTable     *t = &s->table;
  const AbutMeshLocal *m = s->m;
  PetscInt(*state)[2]; /* per body: it has a surface; its surface has a border */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(m->num_bodies, &s->closed));
  PetscCall(PetscCalloc1(m->num_bodies, &state));
  for (PetscInt i = 0; i < (m->dim == 3 ? m->num_edges : m->num_points); i++) {
    const PetscInt  v     = m->dim == 3 ? m->edges[2 * i] : m->points[i];
    const PetscInt *start = m->dim == 3 ? t->edge_face.start + i : t->vertex_edge.start + v;

    state[m->vertex_body[v]][0] = 1;
    if (start[0] == start[1] || (m->dim == 3 ? EdgeBalance(t, i) : VertexBalance(t, v)) != 0) state[m->vertex_body[v]][1] = 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, state, (PetscMPIInt)(2 * m->num_bodies), MPIU_INT, MPI_MAX, s->comm));
  for (PetscInt b = 0; b < m->num_bodies; b++)
    s->closed[b] = (PetscBool)(state[b][0] && !state[b][1] && m->bodies[b].oriented != ABUT_ORIENTED_NONE);
  PetscCall(PetscFree(state));
  PetscFunctionReturn(0);
}
