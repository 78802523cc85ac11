/* Size and mass of each body, moduli of the materials for abut check: a wrong unit or scale of a mesh file shows here first. */
#include "app.h"

#define MOST_LINES 50 /* bodies or materials that are listed */

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

/* Boxes of the nodes of all bodies [num_bodies * 6]: negative lower bounds, upper bounds. Collective. */
static PetscErrorCode GetBoxes(const Model *model, PetscReal box[])
{
  const AbutMeshLocal *local = model->sim.local;
  PetscReal           *nodes;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(local->num_owned * local->dim, &nodes));
  PetscCall(AbutMeshVerticesToNodes(model->sim.mesh, local->rest, nodes));
  for (PetscInt i = 0; i < 6 * local->num_bodies; i++) box[i] = -PETSC_MAX_REAL;
  for (PetscInt i = 0; i < local->num_owned * local->dim; i++) {
    PetscReal *at = box + 6 * local->vertex_body[i / local->dim] + i % local->dim;

    at[0] = PetscMax(at[0], -nodes[i]);
    at[3] = PetscMax(at[3], nodes[i]);
  }
  PetscCall(PetscFree(nodes));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, box, (PetscMPIInt)(6 * local->num_bodies), MPIU_REAL, MPIU_MAX, model->comm));
  PetscFunctionReturn(0);
}

static PetscErrorCode PrintBody(const Model *model, const AbutBody *body, const PetscReal box[], PetscReal mass, PetscReal jacobian)
{
  const PetscInt dim       = model->sim.local->dim;
  char           depth[32] = "", cells[128] = "";
  PetscReal      extent[3], sum             = 0;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; d++) {
    extent[d] = box[3 + d] + box[d];
    sum += PetscSqr(extent[d]);
  }
  if (dim == 3) PetscCall(PetscSNPrintf(depth, sizeof(depth), " x %.6g", (double)extent[2]));
  if (body->order == 2)
    PetscCall(PetscSNPrintf(cells, sizeof(cells),
                            ", %" PetscInt_FMT " quadratic cells, %" PetscInt_FMT " nodes, smallest Jacobian %.3g of the cell's mean",
                            body->cell_end - body->cell_start, body->vertex_end - body->vertex_start, (double)jacobian));
  PetscCall(PetscPrintf(model->comm, "size of '%s': %.6g x %.6g%s m, diagonal %.6g m, mass %.6g kg%s%s\n", body->name, (double)extent[0],
                        (double)extent[1], depth, (double)PetscSqrtReal(sum), (double)mass, dim == 2 ? " per metre of thickness" : "",
                        cells));
  PetscFunctionReturn(0);
}

/* Cells and mass of the regions of a body. Collective. */
static PetscErrorCode PrintRegions(const Model *model, PetscInt b)
{
  const AbutMeshLocal    *local     = model->sim.local;
  const AbutMaterialSpec *materials = model->scene->materials;
  const AbutBody         *body      = &local->bodies[b];

  PetscFunctionBegin;
  for (PetscInt r = 0; r < body->num_regions; r++) {
    const AbutMaterialSpec *material = &materials[body->regions[r].material];
    PetscReal               sum[2]   = {0, 0};

    for (PetscInt c = 0; c < local->num_cells; c++) {
      if (local->cell_body[c] != b || AbutMeshGetCellRegion(model->sim.mesh, c) != r) continue;
      sum[0] += 1;
      sum[1] += material->density * AbutCellMeasure(local, c, local->rest);
    }
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPIU_REAL, MPIU_SUM, model->comm));
    PetscCall(PetscPrintf(model->comm, "region '%s' of '%s': material '%s', %.0f cells, mass %.6g kg\n", body->regions[r].group, body->name,
                          material->name, (double)sum[0], (double)sum[1]));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode PrintSizes(const Model *model)
{
  const AbutMeshLocal *local = model->sim.local;
  PetscReal           *mass, *jacobian, *box;
  PetscInt             num = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(local->num_bodies, &mass, local->num_bodies, &jacobian, 6 * local->num_bodies, &box));
  PetscCall(GetBoxes(model, box));
  PetscCall(GetMasses(model, mass));
  PetscCall(AbutElasticGetSmallestJacobian(model->sim.elastic, jacobian));
  for (PetscInt b = 0; b < local->num_bodies; b++)
    if (!local->bodies[b].obstacle && num++ < MOST_LINES) {
      PetscCall(PrintBody(model, &local->bodies[b], box + 6 * b, mass[b], jacobian[b]));
      PetscCall(PrintRegions(model, b));
    }
  if (num > MOST_LINES) PetscCall(PetscPrintf(model->comm, "size of %" PetscInt_FMT " more bodies not listed\n", num - MOST_LINES));
  PetscCall(PetscFree3(mass, jacobian, box));
  PetscFunctionReturn(0);
}

PetscErrorCode PrintMaterials(const Model *model)
{
  const AbutScene *scene = model->scene;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < PetscMin(scene->num_materials, MOST_LINES); i++) {
    const AbutMaterialSpec *m     = &scene->materials[i];
    const PetscReal         shear = m->young / (2 * (1 + m->poisson)), bulk = m->young / (3 * (1 - 2 * m->poisson));

    char      instantaneous[64] = "";
    PetscReal sum               = shear;

    for (PetscInt b = 0; b < m->num_prony; b++) sum += m->prony[b].shear;
    if (m->num_prony) PetscCall(PetscSNPrintf(instantaneous, sizeof(instantaneous), " (%.6g Pa before it relaxes)", (double)sum));
    PetscCall(
      PetscPrintf(model->comm,
                  "material '%s': %s, initial shear modulus %.6g Pa%s, bulk modulus %.6g Pa, Young's modulus %.6g Pa, Poisson's ratio "
                  "%.8g\n",
                  m->name, AbutMaterialKinds[m->kind], (double)shear, instantaneous, (double)bulk, (double)m->young, (double)m->poisson));
  }
  if (scene->num_materials > MOST_LINES)
    PetscCall(PetscPrintf(model->comm, "%" PetscInt_FMT " more materials not listed\n", scene->num_materials - MOST_LINES));
  PetscFunctionReturn(0);
}
