/*
  "convergent-ipc" [Li et al. 2023, Convergent Incremental Potential Contact]: pairs weighted by area, each closest feature counted once,
  with the "physical" barrier

      energy = kappa sum_k w_k m_k b(d_k^2; dhat^2) / dhat^3,    b of AbutBarrier() [m^4], m_k as in "ipc"

  The weights w_k are areas (2D: lengths), so kappa is a pressure (Pa; 2D: N/m) that does not depend on mesh refinement.
*/
#include "convergent.h"

static inline PetscReal Scale(PetscReal dhat)
{
  return 1 / (dhat * dhat * dhat);
}

/* Reference force: on a vertex of area length^2 (2D: length). */
static PetscReal GetForce_Convergent(AbutPotential pot, PetscReal dhat)
{
  const AbutConvergentSurface *s = &((AbutConvergent *)pot->data)->surface;
  const PetscReal              d = dhat / 2;
  PetscReal                    db;

  AbutBarrier(d * d, dhat * dhat, &db, NULL);
  return -2 * d * db * Scale(dhat) * (s->dim == 3 ? s->length * s->length : s->length);
}

static PetscErrorCode Energy_Convergent(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[], PetscReal *energy)
{
  AbutStencilSet    *set  = &((AbutConvergent *)pot->data)->trial;
  const PetscReal    shat = pot->dhat * pot->dhat;
  const AbutStencil *st;
  PetscReal          sum = 0;

  PetscFunctionBegin;
  PetscCall(AbutConvergentFind(pot, c, xt, set));
  st = set->found;
  for (PetscInt k = 0; k < set->num_found && set->min_dist2 > 0; k++) {
    PetscReal x[12], part = st[k].weight * AbutBarrier(st[k].dist2, shat, NULL, NULL);
    if (st[k].eps_cross > 0) {
      AbutGather(3, 4, st[k].v, xt, x);
      part *= AbutMollifier(AbutEdgeEdgeCross2(x, NULL, NULL), st[k].eps_cross, NULL, NULL);
    }
    sum += part;
  }
  *energy = set->min_dist2 > 0 && PetscAbsReal(sum) < PETSC_INFINITY ? pot->kappa * Scale(pot->dhat) * sum : PETSC_INFINITY;
  PetscFunctionReturn(0);
}

static PetscErrorCode SetState_Convergent(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[])
{
  AbutStencilSet *set = pot->data;

  PetscFunctionBegin;
  PetscCall(AbutConvergentFind(pot, c, xt, set));
  set->scale = Scale(pot->dhat);
  PetscCall(AbutStencilSetMerge(set, xt));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetUp_Convergent(AbutPotential pot, AbutMesh mesh, AbutContact contact)
{
  AbutConvergentSurface *s = &((AbutConvergent *)pot->data)->surface;
  const AbutMeshLocal   *m = AbutMeshGetLocal(mesh);

  PetscFunctionBegin;
  s->dim    = m->dim;
  s->length = pot->spec.length;
  if (!(s->length > 0)) PetscCall(AbutMeanEdge(mesh, &s->length));
  PetscCall(AbutContactSetOneRing(contact, PETSC_TRUE));
  PetscFunctionReturn(0);
}

static PetscErrorCode Destroy_Convergent(AbutPotential pot)
{
  AbutConvergent *cv = pot->data;

  PetscFunctionBegin;
  PetscCall(AbutStencilSetFree(&cv->set));
  PetscCall(AbutStencilSetFree(&cv->trial));
  PetscCall(PetscFree(cv->surface.vertex_area));
  PetscCall(PetscFree(cv->surface.edge));
  PetscCall(PetscFree(pot->data));
  PetscFunctionReturn(0);
}

static PetscErrorCode Create_Convergent(AbutPotential pot)
{
  AbutConvergent *cv;

  PetscFunctionBegin;
  PetscCall(PetscNew(&cv));
  cv->set.areas      = PETSC_TRUE;
  cv->surface.length = 1;
  pot->data          = cv;
  pot->ops           = (AbutPotentialOps){.destroy  = Destroy_Convergent,
                                          .setup    = SetUp_Convergent,
                                          .getforce = GetForce_Convergent,
                                          .energy   = Energy_Convergent,
                                          .setstate = SetState_Convergent,
                                          ABUT_STENCIL_SET_OPS};
  PetscFunctionReturn(0);
}

const AbutPotentialType AbutPotentialTypeConvergentIPC = {{.name          = "convergent-ipc",
                                                           .help          = "weighted by area [Li et al. 2023]",
                                                           .unit          = {"N/m", "Pa"},
                                                           .area_weighted = PETSC_TRUE,
                                                           .physical      = PETSC_TRUE,
                                                           .reads         = ABUT_SPEC_LENGTH},
                                                          Create_Convergent};
