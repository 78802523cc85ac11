/* pairs.csv: contact resultants, one row for each pair of bodies in contact and step. */
#include "statsimpl.h"

static const char header[] = "step,time_s,body_a,body_b,contacts,sticking,normal_x_N,normal_y_N,normal_z_N,friction_x_N,friction_y_N,"
                             "friction_z_N\n";

PetscErrorCode AbutPairsOpen(AbutStats s, PetscBool append)
{
  PetscFunctionBegin;
  PetscCall(AbutTableOpen(&s->pairs_csv, s->directory, "pairs.csv", header, append, s->first_step));
  PetscFunctionReturn(0);
}

static PetscErrorCode Rows(AbutStats s, AbutText *t, PetscInt step, PetscReal time, const AbutPlaneSpec planes[], PetscInt count,
                           const AbutPairForce pairs[])
{
  const AbutMeshLocal *m = AbutMeshGetLocal(s->mesh);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < count; k++) {
    const AbutPairForce *pair = &pairs[k];

    PetscCall(AbutTextAppend(t, "%" PetscInt_FMT, step));
    PetscCall(AbutTableReal(t, time));
    for (int side = 0; side < 2; side++) {
      const PetscInt b = pair->body[side];
      PetscCall(AbutTableText(t, b < m->num_bodies ? m->bodies[b].name : planes[b - m->num_bodies].name));
    }
    PetscCall(AbutTableInteger(t, pair->contacts));
    PetscCall(AbutTableInteger(t, pair->sticking));
    for (int d = 0; d < 3; d++) PetscCall(AbutTableReal(t, pair->normal[d]));
    for (int d = 0; d < 3; d++) PetscCall(AbutTableReal(t, pair->friction[d]));
    PetscCall(AbutTextAppend(t, "\n"));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStatsAddPairs(AbutStats s, PetscInt step, PetscReal time, const AbutPlaneSpec planes[], PetscInt count,
                                 const AbutPairForce pairs[])
{
  AbutText       t     = {0};
  PetscErrorCode local = 0;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_OUTPUT));
  if (!s->rank && count) {
    PetscCall(Rows(s, &t, step, time, planes, count, pairs));
    local = AbutTablePut(&s->pairs_csv, &t);
    PetscCall(AbutTextDestroy(&t));
  }
  local = AbutAgree(s->comm, local);
  PetscCall(AbutPhaseEnd(ABUT_PHASE_OUTPUT));
  PetscCall(local);
  PetscFunctionReturn(0);
}
