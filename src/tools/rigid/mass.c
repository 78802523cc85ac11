/*
  Mass properties of bodies of tetrahedra. The integrals of 1, x and x x^T over a tetrahedron with vertices v_i, i = 0..3, and volume V are

    V,  V/4 sum_i v_i,  V/20 (sum_i v_i v_i^T + s s^T) with s = sum_i v_i.

  Coordinates are relative to the centre of the body's bounding box, so that a body far from the origin loses no digits.
*/
#include "rigidimpl.h"
#include <abut/containers.h>

#define MOMENTS 10 /* V; the integrals of x, y, z; of xx, xy, xz, yy, yz, zz */

/* Integrals over one cell, sent to the rank that sums up its body. */
typedef struct {
  PetscInt  cell, body; /* id of the cell, index of the body */
  PetscReal moment[MOMENTS];
} CellMoments;

static void BoxCenter(const AbutBody *body, PetscReal center[3])
{
  for (int k = 0; k < 3; k++) center[k] = (body->box[0][k] + body->box[1][k]) / 2;
}

static void IntegrateCell(const AbutMeshLocal *ml, PetscInt c, CellMoments *out)
{
  PetscReal center[3], v[4][3], edge[3][3], normal[3], sum[3] = {0, 0, 0}, volume;
  PetscInt  m = 4;

  out->cell = ml->cell_id[c];
  out->body = ml->cell_body[c];
  BoxCenter(&ml->bodies[out->body], center);
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 3; k++) {
      v[i][k] = ml->rest[3 * ml->cells[4 * c + i] + k] - center[k];
      sum[k] += v[i][k];
      if (i > 0) edge[i - 1][k] = v[i][k] - v[0][k];
    }
  AbutCross(edge[0], edge[1], normal);
  volume         = AbutDot(3, normal, edge[2]) / 6;
  out->moment[0] = volume;
  for (int k = 0; k < 3; k++) out->moment[1 + k] = volume / 4 * sum[k];
  for (int k = 0; k < 3; k++)
    for (int l = k; l < 3; l++) {
      PetscReal products = sum[k] * sum[l];
      for (int i = 0; i < 4; i++) products += v[i][k] * v[i][l];
      out->moment[m++] = volume / 20 * products;
    }
}

/* Sums the cells of each body in the order of their ids, on rank body % size; `moment` is the result on all ranks. Collective. */
static PetscErrorCode SumCells(MPI_Comm comm, const AbutMeshLocal *ml, PetscReal moment[])
{
  CellMoments *cells, *received;
  PetscInt     n;
  PetscMPIInt *to, size;
  AbutExchange exchange;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscCalloc1(ml->num_cells, &cells));
  PetscCall(PetscMalloc1(ml->num_cells, &to));
  for (PetscInt c = 0; c < ml->num_cells; c++) {
    IntegrateCell(ml, c, &cells[c]);
    to[c] = (PetscMPIInt)(cells[c].body % size);
  }
  PetscCall(AbutExchangeRecords(comm, sizeof(*cells), ml->num_cells, to, cells, NULL, &exchange, &received));
  n = exchange.recv_start[exchange.num_recv];
  PetscCall(AbutSortRecords(n, sizeof(*received), 1, received));
  for (PetscInt i = 0; i < n; i++)
    for (int m = 0; m < MOMENTS; m++) moment[MOMENTS * received[i].body + m] += received[i].moment[m];
  PetscCall(PetscFree(received));
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscCall(PetscFree(to));
  PetscCall(PetscFree(cells));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, moment, (PetscMPIInt)(MOMENTS * ml->num_bodies), MPIU_REAL, MPIU_SUM, comm));
  PetscFunctionReturn(0);
}

/* Mass, centre and inertia I = density (tr(S) 1 - S), where S is the integral of x x^T about the centre of mass. */
static void SetMass(const PetscReal moment[MOMENTS], PetscReal density, AbutRigidMass *mass)
{
  const PetscReal volume = moment[0];
  PetscReal       S[9], c[3], trace;
  PetscInt        m = 4;

  for (int k = 0; k < 3; k++) c[k] = moment[1 + k] / volume;
  for (int k = 0; k < 3; k++)
    for (int l = k; l < 3; l++) S[3 * k + l] = S[3 * l + k] = moment[m++] - volume * c[k] * c[l];
  trace = S[0] + S[4] + S[8];
  for (int k = 0; k < 9; k++) mass->inertia[k] = density * ((k % 4 ? 0 : trace) - S[k]);
  for (int k = 0; k < 3; k++) mass->center[k] += c[k];
  mass->mass = density * volume;
}

PetscErrorCode AbutRigidComputeMass(MPI_Comm comm, const AbutMeshLocal *ml, const PetscReal density[], AbutRigidMass mass[])
{
  PetscReal *moment;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(MOMENTS * ml->num_bodies, &moment));
  PetscCall(SumCells(comm, ml, moment));
  for (PetscInt b = 0; b < ml->num_bodies; b++) {
    BoxCenter(&ml->bodies[b], mass[b].center);
    if (!ml->bodies[b].obstacle && density[b] > 0) SetMass(moment + MOMENTS * b, density[b], &mass[b]);
  }
  PetscCall(PetscFree(moment));
  PetscFunctionReturn(0);
}
