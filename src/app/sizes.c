/* Size and mass of each body for abut check: a wrong unit or scale of a mesh file shows here first. */
#include "app.h"

#define MOST_LINES 50 /* bodies that are listed */

/* Mass of each body [num_bodies]. Collective. */
static PetscErrorCode GetMasses(const Model *model, PetscReal mass[])
{
  const AbutMeshLocal *local = model->sim.local;
  PetscReal           *vertex;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(local->num_owned, &vertex));
  PetscCall(AbutElasticGetMass(model->sim.elastic, vertex, NULL));
  for (PetscInt v = 0; v < local->num_owned; v++) mass[local->vertex_body[v]] += vertex[v];
  PetscCall(PetscFree(vertex));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, mass, (PetscMPIInt)local->num_bodies, MPIU_REAL, MPIU_SUM, model->comm));
  PetscFunctionReturn(0);
}

static PetscErrorCode PrintBody(const Model *model, const AbutBody *body, PetscReal mass, PetscReal jacobian)
{
  const PetscInt dim       = model->sim.local->dim;
  char           depth[32] = "", cells[128] = "";
  PetscReal      extent[3], sum             = 0;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; d++) {
    extent[d] = body->box[1][d] - body->box[0][d];
    sum += PetscSqr(extent[d]);
  }
  if (dim == 3) PetscCall(PetscSNPrintf(depth, sizeof(depth), " x %.6g", (double)extent[2]));
  if (body->order == 2)
    PetscCall(PetscSNPrintf(cells, sizeof(cells),
                            ", %" PetscInt_FMT " quadratic cells, %" PetscInt_FMT " vertices, smallest Jacobian %.3g of the cell's mean",
                            body->cell_end - body->cell_start, body->vertex_end - body->vertex_start, (double)jacobian));
  PetscCall(PetscPrintf(model->comm, "size of '%s': %.6g x %.6g%s m, diagonal %.6g m, mass %.6g kg%s%s\n", body->name, (double)extent[0],
                        (double)extent[1], depth, (double)PetscSqrtReal(sum), (double)mass, dim == 2 ? " per metre of thickness" : "",
                        cells));
  PetscFunctionReturn(0);
}

PetscErrorCode PrintSizes(const Model *model)
{
  const AbutMeshLocal *local = model->sim.local;
  PetscReal           *mass, *jacobian;
  PetscInt             num = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(local->num_bodies, &mass, local->num_bodies, &jacobian));
  PetscCall(GetMasses(model, mass));
  PetscCall(AbutElasticGetSmallestJacobian(model->sim.elastic, jacobian));
  for (PetscInt b = 0; b < local->num_bodies; b++)
    if (!local->bodies[b].obstacle && num++ < MOST_LINES) PetscCall(PrintBody(model, &local->bodies[b], mass[b], jacobian[b]));
  if (num > MOST_LINES) PetscCall(PetscPrintf(model->comm, "size of %" PetscInt_FMT " more bodies not listed\n", num - MOST_LINES));
  PetscCall(PetscFree2(mass, jacobian));
  PetscFunctionReturn(0);
}
