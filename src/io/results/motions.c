/* motions.csv: travel and reaction of obstacles, motions and loads, one row for each of them and step. */
#include "statsimpl.h"

const char AbutMotionsHeader[] =
  "step,time_s,kind,name,travel_x_m,travel_y_m,travel_z_m,rotation_x_rad,rotation_y_rad,rotation_z_rad,center_x_m,center_y_m,center_z_m,"
  "force_x_N,force_y_N,force_z_N,moment_x_Nm,moment_y_Nm,moment_z_Nm\n";

PetscErrorCode AbutStatsAddReactions(AbutStats s, PetscInt step, PetscReal time, PetscInt count, const AbutReaction reactions[])
{
  AbutText t = {0};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < count && !s->rank; k++) {
    const AbutReaction    *r         = &reactions[k];
    const PetscReal *const columns[] = {r->travel, r->rotation, r->center, r->force, r->moment};

    AbutTextAppend(&t, "%" PetscInt_FMT, step);
    AbutTableReal(&t, time);
    AbutTextAppend(&t, ",%s", AbutReactionKinds[r->kind]);
    AbutTableText(&t, r->name);
    for (size_t i = 0; i < 3 * sizeof(columns) / sizeof(*columns); i++) AbutTableReal(&t, columns[i / 3][i % 3]);
    AbutTextAppend(&t, "\n");
  }
  PetscCall(AbutAgree(s->comm, AbutTablePut(&s->motions_csv, &t)));
  PetscFunctionReturn(0);
}
