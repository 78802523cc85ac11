/* cavities.csv: volume and pressure of each gas, one row for each gas and step. */
#include "statsimpl.h"

const char AbutCavitiesHeader[] = "step,time_s,load,volume_m3,pressure_Pa\n";

PetscErrorCode AbutStatsAddCavities(AbutStats s, PetscInt step, PetscReal time, PetscInt count, const AbutPressureReport report[])
{
  AbutText t = {0};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < count && !s->rank; k++) {
    if (report[k].kind != ABUT_LOAD_GAS) continue;
    AbutTextAppend(&t, "%" PetscInt_FMT, step);
    AbutTableReal(&t, time);
    AbutTableInteger(&t, report[k].load);
    AbutTableReal(&t, report[k].volume);
    AbutTableReal(&t, report[k].pressure);
    AbutTextAppend(&t, "\n");
  }
  PetscCall(AbutAgree(s->comm, s->rank ? 0 : AbutTablePut(&s->cavities_csv, &t)));
  PetscFunctionReturn(0);
}
