/* pairs.csv: contact resultants, one row for each pair of bodies in contact and step. */
#include "statsimpl.h"

const char AbutPairsHeader[] = "step,time_s,body_a,body_b,contacts,sticking,normal_x_N,normal_y_N,normal_z_N,friction_x_N,friction_y_N,"
                               "friction_z_N,area_m2,center_x_m,center_y_m,center_z_m,normal_sum_N,friction_sum_N\n";

static void Rows(AbutStats s, AbutText *t, PetscInt step, PetscReal time, const AbutPlaneSpec planes[], PetscInt count,
                 const AbutPairForce pairs[])
{
  const AbutMeshLocal *m = AbutMeshGetLocal(s->mesh);

  for (PetscInt k = 0; k < count; k++) {
    const AbutPairForce *pair = &pairs[k];

    AbutTextAppend(t, "%" PetscInt_FMT, step);
    AbutTableReal(t, time);
    for (int side = 0; side < 2; side++) {
      const PetscInt b = pair->body[side];
      AbutTableText(t, b < m->num_bodies ? m->bodies[b].name : planes[b - m->num_bodies].name);
    }
    AbutTableInteger(t, pair->contacts);
    AbutTableInteger(t, pair->sticking);
    for (int d = 0; d < 3; d++) AbutTableReal(t, pair->normal[d]);
    for (int d = 0; d < 3; d++) AbutTableReal(t, pair->friction[d]);
    AbutTableReal(t, pair->area);
    for (int d = 0; d < 3; d++) AbutTableReal(t, pair->center[d]);
    AbutTableReal(t, pair->normal_sum);
    AbutTableReal(t, pair->friction_sum);
    AbutTextAppend(t, "\n");
  }
}

PetscErrorCode AbutStatsAddPairs(AbutStats s, PetscInt step, PetscReal time, const AbutPlaneSpec planes[], PetscInt count,
                                 const AbutPairForce pairs[])
{
  AbutText t = {0};

  PetscFunctionBegin;
  if (!s->rank) Rows(s, &t, step, time, planes, count, pairs);
  PetscCall(AbutAgree(s->comm, AbutTablePut(&s->pairs_csv, &t)));
  PetscFunctionReturn(0);
}
