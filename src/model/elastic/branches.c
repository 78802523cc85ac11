/*
  Viscoelastic branches. Branch b of all materials is an elastic object of its own on the same mesh, whose cells have the Maxwell material
  of term b, or none. Its viscous strains are its history. The loops over cells so know nothing of branches.
*/
#include "quadratic.h"

static PetscErrorCode SetBranchMaterials(const AbutElastic el, PetscInt num_materials, const AbutMaterialSpec specs[], PetscInt b,
                                         AbutElastic branch)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(num_materials, &branch->materials));
  PetscCall(PetscCalloc1(num_materials, &branch->deviatoric));
  for (PetscInt i = 0; i < num_materials; i++) {
    if (b >= specs[i].num_prony) continue;
    branch->materials[i].ops       = &AbutMaxwell;
    branch->materials[i].of_point  = PETSC_TRUE;
    branch->materials[i].constants = (AbutMaterialConstants){.mu = specs[i].prony[b].shear, .relaxation = specs[i].prony[b].time};
    branch->deviatoric[i]          = branch->materials[i];
  }
  PetscCall(PetscMalloc1(el->local->num_cells, &branch->cell_material));
  for (PetscInt c = 0; c < el->local->num_cells; c++)
    branch->cell_material[c] = b < specs[el->cell_material[c]].num_prony ? el->cell_material[c] : -1;
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateBranch(const AbutElastic el, PetscInt num_materials, const AbutMaterialSpec specs[], PetscInt b,
                                   AbutElastic *created)
{
  AbutElastic branch;

  PetscFunctionBegin;
  PetscCall(PetscNew(&branch));
  *created          = branch;
  branch->mesh      = el->mesh;
  branch->local     = el->local;
  branch->gradients = el->gradients;
  branch->volumes   = el->volumes;
  branch->quadratic = el->quadratic;
  PetscCall(PetscMalloc1(branch->quadratic.num, &branch->quadratic.active));
  PetscCall(PetscMalloc1(el->local->num_cells, &branch->active));
  PetscCall(SetBranchMaterials(el, num_materials, specs, b, branch));
  PetscCall(AbutHistoryCreate(branch, num_materials));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutBranchesCreate(AbutElastic el, PetscInt num_materials, const AbutMaterialSpec specs[])
{
  const AbutMeshLocal *local = el->local;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < local->num_bodies; b++)
    for (PetscInt r = -1; r < local->bodies[b].num_regions && !local->bodies[b].obstacle; r++)
      el->num_branches = PetscMax(el->num_branches, specs[AbutBodyMaterial(&local->bodies[b], r)].num_prony);
  PetscCall(PetscCalloc1(el->num_branches, &el->branches));
  for (PetscInt b = 0; b < el->num_branches; b++) PetscCall(CreateBranch(el, num_materials, specs, b, &el->branches[b]));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutBranchesDestroy(AbutElastic el)
{
  PetscFunctionBegin;
  for (PetscInt b = 0; el->branches && b < el->num_branches; b++) {
    AbutElastic branch = el->branches[b];

    if (!branch) continue;
    PetscCall(AbutHistoryDestroy(branch));
    PetscCall(PetscFree(branch->materials));
    PetscCall(PetscFree(branch->deviatoric));
    PetscCall(PetscFree(branch->cell_material));
    PetscCall(PetscFree(branch->active));
    PetscCall(PetscFree(branch->quadratic.active));
    PetscCall(PetscFree(branch));
  }
  PetscCall(PetscFree(el->branches));
  PetscFunctionReturn(0);
}
