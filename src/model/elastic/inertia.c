/* Moments of inertia of bodies: masses at vertices lie farther out than the mass of the cells. */
#include "quadratic.h"

enum { MASS, PLACE, CELLS = PLACE + 3, VERTICES, NUM_SUMS }; /* of a body: mass, first moments, second moments */

/* Adds the moments of cell c, without curvature, about the centre of the box of its body. */
static void AddCell(AbutElastic el, PetscInt c, const AbutBody *body, PetscReal sums[NUM_SUMS])
{
  const AbutMeshLocal *m    = el->local;
  const PetscInt       n    = m->dim + 1;
  const PetscReal      mass = el->volumes[c] * el->materials[el->cell_material[c]].density;

  sums[MASS] += mass;
  for (PetscInt k = 0; k < m->dim; k++) {
    PetscReal sum = 0, squares = 0;

    for (PetscInt a = 0; a < n; a++) {
      const PetscReal x = m->rest[m->dim * m->cells[n * c + a] + k] - (body->box[0][k] + body->box[1][k]) / 2;
      sum += x;
      squares += x * x;
    }
    sums[PLACE + k] += mass * sum / (PetscReal)n;
    sums[CELLS] += mass * (sum * sum + squares) / (PetscReal)(n * (n + 1));
  }
}

/* Adds the second moment of the mass of an owned vertex. */
static void AddVertex(AbutElastic el, PetscInt v, PetscReal mass, const AbutBody *body, PetscReal sums[NUM_SUMS])
{
  for (PetscInt k = 0; k < el->local->dim; k++)
    sums[VERTICES] += mass * PetscSqr(el->local->rest[el->local->dim * v + k] - (body->box[0][k] + body->box[1][k]) / 2);
}

PetscErrorCode AbutElasticInertiaExcess(AbutElastic el, PetscReal excess[])
{
  const AbutMeshLocal *m = el->local;
  PetscReal           *mass;
  PetscReal(*sums)[NUM_SUMS];
  PetscMPIInt count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(m->num_bodies * NUM_SUMS, &count));
  PetscCall(PetscMalloc1(m->num_owned, &mass));
  PetscCall(PetscCalloc1(m->num_bodies, &sums));
  PetscCall(AbutElasticGetMass(el, mass, NULL));
  for (PetscInt c = 0; c < m->num_cells; c++) AddCell(el, c, &m->bodies[m->cell_body[c]], sums[m->cell_body[c]]);
  for (PetscInt v = 0; v < m->num_owned; v++) AddVertex(el, v, mass[v], &m->bodies[m->vertex_body[v]], sums[m->vertex_body[v]]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, count, MPIU_REAL, MPIU_SUM, AbutMeshGetComm(el->mesh)));
  for (PetscInt b = 0; b < m->num_bodies; b++) {
    const PetscReal *s = sums[b], shift = s[MASS] > 0 ? AbutDot(3, s + PLACE, s + PLACE) / s[MASS] : 0;
    excess[b] = s[CELLS] > shift ? (s[VERTICES] - s[CELLS]) / (s[CELLS] - shift) : 0;
  }
  PetscCall(PetscFree(sums));
  PetscCall(PetscFree(mass));
  PetscFunctionReturn(0);
}
