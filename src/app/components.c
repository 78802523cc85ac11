/*
  Connected components of the distributed surfaces. Every vertex gets the lowest label among the vertices that the edges of a rank connect
  with it; owners then take the lowest label of their ghosts, until no label changes.
*/
#include "app.h"
#include <abut/containers.h>
#include <abut/petsc_versions.h>

/* A label on its way from a ghost to its owner. */
typedef struct {
  PetscInt  global;
  PetscReal label;
} Offer;

static PetscInt Root(PetscInt parent[], PetscInt v)
{
  while (parent[v] != v) v = parent[v] = parent[parent[v]];
  return v;
}

/* Joins the vertices that the surface edges of this rank connect. */
static void JoinEdges(const AbutMeshLocal *m, PetscInt parent[])
{
  for (PetscInt v = 0; v < m->num_local; v++) parent[v] = v;
  for (PetscInt e = 0; e < m->num_edges; e++) parent[Root(parent, m->edges[2 * e])] = Root(parent, m->edges[2 * e + 1]);
}

/* Gives all vertices that are joined their lowest label. */
static void Spread(PetscInt n, PetscInt parent[], PetscReal label[])
{
  for (PetscInt v = 0; v < n; v++) label[Root(parent, v)] = PetscMin(label[Root(parent, v)], label[v]);
  for (PetscInt v = 0; v < n; v++) label[v] = label[Root(parent, v)];
}

/* Offers of the ghosts to their owners. first [size]: lowest global index of each rank. */
static void MakeOffers(const AbutMeshLocal *m, PetscMPIInt size, const PetscInt first[], const PetscReal label[], Offer send[],
                       PetscMPIInt to[])
{
  for (PetscInt i = 0; i < m->num_local - m->num_owned; i++) {
    send[i] = (Offer){m->vertex_global[m->num_owned + i], label[m->num_owned + i]};
    to[i]   = size - 1;
    while (first[to[i]] > send[i].global) to[i]--;
  }
}

static void TakeOffers(PetscInt first, PetscInt num, const Offer received[], PetscReal label[])
{
  for (PetscInt i = 0; i < num; i++) label[received[i].global - first] = PetscMin(label[received[i].global - first], received[i].label);
}

/* Owners take the labels of their ghosts if these are lower. Collective. */
static PetscErrorCode OfferToOwners(AbutMesh mesh, PetscMPIInt size, const PetscInt first[], PetscReal label[])
{
  const AbutMeshLocal *m   = AbutMeshGetLocal(mesh);
  const PetscInt       num = m->num_local - m->num_owned;
  AbutExchange         exchange;
  Offer               *send, *received;
  PetscMPIInt         *to;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(num, &send, num, &to));
  MakeOffers(m, size, first, label, send, to);
  PetscCall(AbutExchangeRecords(AbutMeshGetComm(mesh), sizeof(*send), num, to, send, NULL, &exchange, &received));
  TakeOffers(m->first, exchange.recv_start[exchange.num_recv], received, label);
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscCall(PetscFree(received));
  PetscCall(PetscFree2(send, to));
  PetscFunctionReturn(0);
}

PetscErrorCode SurfaceComponents(AbutMesh mesh, PetscReal label[])
{
  const AbutMeshLocal *m    = AbutMeshGetLocal(mesh);
  const MPI_Comm       comm = AbutMeshGetComm(mesh);
  PetscMPIInt          size;
  PetscInt            *parent, *first;
  PetscReal           *before;
  PetscBool            same;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMalloc3(m->num_local, &parent, m->num_local, &before, size, &first));
  PetscCallMPI(MPI_Allgather(&m->first, 1, MPIU_INT, first, 1, MPIU_INT, comm));
  JoinEdges(m, parent);
  for (PetscInt v = 0; v < m->num_local; v++) label[v] = (PetscReal)m->vertex_id[v];
  do {
    PetscCall(PetscArraycpy(before, label, m->num_local));
    Spread(m->num_local, parent, label);
    PetscCall(OfferToOwners(mesh, size, first, label));
    PetscCall(AbutMeshUpdateGhosts(mesh, 1, label));
    PetscCall(PetscArraycmp(before, label, m->num_local, &same));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &same, 1, AbutMPIBool, MPI_LAND, comm));
  } while (!same);
  PetscCall(PetscFree3(parent, before, first));
  PetscFunctionReturn(0);
}
