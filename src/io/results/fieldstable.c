/* The fields of a time level: what writers of other formats walk through, too. */
#include "fieldsimpl.h"

#define AT(member) offsetof(AbutFieldsLevel, member)

const AbutFieldInfo AbutFieldInfos[ABUT_NUM_FIELDS] = {
  {"velocity", "m/s", "m/s", ABUT_AT_VERTICES, 3, AT(v)},
  {"contact_force", "N", "N/m", ABUT_AT_VERTICES, 3, AT(contact_force)},
  {"cauchy", "Pa", "Pa", ABUT_AT_CELLS, 9, AT(cauchy)},
  {"von_mises", "Pa", "Pa", ABUT_AT_CELLS, 1, AT(mises)},
  {"friction_force", "N", "N/m", ABUT_AT_VERTICES, 3, AT(friction_force)},
  {"pressure", "Pa", "Pa", ABUT_AT_NODES, 1, AT(pressure)},
  {"contact_pressure", "Pa", "Pa", ABUT_AT_SURFACE, 1, AT(surface.pressure)},
  {"contact_traction", "Pa", "Pa", ABUT_AT_SURFACE, 3, AT(surface.traction)},
  {"contact_gap", "m", "m", ABUT_AT_SURFACE, 1, AT(surface.gap)},
  {"contact_area", "m^2", "m", ABUT_AT_SURFACE, 1, AT(surface.area)},
  {"friction_traction", "Pa", "Pa", ABUT_AT_SURFACE, 3, AT(surface.friction_traction)},
  {"slip_rate", "m/s", "m/s", ABUT_AT_SURFACE, 1, AT(surface.slip_rate)},
  {"slip", "m", "m", ABUT_AT_SURFACE, 1, AT(surface.slip)},
  {"stick_state", "", "", ABUT_AT_SURFACE, 1, AT(surface.stick)},
  {"plastic_strain", "", "", ABUT_AT_CELLS, 1, AT(plastic_strain)},
};

PetscBool AbutFieldsHaveSurface(int fields)
{
  for (PetscInt k = 0; k < ABUT_NUM_FIELDS; k++)
    if (fields & 1 << k && AbutFieldInfos[k].place == ABUT_AT_SURFACE) return PETSC_TRUE;
  return PETSC_FALSE;
}
